package ode

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// StepSize chooses step sizes. [PID], [Constant] and [Given] implement it.
type StepSize interface {
	// Steps starts the solve of a sample, given by its index in the batch, from t0 to t1 (t1 < t0 for a solve backward
	// in time, never equal). order is the [Method].ErrorOrder: the error estimate falls as the step to this power. It
	// is 0 for a method without an estimate: Euler, Midpoint and RK4.
	Steps(sample, order int, t0, t1 float64) (Steps, error)
}

// Steps chooses the end of each step of one sample.
type Steps interface {
	// Next returns the end of the next try from t, towards t1 and not past it. It returns t if the step would be too
	// small.
	Next(t float64) float64
	// Judge receives the error norm of the try from t to end and reports whether the step is accepted. The norm is 1
	// for an error equal to the tolerance, and NaN if the step is not finite. If a step-to time cut the step, end is
	// nearer than the end that Next returned.
	Judge(t, end, norm float64) bool
	// Tolerances returns the relative and absolute tolerance of the error norm.
	Tolerances() (rtol, atol float64)
}

// Constant takes N = ceil(|t1-t0|/Step) steps, up to rounding of times. The first ends at t0 ± Step, step k at t0 +
// (t1-t0)k/N, the last at t1. These are the step ends of diffrax 0.7.2, so the published results agree to rounding. A
// step-to time splits a step in two.
type Constant struct{ Step float64 }

// check returns an error for an invalid step.
func (c Constant) check() error {
	if err := rk.Check(c.Step); err != nil {
		return errs.New(ErrInput, "pengcde/ode: %w", err)
	}
	return nil
}

// Steps implements [StepSize].
func (c Constant) Steps(_, _ int, t0, t1 float64) (Steps, error) {
	ends, err := rk.Ends(c.Step, t0, t1)
	if err != nil {
		return nil, errs.New(ErrInput, "pengcde/ode: %w", err)
	}
	return newGiven(t0, ends), nil
}

// Given takes steps with the given ends, for example to replay a solve made elsewhere with the same step-to times. A
// step-to time splits a step in two.
type Given struct {
	// Ends holds the ends of the steps, from after t0 to t1 in the direction of the solve: one row per sample of the
	// batch, or a single row for all.
	Ends [][]float64
}

// Steps implements [StepSize].
func (c Given) Steps(sample, _ int, t0, t1 float64) (Steps, error) {
	row := sample
	if len(c.Ends) == 1 {
		row = 0
	}
	if row >= len(c.Ends) || len(c.Ends[row]) == 0 {
		return nil, errs.New(ErrInput, "pengcde/ode: no given steps for sample %d, want a row for each sample or one for "+
			"all", sample)
	}
	ends, last := c.Ends[row], t0
	for i, end := range ends {
		if !(direction(t0, t1)*(end-last) > 0) || !finite(end) {
			return nil, &InputError{What: "end of given step", Sample: sample, Entry: i, Value: end,
				Want: fmt.Sprintf("one that follows %g on the way from %g to %g", last, t0, t1)}
		}
		last = end
	}
	if last != t1 {
		return nil, &InputError{What: "end of given step", Sample: sample, Entry: len(ends) - 1, Value: last,
			Want: fmt.Sprintf("the last save time %g", t1)}
	}
	return newGiven(t0, ends), nil
}

type given struct {
	ends []float64
	near float64 // of [sample]
	next int
}

// newGiven returns steps from t0 to the last end. A step-to time counts as an end within a quarter of the shortest step
// at most, so that none of the steps is lost.
func newGiven(t0 float64, ends []float64) *given {
	near, last := nearby(nil, t0, ends[len(ends)-1]), t0
	for _, end := range ends {
		near, last = math.Min(near, math.Abs(end-last)/4), end
	}
	return &given{ends: ends, near: near}
}

func (s *given) Next(float64) float64 { return s.ends[s.next] }

// Judge accepts any finite step: the error estimate is not used. A step split by a step-to time continues to its end,
// unless the end is within rounding of the step-to time.
func (s *given) Judge(t, end, norm float64) bool {
	if math.IsNaN(norm) {
		return false
	}
	toward, last := direction(t, end), len(s.ends)-1
	if s.ends[s.next] == end {
		s.next++
		return true
	}
	for s.next < last && toward*(s.ends[s.next]-end) <= s.near {
		s.next++
	}
	return true
}

// Tolerances are loose enough that the unused norm does not overflow.
func (s *given) Tolerances() (float64, float64) { return 1, 1 }

// Finer returns a step size refined a number of times. Each time divides the tolerances of adaptive steps by 10, or
// halves a constant step; other step sizes stay as they are. nil means PID{}.
func Finer(s StepSize, times int) StepSize {
	if s == nil {
		s = PID{}
	}
	switch s := s.(type) {
	case *Constant:
		return Finer(*s, times)
	case *PID:
		return Finer(*s, times)
	case Constant:
		return Constant{Step: s.Step / math.Pow(2, float64(times))}
	case PID:
		if resolved, err := s.Resolved(); err == nil {
			by := math.Pow(10, float64(times))
			s.RTol, s.ATol = resolved.RTol/by, resolved.ATol/by
		}
		return s
	}
	return s
}
