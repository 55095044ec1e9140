package main

import (
	"encoding/csv"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// checkoutFolder returns an empty checkout of the module, where results can ship.
func checkoutFolder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+moduleroot.Module+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// in runs the program in a folder and returns its exit code and output.
func in(t *testing.T, folder, results string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := command(results, args...)
	c.Dir = folder
	var out, said strings.Builder
	c.Stdout, c.Stderr = &out, &said
	var exit *exec.ExitError
	if err := c.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, out.String(), said.String()
}

// Stored runs ship, appear elsewhere with a mark, and can be exported and merged.
func TestResults(t *testing.T) {
	root, own, none := checkoutFolder(t), t.TempDir(), t.TempDir()
	study := []string{"epidemics", "--models", "zero,recent-mean", "--only", "split=random", "--only", "country=england", "--seeds", "0"}
	call := func(want int, results string, args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := in(t, root, results, args...)
		if code != want {
			t.Errorf("%q: code %d, want %d: %s", args, code, want, stderr)
		}
		return stdout, stderr
	}
	call(0, own, append([]string{"run"}, study...)...)
	out, _ := call(0, own, "results", "ship", "epidemics")
	if !strings.Contains(out, "epidemics.jsonl.zst: 2 runs") {
		t.Errorf("ship says %q", out)
	}
	if out, _ := call(0, none, append([]string{"show"}, study...)...); !strings.Contains(out, " ‡") {
		t.Errorf("shipped runs show without a mark:\n%s", out)
	}
	if out, said := call(1, none, append([]string{"show", "--fresh"}, study...)...); !strings.Contains(said, "nothing") {
		t.Errorf("shipped runs show with --fresh:\n%s", out)
	}

	tables := filepath.Join(root, "tables")
	out, _ = call(0, none, append([]string{"results", "export", "--out", tables}, study...)...)
	if want := filepath.Join(tables, "epidemics-runs.csv"); !strings.Contains(out, want+"\n") {
		t.Errorf("export names %q, want %s", out, want)
	}
	file, err := os.Open(filepath.Join(tables, "epidemics-runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v, want a head and 2 runs", len(rows), err)
	}
	if shipped := slices.Index(rows[0], "shipped"); rows[1][shipped] != "true" {
		t.Errorf("exported %q, want it shipped", rows[1])
	}
	call(0, none, append([]string{"results", "export", "--format", "parquet", "--out", tables}, study...)...)
	if content, err := os.ReadFile(filepath.Join(tables, "epidemics-arrays.parquet")); err != nil ||
		!strings.HasPrefix(string(content), "PAR1") {
		t.Errorf("no Parquet: %v", err)
	}

	if out, _ := call(0, none, "results", "merge", own); out != "2 runs added, 0 were there\n" {
		t.Errorf("merge says %q", out)
	}
	out, _ = call(0, none, "results", "merge", filepath.Join(root, "results"))
	if out != "0 runs added, 2 were there\n" {
		t.Errorf("merge of the archive says %q", out)
	}
	if err := os.WriteFile(filepath.Join(own, "epidemics", "x.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := call(1, none, "results", "merge", own); !strings.Contains(said, "not merged: "+own) {
		t.Errorf("merge of a damaged file says %q", said)
	}
	call(exitUsage, none, "results", "merge", filepath.Join(own, "nowhere"))
	call(exitUsage, none, "results", "ship", "tableau")
	call(exitUsage, own, "results", "ship", "table1")

	archive := filepath.Join(root, "results", "epidemics.jsonl.zst")
	if err := os.Truncate(archive, 100); err != nil {
		t.Fatal(err)
	}
	if _, said := call(1, none, append([]string{"show"}, study...)...); !strings.Contains(said, archive) {
		t.Errorf("a damaged archive is not named: %q", said)
	}
}
