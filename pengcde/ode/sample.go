package ode

import (
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// sample is the state of one sample of the batch.
type sample struct {
	t, end float64 // the state's time, and the end of the step being tried (t when none is)
	t1     float64
	near   float64 // a step that would end closer than this to a stop ends there
	steps  Steps
	stops  stops
	taken  []float64 // ends of the accepted steps
	next   int       // save times before this index are done

	// An offset is a small displacement past a time where the field jumps, signed by the direction; else 0. A step that
	// starts at the time takes the limit from that side, and a step that ends there the limit from the other side.
	offset, endOffset float64   // at t and at end
	offsets           []float64 // at t0 and at the ends of the accepted steps

	stats               Stats
	failure             *Failure
	tried               float64 // length of the last try
	rejected, notFinite bool    // of the last try
}

// sample returns sample b at its start.
func (s *Solver) sample(c control, b int, times, stepTo []float64, continuous bool) (sample, error) {
	t0, t1 := times[0], times[len(times)-1]
	sm := sample{t: t0, end: t0, t1: t1}
	if t1 == t0 {
		sm.offsets = []float64{0}
		return sm, nil
	}
	var err error
	sm.steps, err = c.Steps(b, s.method.ErrorOrder, t0, t1)
	sm.near = nearby(sm.steps, t0, t1)
	sm.stops = newStops(stepTo, t0, t1)
	sm.stops.continuous = continuous
	sm.offset = sm.stops.offset(sm.stops.start, direction(t0, t1))
	sm.offsets = []float64{sm.offset}
	return sm, err
}

// knownSteps returns the step ends of each sample and the offsets at t0 and at the ends, if the step sizes are known in
// advance.
func (s *Solver) knownSteps(c control, times, stepTo [][]float64, continuous bool) (ends, offsets [][]float64,
	known bool, err error) {
	for b, row := range times {
		sm, err := s.sample(c, b, row, stepTo[b], continuous)
		if err != nil {
			return nil, nil, false, err
		}
		if _, known := sm.steps.(*given); sm.active() && !known {
			return nil, nil, false, nil
		}
		taken, at, err := sm.knownSteps(c.maxSteps)
		if err != nil {
			return nil, nil, false, err
		}
		ends, offsets = append(ends, taken), append(offsets, at)
	}
	return ends, offsets, true, nil
}

// knownSteps returns the ends of the next steps of a sample whose step sizes are known, and the offsets at its time and
// at the ends: at most the given number of steps, or all if it is 0. The sample itself does not move.
func (sm sample) knownSteps(limit int) (ends, offsets []float64, err error) {
	sm.taken, sm.offsets = nil, []float64{sm.offset}
	if steps, ok := sm.steps.(*given); ok {
		own := *steps
		sm.steps = &own
	}
	for sm.active() && (limit == 0 || len(sm.taken) < limit) {
		end, err := sm.propose()
		if err != nil {
			return nil, nil, err
		}
		if end == sm.t {
			break
		}
		sm.tryTo(end)
		if _, err = sm.judge(0, 0, 0); err != nil {
			return nil, nil, err
		}
		sm.advance()
	}
	return sm.taken, sm.offsets, nil
}

// tryTo sets the end of the next try.
func (sm *sample) tryTo(end float64) {
	sm.end, sm.endOffset = end, 0
	if next := sm.stops.ahead[0]; end == next.t {
		sm.endOffset = sm.stops.offset(next, direction(sm.t, sm.t1))
	}
}

// advance moves to the end of the accepted step.
func (sm *sample) advance() { sm.t, sm.offset = sm.end, sm.endOffset }

// slopes counts the slope evaluations at starts of steps: the first, and one at each jump except at the last time.
func slopes(offsets []float64) int {
	n := 1
	for _, offset := range offsets[1:max(1, len(offsets)-1)] {
		if offset != 0 {
			n++
		}
	}
	return n
}

// atJump reports whether the sample is at a jump, where its next step starts with another slope.
func (sm *sample) atJump() bool { return sm.offset != 0 && sm.active() }

// active reports whether the sample goes on.
func (sm *sample) active() bool { return sm.t != sm.t1 && sm.failure == nil }

// propose returns the end of the next step.
func (sm *sample) propose() (float64, error) {
	end := sm.steps.Next(sm.t)
	if math.IsNaN(end) || direction(sm.t, sm.t1)*(end-sm.t) < 0 {
		return 0, errs.New(ErrInput, "pengcde/ode: the step size proposed a step from %g to %g, want one towards %g", sm.t,
			end, sm.t1)
	}
	near := sm.near
	if sm.rejected {
		near = 0 // does not try the same step again
	}
	return sm.stops.cut(sm.t, end, near), nil
}

// fail stops the sample with a failure.
func (sm *sample) fail(index int, code Code, cause error) {
	sm.failure = &Failure{Code: code, Sample: index, T: sm.t, Step: sm.tried, Stats: sm.stats, Cause: cause}
	if steps, ok := sm.steps.(*rk.Adaptive); ok {
		sm.failure.atMax = steps.AtMax()
	}
	sm.end = sm.t
}

// judge passes the error norm of the try to the control and reports whether the sample accepts the step.
func (sm *sample) judge(index, evaluations int, norm float64) (bool, error) {
	sm.count(evaluations, norm, sm.steps.Judge(sm.t, sm.end, norm))
	if sm.rejected && sm.notFinite {
		again, err := sm.propose()
		if err != nil {
			return false, err
		}
		if again == sm.end {
			sm.fail(index, NotFinite, nil)
		}
	}
	return !sm.rejected, nil
}

// count records a try.
func (sm *sample) count(evaluations int, norm float64, accepted bool) {
	sm.stats.Evaluations += evaluations
	sm.tried = math.Abs(sm.end - sm.t)
	sm.notFinite, sm.rejected = math.IsNaN(norm), !accepted
	if !accepted {
		sm.stats.Rejected++
		return
	}
	sm.stats.Accepted++
	sm.taken, sm.offsets = append(sm.taken, sm.end), append(sm.offsets, sm.endOffset)
}
