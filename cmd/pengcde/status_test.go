package main

import (
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
)

// Without a profile, status uses the profile with runs under way, else the profile with the most stored runs: in the
// checkout, the profile of the shipped runs.
func TestStatusWithoutAProfile(t *testing.T) {
	folder := t.TempDir()
	few := []string{"epidemics", "--models", "peng-linear", "--only", "country=england"} // quick has none of these
	status := func(where string) string {
		t.Helper()
		c := command(folder, "status", "epidemics")
		c.Dir, c.Env = where, append(c.Env, experiments.ProfileEnv+"=")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if text := status("."); !strings.HasPrefix(text, "epidemics, profile medium: ") {
		t.Errorf("with runs that ship: %s", text)
	}
	c := command(folder, append([]string{"run", "--backend", "go", "--profile", "medium", "--jobs", "1"}, few...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait() // killed
	}()
	for deadline := time.Now().Add(time.Minute); len(files(t, folder, "*.lock")) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no run is taken within a minute")
		}
	}
	if text := status(folder); !strings.HasPrefix(text, "epidemics, profile medium: ") ||
		!strings.Contains(text, "PENG") {
		t.Errorf("while a run is made: %s", text)
	}
}
