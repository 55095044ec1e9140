package ode

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
	"github.com/peng-cde/pengcde-go/xla"
)

// Loop says what drives the steps of a solve.
//
// On the device, one call of a program takes up to 32 steps, with the control of [PID] or the ends of [Constant] and
// [Given], and one call of another takes 32 rounds of a pullback. Go waits for a call, not for a step, and no step
// allocates memory. Results are the same as with the host up to rounding. From its first call to its end a solve holds
// the stages of all tries of a call on the device, at most 4 MiB for each sample, so that large states have fewer tries
// in a call. A cancelled context ends a solve between calls.
//
// The host drives solves with Memory, Interpolant, EveryStep, another [StepSize], a field that jumps at step-to times,
// or a state of which four tries would take more. It also decides what becomes of a sample whose step is too short.
type Loop string

const (
	// LoopAuto is LoopDevice on backends that can repeat programs ([xla.Backend.Loops]), and LoopHost elsewhere.
	LoopAuto Loop = ""
	// LoopDevice has the device drive the steps. A backend that cannot repeat programs is slower with it.
	LoopDevice Loop = "device"
	// LoopHost has the host drive the steps.
	LoopHost Loop = "host"
)

// Check returns an error that wraps [ErrInput] for an unknown value.
func (l Loop) Check() error {
	if all := []Loop{LoopDevice, LoopHost}; l != LoopAuto && !slices.Contains(all, l) {
		return errs.New(ErrInput, "pengcde/ode: loop %q, want one of %q", l, all)
	}
	return nil
}

// onDevice reports whether the device drives the steps on a backend.
func (l Loop) onDevice(backend *xla.Backend) bool {
	return l == LoopDevice || l == LoopAuto && backend.Loops()
}

// loopLength is the number of tries of a loop for small states, and of rounds of a pullback.
const loopLength = 32

// loopCapacity returns the number of tries in a loop for a problem, or 0 if the host drives it. It does not depend on
// the size of the batch, so that a batch and its parts on several cores have the same.
func (s *Solver) loopCapacity(c control, p Problem, stops [][]float64) int {
	if !s.onDevice || !loopControls(c.StepSize) || p.Memory != (Memory{}) || p.Interpolant || p.Save != AtTimes ||
		!p.Continuous && most(stops) > 0 {
		return 0
	}
	const least, bound = 4, 4 << 20 // of a sample's stages
	try := int64(1+s.method.stages()) * stateBytes(p.Z0) / int64(p.Z0.Shape().Dimensions[0])
	capacity := loopLength
	for capacity >= least && int64(capacity)*try > bound {
		capacity /= 2
	}
	if capacity < least {
		return 0
	}
	return capacity
}

// loopControls reports whether a loop knows a control.
func loopControls(steps StepSize) bool {
	switch steps.(type) {
	case PID, *PID, Constant, *Constant, Given, *Given:
		return true
	}
	return false
}

// loops takes steps in loops on the device, until all samples are done or the host must take a step.
func (m *integration) loops() error {
	for m.capacity > 0 && m.ctx.Err() == nil {
		left := m.capacity
		active := false
		for b := range m.samples {
			if sm := &m.samples[b]; sm.active() {
				active = true
				if limit := m.control.maxSteps; limit > 0 {
					left = min(left, limit-sm.stats.Accepted-sm.stats.Rejected)
				}
			}
		}
		if !active || left <= 0 {
			return nil
		}
		if more, err := m.runLoop(left); err != nil || !more {
			return err
		}
	}
	return nil
}

