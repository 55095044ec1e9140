package ode

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// StepSize chooses the sizes of steps, as [PID], [Constant] and [Given] do.
type StepSize interface {
	// Steps starts the solve of a sample, given by its index in the batch, from t0 to t1 (before t0 for a solve
	// backward in time, never equal). The order is the [Method].ErrorOrder: the error estimate falls as the step to
	// that power. It is 0 for a method that has no estimate, such as Euler, Midpoint and RK4.
	Steps(sample, order int, t0, t1 float64) (Steps, error)
}

// Steps decides where the steps of one sample end.
type Steps interface {
	// Next returns the end of the step to try from t, towards t1 and not past it; or t itself to say that the step
	// that is needed is too small.
	Next(t float64) float64
	// Judge takes the error norm of the tried step from t to end (an error of tolerance size is 1; NaN when the
	// step is not finite) and says whether the step is accepted. The end is nearer than Next said when a step-to time
	// cut the step.
	Judge(t, end, norm float64) bool
	// Tolerances returns the relative and absolute tolerance that norms are measured with.
	Tolerances() (rtol, atol float64)
}

// Constant takes N = ceil(|t1-t0|/Step) steps, where rounding of times does not count. The first ends at t0 ± Step,
// step k at t0 + (t1-t0)k/N, the last at t1: the step ends of diffrax 0.7.2, with which the published results agree to
// rounding. A step-to time splits a step in two.
type Constant struct{ Step float64 }

// check finds a step that no solve can take.
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
	return &given{ends: ends, near: resolution(t0, t1)}, nil
}

// Given takes the steps whose ends are listed; it replays a solve made elsewhere, one with step-to times given the
// same. A step-to time splits a step in two.
type Given struct {
	// Ends are the ends of the steps, from after t0 to t1 in the direction of the solve: one row for each sample of the
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
	return &given{ends: ends, near: resolution(t0, t1)}, nil
}

type given struct {
	ends []float64
	near float64
	next int
}

func (s *given) Next(float64) float64 { return s.ends[s.next] }

// Judge accepts any finite step: the error estimate is not used. A step that a step-to time has split goes on to its
// end, unless that is within rounding of the step-to time.
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
