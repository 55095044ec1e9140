package experiments

import "testing"

func TestRunString(t *testing.T) {
	for want, run := range map[string]Run{
		"A, seed 2":         {Seed: 2},
		"A, fold 3, seed 2": {Seed: 2, Fold: 3},
		"A, england, rotation 3, seed 2": {Seed: 2, Fold: 3,
			Keys: map[string]string{"country": "england", "split": "rotation"}},
		"A, noise 0.1, observations 60, seed 2": {Seed: 2,
			Keys: map[string]string{"observations": "60", "noise": "0.1", "shape": ""}},
	} {
		run.Model.Name = "A"
		if got := run.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
