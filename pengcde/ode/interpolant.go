package ode

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// interpolant stores the tries that at least one sample accepted, with their stages. A nil interpolant stores nothing.
type interpolant struct {
	tries []interpolated
	held  map[*tensors.Tensor]bool
}

// interpolated is one try. parts are z and k_1 .. k_s of the whole batch; by marks the samples that accepted the try.
type interpolated struct {
	at    spans
	by    []bool
	parts []*tensors.Tensor
}

// add takes ownership of the parts of a try.
func (d *interpolant) add(at spans, by []bool, parts []*tensors.Tensor) {
	if d == nil {
		return
	}
	d.tries = append(d.tries, interpolated{at, by, parts})
	if d.held == nil {
		d.held = map[*tensors.Tensor]bool{}
	}
	for _, part := range parts {
		d.held[part] = true
	}
}

// owns reports whether the interpolant holds a tensor.
func (d *interpolant) owns(t *tensors.Tensor) bool { return d != nil && d.held[t] }

func (d *interpolant) free() {
	if d == nil {
		return
	}
	for t := range d.held {
		xla.Free(t)
	}
	d.held, d.tries = nil, nil
}

// ErrNoInterpolant is returned by [Solution.At] if the solution kept no stages or was closed.
var ErrNoInterpolant = errors.New("pengcde/ode: the solution kept no stages: use Solver.Run with " +
	"Problem.Interpolant, and Close only after")

// At returns the states at any times within the solve, [batch, times, ...], by the continuous extension of the method.
// The caller owns the result. Rows of times have equal length, one row per sample or one for all, in any order. At
// needs [Problem.Interpolant].
func (s *Solution) At(ctx context.Context, times [][]float64) (*tensors.Tensor, error) {
	const what = "time"
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if s.interpolant == nil {
		return nil, ErrNoInterpolant
	}
	if s.solver.closed {
		return nil, ErrClosed
	}
	times, err := sameLength(what, times, len(s.times))
	if err != nil {
		return nil, err
	}
	open := make([][]int, len(times)) // indices of the times not found yet
	z := s.blank.like(len(times[0]))
	for b, row := range times {
		steps := s.StepTimes(b)
		t0, end := steps[0], steps[len(steps)-1]
		for i, t := range row {
			switch {
			case (t-t0)*(end-t) < 0 || t0 == end && t != t0:
				return nil, &InputError{What: what, Sample: b, Entry: i, Value: t,
					Want: fmt.Sprintf("one from t0 = %g to %g, where the solve ended", t0, end)}
			case t == t0:
				z.copyRow(b, i, z.start, b)
			default:
				open[b] = append(open[b], i)
			}
		}
	}
	for _, try := range s.interpolant.tries {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("pengcde/ode: cancelled: %w", err)
		}
		inside := make([][]int, len(times)) // indices of the times inside the try's steps
		for b, row := range times {
			if !try.by[b] {
				continue
			}
			open[b] = slices.DeleteFunc(open[b], func(i int) bool {
				found := within(row[i], try.at.t[b], try.at.end[b])
				if found {
					inside[b] = append(inside[b], i)
				}
				return found
			})
		}
		if err := s.solver.saveInside(z, try.at, try.parts, times, inside); err != nil {
			return nil, errs.In("pengcde/ode: interpolant", err)
		}
	}
	return z.tensor(), nil
}
