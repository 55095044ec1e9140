package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// The overlay takes tests of a package into it, external ones into a package beside it, and lists both.
func TestSuites(t *testing.T) {
	root, err := moduleroot.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Chdir(root)
	file, err := suites(folder, packages)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"pengcde/ode/gpukit_tsit5.go":               "pengcde/ode/tsit5_test.go",
		"pengcde/field/gpukittests/gpukit_field.go": "pengcde/field/field_test.go",
		"experiments/paper/series/gpukit_golden.go": "experiments/paper/series/golden_test.go",
		"tools/gpukit/suites_listed.go":             filepath.Join(folder, "suites.txt"),
	} {
		if !filepath.IsAbs(want) {
			want = filepath.Join(root, want)
		}
		if overlay.Replace[at] != want {
			t.Errorf("%s is %q, want %s", at, overlay.Replace[at], want)
		}
	}
	listed, err := os.ReadFile(overlay.Replace["tools/gpukit/suites_listed.go"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"TestGoldenHere", p4.TestGoldenHere}`, `{"BenchmarkProduct", p0.BenchmarkProduct}`,
		`p1x "github.com/peng-cde/pengcde-go/pengcde/field/gpukittests"`} {
		if !strings.Contains(string(listed), want) {
			t.Errorf("no %s among\n%s", want, listed)
		}
	}
}
