package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

// Of 9 errors the fifth holds the tenth with probability 1/2, and the largest with 9/10.
func TestConformalHalfWidth(t *testing.T) {
	errors := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5}
	for level, want := range map[float64]float64{0.1: 1, 0.5: 5, 0.8: 8, 0.9: 9, 0.95: 9} {
		c := stats.Conformal{Level: level}
		if got := c.HalfWidth(errors); got != want {
			t.Errorf("level %g: %g, want %g", level, got, want)
		}
	}
	if got := (&stats.Conformal{Level: 0.8}).HalfWidth(nil); !math.IsNaN(got) {
		t.Errorf("without errors: %g", got)
	}
}

// Missing values have no effect, and a Level that no share can have gives no half-width.
func TestConformalMissing(t *testing.T) {
	c := stats.Conformal{Level: 0.5}
	c.Observe(math.NaN())
	if got := c.HalfWidth([]float64{math.NaN(), 1, 2, 3, math.NaN()}); got != 2 {
		t.Errorf("with missing errors: %g, want 2", got)
	}
	for _, level := range []float64{0, 1, -0.5, 95, math.NaN()} {
		if got := (&stats.Conformal{Level: level}).HalfWidth([]float64{1, 2}); !math.IsNaN(got) {
			t.Errorf("level %g: %g, want NaN", level, got)
		}
	}
}

// coverage is the share of forecasts whose error is within the half-width from the errors before it.
func coverage(c stats.Conformal, errors []float64) float64 {
	const first = 20
	held := 0.0
	for i := first; i < len(errors); i++ {
		hit := 0.0
		if errors[i] <= c.HalfWidth(errors[:i]) {
			hit = 1
		}
		c.Observe(hit)
		held += hit / float64(len(errors)-first)
	}
	return held
}

// Intervals hold as often as wanted, also where errors grow; without the move they then fail.
func TestConformalCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	level, growing := make([]float64, 2000), make([]float64, 2000)
	for i := range level {
		level[i] = math.Abs(random.NormFloat64())
		growing[i] = level[i] * (1 + float64(i)/1000)
	}
	for _, want := range []float64{0.8, 0.95} {
		for name, errors := range map[string][]float64{"level": level, "growing": growing} {
			if got := coverage(stats.Conformal{Level: want}, errors); !(math.Abs(got-want) <= 0.02) {
				t.Errorf("%s: intervals of %g hold %.3f of the time", name, want, got)
			}
		}
		if got := coverage(stats.Conformal{Level: want, Rate: 1e-9}, growing); got > want-0.04 {
			t.Errorf("intervals of %g that do not adapt hold %.3f of the time where errors grow", want, got)
		}
	}
}
