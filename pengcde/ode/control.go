package ode

import (
	"fmt"
	"math"
)

// Control makes the step size control of one sample.
type Control interface {
	// Steps starts the solve of a sample, given by its index in the batch, from t0 to t1 > t0 by a method of the
	// given order.
	Steps(sample, order int, t0, t1 float64) (Steps, error)
}

// Steps decides where the steps of one sample end.
type Steps interface {
	// Next returns the end of the step to try from t, at most t1.
	Next(t float64) float64
	// Judge takes the error norm of the tried step from t to end (an error of tolerance size is 1; NaN when the
	// step is not finite) and says whether the step is accepted.
	Judge(t, end, norm float64) bool
	// Tolerances returns the relative and absolute tolerance that norms are measured with.
	Tolerances() (rtol, atol float64)
}

// Constant takes N = ceil((t1-t0)/Step) steps, where rounding of times does not count. The first ends at t0+Step, step k at
// t0 + (t1-t0)k/N, the last at t1: the step ends of diffrax 0.7.2, with which the published results agree to rounding.
type Constant struct{ Step float64 }

// maxConstant is the most steps that Constant takes.
const maxConstant = 10_000_000

// Steps implements [Control].
func (c Constant) Steps(_, _ int, t0, t1 float64) (Steps, error) {
	if !(c.Step > 0) || math.IsInf(c.Step, 1) {
		return nil, fmt.Errorf("pengcde/ode: constant step %g, want a positive number", c.Step)
	}
	ratio := (t1 - t0) / c.Step
	if !(ratio <= maxConstant) {
		return nil, fmt.Errorf("pengcde/ode: constant step %g from %g to %g takes %g steps, want at most %d: try a larger step", c.Step, t0, t1, ratio, maxConstant)
	}
	n := int(math.Max(1, math.Ceil(ratio*(1-1e-9))))
	ends := make([]float64, n)
	for k := range ends {
		ends[k] = t0 + (t1-t0)*(float64(k+1)/float64(n))
	}
	ends[0] = math.Min(t0+c.Step, t1)
	ends[n-1] = t1
	return &given{ends: ends}, nil
}

// Given takes the steps whose ends are listed; it replays a solve made elsewhere.
type Given struct {
	// Ends are the ends of the steps, increasing from after t0 to t1: one row for each sample of the batch, or a
	// single row for all.
	Ends [][]float64
}

// Steps implements [Control].
func (c Given) Steps(sample, _ int, t0, t1 float64) (Steps, error) {
	if len(c.Ends) == 1 {
		sample = 0
	}
	if sample >= len(c.Ends) || len(c.Ends[sample]) == 0 {
		return nil, fmt.Errorf("pengcde/ode: no given steps for sample %d, want a row for each sample or one for all", sample)
	}
	ends, last := c.Ends[sample], t0
	for i, end := range ends {
		if !(end > last) {
			return nil, fmt.Errorf("pengcde/ode: given step %d of sample %d ends at %g, want after %g", i, sample, end, last)
		}
		last = end
	}
	if last != t1 {
		return nil, fmt.Errorf("pengcde/ode: given steps of sample %d end at %g, want the last save time %g", sample, last, t1)
	}
	return &given{ends: ends}, nil
}

type given struct {
	ends []float64
	next int
}

func (s *given) Next(float64) float64 { return s.ends[s.next] }

// Judge accepts any finite step: the error estimate is not used.
func (s *given) Judge(_, _, norm float64) bool {
	if math.IsNaN(norm) {
		return false
	}
	s.next++
	return true
}

// Tolerances are loose enough that the unused norm does not overflow.
func (s *given) Tolerances() (float64, float64) { return 1, 1 }
