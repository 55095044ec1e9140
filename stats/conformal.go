package stats

import (
	"math"
	"slices"
)

// Conformal finds the half-width of prediction intervals from the absolute errors of earlier forecasts. A quantile of
// these errors holds the next one with the probability Level if errors are exchangeable. Where their distribution
// drifts, Observe moves the quantile after each forecast, so that the share of intervals that hold still tends to
// Level.
//
// I. Gibbs, E. Candès, Adaptive conformal inference under distribution shift, NeurIPS 34 (2021).
type Conformal struct {
	// Level is the share of intervals to hold the value, between 0 and 1; at another Level half-widths are NaN.
	Level float64
	// Rate is the step of Observe; 0 means 0.05.
	Rate float64

	moved float64 // added to Level
}

// HalfWidth returns the half-width from the absolute errors of earlier forecasts: the smallest error that as large a
// share of them as wanted does not exceed, counting the next one as larger than all. It returns the largest error if
// they are too few for the share, and NaN if there are none. Errors that are NaN are missing and left out.
func (c *Conformal) HalfWidth(errors []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(errors), math.IsNaN)
	slices.Sort(sorted)
	if len(sorted) == 0 || !(c.Level > 0 && c.Level < 1) {
		return math.NaN()
	}
	share := min(max(c.Level+c.moved, 0), 1)
	rank := int(math.Ceil(share*float64(len(sorted)+1) - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Observe tells the share of the intervals at one time that held their value, from 0 to 1. It ignores NaN.
func (c *Conformal) Observe(held float64) {
	if math.IsNaN(held) {
		return
	}
	rate := c.Rate
	if rate == 0 {
		rate = 0.05
	}
	c.moved = min(max(c.moved+rate*(c.Level-held), -c.Level), 1-c.Level)
}
