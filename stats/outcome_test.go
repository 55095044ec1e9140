package stats_test

import (
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

// The interval and the p value of one rival lead to the same outcome.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		mean, half, p float64
		want          stats.Outcome
	}{
		{-1, 0.5, 0.001, stats.Better},
		{1, 0.5, stats.Level, stats.Worse},
		{-1, 1.1, 0.051, stats.NotShown},
		{0, 0, 1, stats.NotShown},
	} {
		d := stats.Difference{Mean: c.mean, HalfWidth: c.half, P: c.p, Corrected: c.p}
		if d.Outcome() != c.want || stats.OutcomeOf(c.mean, c.half) != c.want {
			t.Errorf("%+v: %q, by the interval %q, want %q", d, d.Outcome(), stats.OutcomeOf(c.mean, c.half), c.want)
		}
	}
	for _, half := range []float64{math.Inf(1), math.NaN()} {
		if got := stats.OutcomeOf(-1, half); got != stats.NotTested {
			t.Errorf("half-width %g: %q", half, got)
		}
	}
}
