package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No command replaces a file that it reads, by whatever path, and it says so before it reads or trains.
func TestInputsAreKept(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	if err := os.MkdirAll(filepath.Join(folder, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"flows.csv": "in/errors.csv", "visits.csv": "in/forecasts.csv"} {
		if err := os.Rename(filepath.Join(folder, from), filepath.Join(folder, to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("in/forecasts.csv", filepath.Join(folder, "link.csv")); err != nil {
		t.Fatal(err)
	}
	before := contents(t, folder)
	forecasting := []string{"forecast", "model", "--edges", "in/errors.csv", "--nodes", "in/forecasts.csv", "--out"}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--out would replace in/forecasts.csv, which is read as in/forecasts.csv: want another --out",
			fitting("--edges", "in/errors.csv", "--nodes", "in/forecasts.csv", "--out", "in")},
		{"--out would replace in/forecasts.csv, which is read as link.csv",
			fitting("--edges", "in/errors.csv", "--nodes", "link.csv", "--out", "in")},
		{"--out would replace link.csv, which is read as in/forecasts.csv", append(forecasting, "link.csv")},
		{"--out would replace in/errors.csv", append(forecasting, "in/errors.csv")},
		{"--out link.csv is a file, want a folder", fitting("--edges", "in/errors.csv", "--nodes", "in/forecasts.csv",
			"--out", "link.csv")},
		{"--out link.csv, want a name that ends in .html: try link.html", []string{"report", "--out", "link.csv"}},
		{"--out link.csv, want a name that ends in .md: try link.md", []string{"results", "page", "--out", "link.csv"}},
	} {
		said, err := command(folder, c.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) || strings.Contains(string(said), "snapshots;") {
			t.Errorf("%q: %v, want an error that says %q:\n%s", c.args, err, c.says, said)
		}
	}
	for path, content := range contents(t, folder) {
		if before[path] != content {
			t.Errorf("%s was changed", path)
		}
	}
}

// contents returns the files of a folder by path.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, pattern := range []string{"*", "*/*"} {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if content, err := os.ReadFile(path); err == nil {
				all[path] = string(content)
			}
		}
	}
	return all
}
