package experiments

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// heardProgress holds the arguments of a call of Options.Progress.
type heardProgress struct {
	fraction float64
	left     time.Duration
	text     string
}

// The fraction never falls, and the remaining time is 0 while it is unknown.
func TestProgressOfAStudy(t *testing.T) {
	results(t)
	o := options(t)
	var all []heardProgress
	o.Progress = func(fraction float64, left time.Duration, text string) {
		all = append(all, heardProgress{fraction, left, text})
	}
	run(t, toy(), o)
	latest := 0.0
	for _, h := range all {
		if h.fraction < latest-1e-9 || h.fraction > 1 || h.left < 0 {
			t.Errorf("after %g heard %+v", latest, h)
		}
		latest = h.fraction
		if strings.Contains(h.text, "Two") && h.left != 0 {
			t.Errorf("%v is left while nothing is known of the model Three: %+v", h.left, h)
		}
	}
	first, last := all[0], all[len(all)-1]
	if !strings.Contains(first.text, "Two") || !strings.Contains(first.text, "preparing") || first.fraction != 0 ||
		!strings.Contains(all[1].text, "compiling") || last.fraction != 1 {
		t.Errorf("heard first %+v and %+v, last %+v", first, all[1], last)
	}
}

// The remaining time counts later epochs, and estimates later runs from finished ones.
func TestTimeLeftWithoutCompiling(t *testing.T) {
	model := func(id string) Row { return Row{ID: id, Name: id} }
	result := func(id string, seed uint64) Result {
		return Result{Run: Run{Model: model(id), Seed: seed}, slot: slotOf(id, seed)}
	}
	var heard heardProgress
	advanced := 0
	w := &runner{known: map[string][]float64{}, underWay: map[string]Position{}, options: Options{
		Advanced: func() { advanced++ },
		Progress: func(fraction float64, left time.Duration, text string) { heard = heardProgress{fraction, left, text} }}}
	a0, a1, b0 := result("a", 0), result("a", 1), result("b", 0)
	untrained := result("mean", 0)
	untrained.Model.Untrained = true
	w.missing = Results{a0, a1, untrained}
	check := func(what string, fraction float64, left time.Duration) {
		t.Helper()
		if !(math.Abs(heard.fraction-fraction) <= 1e-9) || heard.left.Round(time.Millisecond) != left {
			t.Errorf("%s: heard %+v, want %g and %v", what, heard, fraction, left)
		}
	}
	w.trained = 1 // by another process
	w.report(a0, Position{Text: "compiling"})
	check("compiling", 1./3, 0)
	if advanced != 0 {
		t.Errorf("advanced %d times before an epoch has ended", advanced)
	}
	w.trained = 0
	w.epoch(a0, train.Progress{Epoch: 1, Epochs: 10, Elapsed: 8 * time.Second})
	check("the epoch that compiled", 0.05, 0)
	if advanced != 1 {
		t.Errorf("advanced %d times after an epoch", advanced)
	}
	w.epoch(a0, train.Progress{Epoch: 2, Epochs: 10, Elapsed: 9 * time.Second, Left: 8 * time.Second})
	check("the next epoch", 0.1, 18*time.Second) // 8 s plus a whole training of 10 s
	w.epoch(a0, train.Progress{Epoch: 10, Epochs: 10})
	w.learn(a0, &Record{Facts: &Facts{Training: &Training{TrainLoss: make([]float64, 10), SecondsPerEpoch: 0.5}}})
	w.finish(a0)
	w.report(a1, Position{Text: "training"})
	check("the second seed", 0.5, 5*time.Second)
	w.epoch(a1, train.Progress{Epoch: 1, Epochs: 100, Elapsed: time.Second, Left: 99 * time.Second})
	check("a second seed that may stop early", 0.505, 5*time.Second)
	other := result("a", 2)
	other.Keys = map[string]string{"fold": "other"}
	w.missing = append(w.missing, other)
	w.report(a1, Position{Text: "training"})
	check("other keys of the model", 1./3, 10*time.Second)
	w.missing = w.missing[:len(w.missing)-1]
	w.missing = append(w.missing, b0)
	w.report(a1, Position{Text: "training"})
	check("another model to come", 1./3, 0)
	w.missing = Results{untrained}
	w.trained = 0
	w.report(untrained, Position{Text: "preparing"})
	if !math.IsNaN(heard.fraction) {
		t.Errorf("nothing to train: heard %+v, want an unknown fraction", heard)
	}
}

// slotOf returns the slot of a run that is not stored.
func slotOf(id string, seed uint64) store.Slot {
	return must(store.In("nowhere", "toy", nil).Slot([]any{id, seed}, generation, "go"))
}
