package ode

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Run solves a problem. It is [Solver.Solve] with more options.
func (s *Solver) Run(ctx context.Context, p Problem) (*Solution, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	control, times, stops, err := s.check(p)
	if err != nil {
		return nil, err
	}
	run := &integration{solver: s, ctx: ctx, control: control, every: p.Save == EveryStep, continuous: p.Continuous,
		times: times, args: p.Args}
	run.capacity = s.loopCapacity(control, p, stops)
	if run.history, err = run.newHistory(p, stops); err != nil {
		return nil, err
	}
	if p.Interpolant {
		run.interpolant = &interpolant{}
	}
	defer run.scratch.Free()
	solution, err := run.solve(p.Z0, stops)
	if err != nil {
		if run.history != nil {
			run.history.free()
		}
		run.interpolant.free()
		xla.Free(run.z)
		return nil, errs.In("pengcde/ode", err)
	}
	return solution, solution.failure()
}

// check checks a problem and returns the save times and step-to times of each sample.
func (s *Solver) check(p Problem) (c control, times, stops [][]float64, err error) {
	if c = s.control; s.closed {
		return c, nil, nil, ErrClosed
	}
	if s.method == nil {
		return c, nil, nil, errs.New(ErrInput, "pengcde/ode: a zero Solver, want one of New")
	}
	if p.StepSize != nil {
		if c, err = s.controlOf(p.StepSize); err != nil {
			return c, nil, nil, err
		}
	}
	if err := checkState(p.Z0); err != nil {
		return c, nil, nil, err
	}
	if times, err = checkTimes(p); err != nil {
		return c, nil, nil, err
	}
	if stops, err = checkStops(p); err != nil {
		return c, nil, nil, err
	}
	return c, times, stops, s.checkArgs(p.Args)
}

// integration is the state of one forward solve.
type integration struct {
	solver  *Solver
	ctx     context.Context
	control control
	history history // for a pullback; nil for none
	every   bool    // save at every step
	// capacity is the number of tries in a loop on the device; 0 for none
	capacity int
	// continuous means that the field does not jump at step-to times
	continuous bool
	times      [][]float64 // save times; if every is set, the step ends so far
	args       []*tensors.Tensor
	scratch    xla.Buffers

	samples     []sample
	tolerances  []*tensors.Tensor // relative and absolute [batch]
	z, slope    *tensors.Tensor   // the state and slope at the start of the next step
	parts       *tensors.Tensor   // of the last loop, for the next one to fill again
	interpolant *interpolant      // nil if not requested
	saved       *saved
}

func (m *integration) solve(z0 *tensors.Tensor, stepTo [][]float64) (*Solution, error) {
	err := m.begin(z0, stepTo)
	if err != nil {
		return nil, err
	}
	if m.z, err = z0.OnDeviceClone(m.solver.backend.Compute, 0); err != nil {
		return nil, fmt.Errorf("initial state: %w", err)
	}
	defer func() {
		slope := m.slope
		m.slope = nil
		m.release(slope)
		xla.Free(m.parts)
	}()
	if err := m.first(); err != nil {
		return nil, err
	}
	for {
		if err := m.loops(); err != nil {
			return nil, err
		}
		if active, err := m.plan(); err != nil {
			return nil, err
		} else if !active {
			return m.finish(), nil
		}
		if err := m.try(); err != nil {
			return nil, err
		}
	}
}

// try tries a step of every active sample.
func (m *integration) try() error {
	at := m.spans()
	out, err := call(m.solver.step, m.args, at.t, at.end, at.to, m.z, m.slope, m.tolerances[0], m.tolerances[1])
	if err != nil {
		return err
	}
	defer func() { m.release(out...) }()
	next, norm, stages := out[0], out[1], out[2:]
	accepted, err := m.judge(tensors.MustCopyFlatData[float64](norm))
	if err != nil || !accepted.any {
		return err
	}
	parts := append([]*tensors.Tensor{m.z, m.slope}, stages...)
	if err := m.store(at, parts, accepted); err != nil {
		return err
	}
	next, last, err := m.merge(accepted, next, stages[len(stages)-1])
	if err != nil {
		return err
	}
	m.interpolant.add(at, accepted.by, parts)
	z, slope := m.z, m.slope
	m.z, m.slope = next, last
	m.release(slope)
	if m.history == nil {
		m.release(z)
	} else if err := m.history.add(z, m.samples, accepted.by); err != nil {
		return err
	}
	m.advance(accepted)
	m.slope, err = m.renewSlope()
	m.release(last)
	return err
}

// release frees the tensors that neither the next step nor the interpolant needs.
func (m *integration) release(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != m.z && t != m.slope && !m.interpolant.owns(t) {
			xla.Free(t)
		}
	}
}

// leastNormal is the smallest normal float32. Smaller tolerances count as 0 in states of float32 and shorter types.
const leastNormal = 0x1p-126

// begin sets the samples to their start.
func (m *integration) begin(z0 *tensors.Tensor, stepTo [][]float64) (err error) {
	m.samples = make([]sample, len(m.times))
	rtol, atol := make([]float64, len(m.times)), make([]float64, len(m.times))
	for b, row := range m.times {
		if m.samples[b], err = m.solver.sample(m.control, b, row, stepTo[b], m.continuous); err != nil {
			return err
		}
		rtol[b], atol[b] = 1, 1
		if m.samples[b].steps != nil {
			rtol[b], atol[b] = m.samples[b].steps.Tolerances()
		}
		if lost := z0.DType() != dtypes.Float64 && atol[b] < leastNormal; lost && atol[b] > 0 {
			return errs.New(ErrInput, "pengcde/ode: ATol %g is 0 for states of %s, so that the tolerance of a state at 0 is "+
				"0: want at least %g", atol[b], z0.DType(), leastNormal)
		}
	}
	if m.every {
		starts := make([][]float64, len(m.times))
		for b, row := range m.times {
			starts[b] = []float64{row[0]}
		}
		m.times = starts
	}
	if m.saved, err = newSaved(z0, len(m.times[0])); err != nil {
		return err
	}
	for b, row := range m.times {
		sm := &m.samples[b]
		for sm.next < len(row) && row[sm.next] == sm.t {
			m.saved.copyRow(b, sm.next, m.saved.start, b)
			sm.next++
		}
	}
	m.tolerances = m.scratch.Own(tensors.FromValue(rtol), tensors.FromValue(atol))
	return nil
}

