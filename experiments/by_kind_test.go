package experiments

import "testing"

// A value is for a run's model and keys, else for its model.
func TestByKind(t *testing.T) {
	run := func(model, split string) Run {
		return Run{Model: Row{ID: model}, Keys: map[string]string{"split": split}}
	}
	k := make(byKind[int])
	for i, r := range []Run{run("a", "random"), run("a", "random"), run("a", "rolling")} {
		k.add(r, func(sum int) int { return sum + 1 + 10*i })
	}
	for _, c := range []struct {
		run  Run
		want int
	}{{run("a", "random"), 12}, {run("a", "rolling"), 21}, {run("a", "other"), 33}, {run("b", "random"), 0}} {
		if got := k.of(c.run); got != c.want {
			t.Errorf("%v: %d, want %d", c.run, got, c.want)
		}
	}
}
