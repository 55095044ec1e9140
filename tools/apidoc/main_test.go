package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every public package has a page, and every link within the reference, and every name of its index, leads to a target.
func TestReference(t *testing.T) {
	out := filepath.Join(t.TempDir(), "api")
	if err := write("../..", out); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(out, "*.md"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("pages %v, %v", pages, err)
	}
	var all strings.Builder
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	targets := make(map[string]bool)
	for _, found := range regexp.MustCompile(`(?m)^\((api-[^)]*)\)=$`).FindAllStringSubmatch(all.String(), -1) {
		if targets[found[1]] {
			t.Errorf("target %s twice", found[1])
		}
		targets[found[1]] = true
	}
	for _, found := range regexp.MustCompile(`\]\(#(api-[^)]*)\)`).FindAllStringSubmatch(all.String(), -1) {
		if !targets[found[1]] {
			t.Errorf("a link to %s, which no page has", found[1])
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]string)
	if err := json.Unmarshal(text, &names); err != nil {
		t.Fatal(err)
	}
	for name, target := range names {
		if !targets[target] {
			t.Errorf("%s leads to %s, which no page has", name, target)
		}
	}
	for _, name := range []string{"pengcde.New", "ode.Solver.Run", "field.Affine", "law.LeastSquares", "path.Ramp"} {
		if names[name] == "" {
			t.Errorf("the index lacks %s", name)
		}
	}
	for _, hidden := range []string{"internal/", "func main"} {
		if strings.Contains(all.String(), "import \"github.com/peng-cde/pengcde-go/"+hidden) {
			t.Errorf("the reference has %s", hidden)
		}
	}
}