// runLoop runs a loop of at most the given number of tries, and reports whether more may follow.
func (m *integration) runLoop(left int) (more bool, err error) {
	s := m.solver
	starts, settings := make([][]*float64, len(m.samples)), make([][]*float64, len(m.samples))
	ahead := make([][]float64, len(m.samples))
	for b := range m.samples {
		start, fixed, ends, err := m.samples[b].forLoop(m.capacity)
		if err != nil {
			return false, err
		}
		starts[b], settings[b], ahead[b] = start.rows(), fixed.rows(), ends
	}
	log := make([]float64, (1+m.capacity)*len(starts[0])*len(starts))
	for i, row := range packed(starts) {
		copy(log[i*len(starts):], row)
	}
	if m.parts == nil {
		blank, err := s.loopBlank.Call(m.z, make([]bool, m.capacity))
		if err != nil {
			return false, err
		}
		m.parts = blank[0]
	}
	z, slope, parts := m.z, m.slope, m.parts
	m.z, m.slope, m.parts = nil, nil, nil // the loop takes them
	out, err := call(s.loop, m.args, true, int32(0),
		xla.Donate(tensors.FromFlatDataAndDimensions(log, 1+m.capacity, len(starts[0]), len(starts))), xla.Donate(z),
		xla.Donate(slope), xla.Donate(parts), int32(left), packed(settings), ahead)
	if err != nil {
		return false, err
	}
	m.z, m.slope, m.parts = out[3], out[4], out[5]
	defer xla.Free(out[0], out[1], out[2])
	count := int(tensors.ToScalar[int32](out[1]))
	accepted, saves, stopped := m.follow(count, tensors.MustCopyFlatData[float64](out[2]))
	err = s.saveEach(m.saved, saves, func(tries []int32, rows int, weights any) ([]*tensors.Tensor, error) {
		indices := tensors.FromFlatDataAndDimensions(tries, len(saves), rows)
		return s.loopSave.Call(xla.Donate(indices), weights, m.parts)
	})
	if err != nil {
		return false, err
	}
	if m.history != nil {
		kept := 4
		for kept < count {
			kept *= 2
		}
		states, err := s.loopStates.Call(m.parts, make([]bool, kept))
		if err != nil {
			return false, err
		}
		m.history.(*loopHistory).extend(states[0], accepted)
	}
	return count == left && !stopped, nil
}

// follow brings the samples to the end of a loop's tries. It returns the tries that each accepted, its saves, and
// whether a sample stopped.
func (m *integration) follow(count int, log []float64) (accepted [][]int32, saves [][]save, stopped bool) {
	s, batch := m.solver, len(m.samples)
	accepted, saves = make([][]int32, batch), make([][]save, batch)
	for b := range m.samples {
		sm, times := &m.samples[b], m.times[b]
		var try loopTry[float64]
		for i := range count {
			read(log[(1+i)*len(try.rows())*batch:], try.rows(), b, batch)
			if try.end == sm.t {
				continue
			}
			sm.tryTo(sm.stops.cut(sm.t, try.end, 0))
			if steps, ok := sm.steps.(*given); ok {
				steps.Judge(sm.t, try.end, try.norm)
			}
			sm.count(s.method.stages()-1, try.norm, try.accepted == 1)
			if sm.rejected {
				continue
			}
			accepted[b] = append(accepted[b], int32(i))
			for _, index := range sm.saves(times) {
				saves[b] = append(saves[b], save{index, int32(i), s.method.inside(sm.t, sm.end, times[index])})
			}
			sm.advance()
		}
		stopped = stopped || try.stopped == 1
		if steps, ok := sm.steps.(*rk.Adaptive); ok {
			steps.Resume(rk.State{H: try.next, Before: [2]float64{try.before, try.before2}, Accepted: try.accepted == 1})
		}
	}
	return accepted, saves, stopped
}

// read sets the rows of sample b from flat [rows, batch].
func read(flat []float64, rows []*float64, b, batch int) {
	for i, row := range rows {
		*row = flat[i*batch+b]
	}
}

// forLoop returns what a loop needs to know of a sample, and the next times at which its steps must end: one for each
// try of the loop, filled up with the last time.
func (sm *sample) forLoop(tries int) (start loopTry[float64], set loopSettings[float64], ends []float64, err error) {
	start.t = sm.t
	set.end, set.toward, set.rtol, set.atol = sm.t1, direction(sm.t, sm.t1), 1, 1
	steps, adaptive := sm.steps.(*rk.Adaptive)
	switch {
	case !sm.active():
	case adaptive:
		at, powers := steps.State(), steps.Powers()
		start.next, start.before, start.before2 = at.H, at.Before[0], at.Before[1]
		if at.Accepted {
			start.accepted = 1
		}
		set.active, set.near, set.slack = 1, sm.near, 100*rk.ULP(sm.t1)
		set.rtol, set.atol = steps.Tolerances()
		set.safety, set.shrink, set.grow, set.min, set.max = steps.Safety, steps.Shrink, steps.Grow, steps.Min, steps.Max
		set.p, set.p2, set.p3 = powers[0], powers[1], powers[2]
		ends = sm.stops.times(sm.t)
	default: // known ends: every next step would be longer, and is cut at the next end
		start.next, start.accepted = math.Inf(1), 1
		set.active, set.always, set.max = 1, 1, math.Inf(1)
		ends, _, err = sm.knownSteps(tries)
	}
	ends = slices.Clone(ends[:min(len(ends), tries)])
	for len(ends) < tries {
		ends = append(ends, sm.t1)
	}
	return start, set, ends, err
}