// first evaluates the first stage and fits the first step for controls that ask for it. A sample whose field is not
// finite there fails.
func (m *integration) first() error {
	if !slices.ContainsFunc(m.samples, func(sm sample) bool { return sm.active() }) {
		return nil
	}
	at := m.spans()
	out, err := call(m.solver.first, m.args, at.t, at.from, m.z)
	if err != nil {
		return err
	}
	m.slope = out[0]
	size := m.slope.Size() / len(m.samples)
	entries, err := entriesOf(m.slope)
	for i, v := range entries {
		if sm := &m.samples[i/size]; sm.active() && !finite(v) {
			sm.fail(i/size, NotFinite, nil)
		}
	}
	for b := range m.samples {
		sm := &m.samples[b]
		if sm.t != sm.t1 {
			sm.stats.Evaluations++
		}
		if sm.failure != nil {
			sm.failure.Stats = sm.stats
		}
	}
	if err == nil {
		err = m.fitFirstSteps()
	}
	if err != nil {
		return errs.In("pengcde/ode: first step", err)
	}
	return nil
}

// plan sets the end of the next step of each sample, and ends the samples that were cancelled or cannot go on. It
// returns false if no sample goes on.
func (m *integration) plan() (bool, error) {
	cancelled := m.ctx.Err()
	goesOn := false
	for b := range m.samples {
		sm := &m.samples[b]
		sm.end = sm.t
		if !sm.active() {
			continue
		}
		if cancelled != nil {
			sm.fail(b, Cancelled, cancelled)
			continue
		}
		if limit := m.control.maxSteps; limit > 0 && sm.stats.Accepted+sm.stats.Rejected >= limit {
			sm.fail(b, StepLimit, nil)
			continue
		}
		end, err := sm.propose()
		switch {
		case err != nil:
			return false, fmt.Errorf("%w (sample %d)", err, b)
		case end != sm.t:
			sm.tryTo(end)
			goesOn = true
		case sm.notFinite:
			sm.fail(b, NotFinite, nil)
		default:
			sm.fail(b, StepTooSmall, nil)
		}
	}
	return goesOn, nil
}

// acceptance says which samples accepted a try. All is true if the new state of the whole batch may be taken: every
// sample accepted, or is done and keeps its state.
type acceptance struct {
	by       []bool
	any, all bool
}

func (m *integration) judge(norms []float64) (acceptance, error) {
	a := acceptance{by: make([]bool, len(m.samples)), all: true}
	for b := range m.samples {
		sm := &m.samples[b]
		var err error
		if sm.end != sm.t {
			if a.by[b], err = sm.judge(b, m.solver.method.stages()-1, norms[b]); err != nil {
				return a, fmt.Errorf("%w (sample %d)", err, b)
			}
			a.any = a.any || a.by[b]
			a.all = a.all && a.by[b]
		}
		a.all = a.all && sm.failure == nil
		if a.by[b] && m.every {
			m.times[b] = append(m.times[b], sm.end)
		}
	}
	return a, nil
}

// merge keeps the old state and slope of the samples that rejected the try.
func (m *integration) merge(a acceptance, next, last *tensors.Tensor) (z, slope *tensors.Tensor, err error) {
	if a.all {
		return next, last, nil
	}
	out, err := m.solver.together(rowsOf(a.by, next, m.z), rowsOf(a.by, last, m.slope))
	if err != nil {
		return nil, nil, err
	}
	return out[0], out[1], nil
}

func (m *integration) advance(a acceptance) {
	for b := range m.samples {
		if a.by[b] {
			m.samples[b].advance()
		} else {
			m.samples[b].offset = 0 // the slope already has the limit on the step's side
		}
	}
}

// spans returns the steps to try. A sample that tries none has t = end.
func (m *integration) spans() spans {
	at := newSpans(len(m.samples))
	for b, sm := range m.samples {
		at.t[b], at.end[b], at.from[b] = sm.t, sm.end, sm.offset
		if sm.end != sm.t {
			at.to[b] = -sm.endOffset
		}
	}
	return at
}

func (m *integration) finish() *Solution {
	sol := &Solution{Z: m.saved.tensor(), solver: m.solver, history: m.history, times: make([][]float64, len(m.times)),
		args: m.args, blank: m.saved, final: m.z, interpolant: m.interpolant}
	sol.shape = sol.Z.Shape()
	saves := sol.shape.Dimensions[1]
	for b, sm := range m.samples {
		sol.times[b] = slices.Clone(m.times[b])
		for len(sol.times[b]) < saves {
			sol.times[b] = append(sol.times[b], math.NaN())
		}
		sol.Stats = append(sol.Stats, sm.stats)
		sol.Failures = append(sol.Failures, sm.failure)
		sol.taken, sol.offsets = append(sol.taken, sm.taken), append(sol.offsets, sm.offsets)
		sol.reached = append(sol.reached, sm.next)
	}
	return sol
}
