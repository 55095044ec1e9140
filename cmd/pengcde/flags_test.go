package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/xla"
)

// Errors about flags name the flag, and come before anything is made.
func TestMistakesInFlags(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	for _, c := range []struct {
		says string
		args []string
	}{
		{`backend "nope" of --backend: `, []string{"run", "table1", "--dry-run", "--backend", "nope"}},
		{`backend "xla:/nope.so" of --backend: `, fitting("--backend", "xla:/nope.so")},
		{`backend "xla:/nope.so" of --backend: `, []string{"run", "table1", "--models", "constant", "--seeds", "0",
			"--backend", "xla:/nope.so"}},
		{"--checkpoint-every -1s, want a positive time such as 30s",
			[]string{"run", "table1", "--dry-run", "--checkpoint-every=-1s"}},
		{"--checkpoint-every 0s, want", []string{"submit", "table1", "--checkpoint-every=0s"}},
		{`--models: "", want names with commas between them, or no --models for all`,
			[]string{"run", "table1", "--dry-run", "--models="}},
		{`columns ["visitors" "rain"] but no --nodes, want the file`, fitting("--nodes=")},
		{"no file none, want a model that pengcde fit wrote", []string{"forecast", "none", "--edges", "flows.csv", "--nodes",
			"visits.csv", "--backend", "go"}},
	} {
		said, err := command(folder, c.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) {
			t.Errorf("%q: %v, want an error that says %q:\n%s", c.args, err, c.says, said)
		}
	}
}

// A backend that is not understood is a usage error, by flag and by environment, also of commands that open none.
func TestUnknownBackend(t *testing.T) {
	folder := t.TempDir()
	cluster(t, map[string]string{"squeue": ""})
	ring(t, folder, "", 0, 40, "Deal")
	for _, args := range [][]string{append(few, "--dry-run"), fitting()} {
		if args[0] == few[0] {
			args = append([]string{"run"}, args...)
		}
		code, _, stderr := in(t, folder, folder, append(args, "--backend", "foo")...)
		if code != exitUsage || !strings.Contains(stderr, `backend "foo" of --backend: `) {
			t.Errorf("%q: code %d, %s", args, code, stderr)
		}
	}
	t.Setenv(xla.BackendEnv, "foo")
	for _, args := range [][]string{{"run", "table1", "--dry-run"}, {"list"}, {"list", "table1"}, {"status", "table1"},
		{"submit", "table1", "--dry-run"}} {
		code, _, stderr := in(t, folder, folder, args...)
		if code != exitUsage || !strings.Contains(stderr, `backend "foo" of $PENGCDE_BACKEND: `) {
			t.Errorf("%q: code %d, %s", args, code, stderr)
		}
	}
}

// A negative number for a flag is told with the flag and a number that it takes.
func TestNegativeNumbers(t *testing.T) {
	folder := t.TempDir()
	for _, flag := range []string{"-j", "--jobs"} {
		code, _, stderr := in(t, folder, folder, "run", "table1", "--dry-run", flag, "-1")
		if code != exitUsage || !strings.Contains(stderr, `--jobs "-1", want a number without a minus sign, such as `+
			`--jobs=1; see pengcde run --help`) {
			t.Errorf("%s: code %d, %s", flag, code, stderr)
		}
	}
}

// A fit says that it replaces a model, and that another fit wrote one meanwhile.
func TestModelThatIsReplaced(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model.pengcde")
	var said strings.Builder
	none := modelIn(folder)
	none.noteReplaced(&said)
	none.noteMeanwhile(&said)
	if said.Len() > 0 {
		t.Errorf("without a model: %s", &said)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	none.noteMeanwhile(&said)
	if !strings.Contains(said.String(), "another fit wrote "+path+" meanwhile: this one replaces it") {
		t.Errorf("after another fit: %s", &said)
	}
	said.Reset()
	some := modelIn(folder)
	some.noteMeanwhile(&said)
	if some.noteReplaced(&said); !strings.HasPrefix(said.String(), path+" is there already, of ") ||
		strings.Contains(said.String(), "meanwhile") {
		t.Errorf("with a model: %s", &said)
	}
}

// forecast warns of files with another spacing than the model's, and fit says when the budget ended a training.
func TestNoticesOfFit(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	said, err := command(folder, fitting("--budget", "1ns")...).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "The budget ended the training after 1 of at most 3 epochs.") ||
		!strings.Contains(string(said), "✓ fit · 1 epoch ·") || !strings.Contains(string(said), "(--backend asks for it)") {
		t.Errorf("%v:\n%s", err, said)
	}
	weekly := func(name string) {
		change(t, folder, name, "weekly_"+name, "2024-01-01", "2023-11-20", "2024-01-02", "2023-11-27", "2024-01-03",
			"2023-12-04", "2024-01-04", "2023-12-11", "2024-01-05", "2023-12-18", "2024-01-06", "2023-12-25")
		content, err := os.ReadFile(filepath.Join(folder, "weekly_"+name))
		if err != nil {
			t.Fatal(err)
		}
		early, _, _ := strings.Cut(string(content), "2024-01-07")
		if err := os.WriteFile(filepath.Join(folder, "weekly_"+name), []byte(early), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	weekly("flows.csv")
	weekly("visits.csv")
	said, err = command(folder, "forecast", "visitors-forecast", "--backend", "go", "--edges", "weekly_flows.csv",
		"--nodes", "weekly_visits.csv").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "snapshots are 7 times as far apart as those that the model was "+
		"made from, which are 1d apart") {
		t.Errorf("%v:\n%s", err, said)
	}
}
