package main

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
)

// Without a profile, show uses the profile with the most stored runs: in the checkout, the profile of the shipped
// runs.
func TestShowWithoutAProfile(t *testing.T) {
	for profile, want := range map[string]string{"": "profile medium", "quick": "profile quick"} {
		c := command(t.TempDir(), "show", "epidemics", "--models", "zero")
		c.Dir = "."
		c.Env = append(c.Env, experiments.ProfileEnv+"="+profile)
		out, err := c.Output()
		if first, _, _ := strings.Cut(string(out), "\n"); err != nil || !strings.Contains(first, want) {
			t.Errorf("profile %q: got %q, %v, wanted %q", profile, first, err, want)
		}
	}
}
