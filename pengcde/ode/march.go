package ode

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Run solves a problem: [Solver.Solve] with more options.
func (s *Solver) Run(ctx context.Context, p Problem) (*Solution, error) {
	times, stops, err := s.check(p)
	if err != nil {
		return nil, err
	}
	run := &march{solver: s, ctx: ctx, every: p.Save == EveryStep, continuous: p.Continuous, times: times, args: p.Args}
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
		xla.Free(run.final)
		return nil, err
	}
	solution.final, solution.interpolant = run.final, run.interpolant
	return solution, solution.failure()
}

// check checks a problem, and gives each sample its save times and step-to times.
func (s *Solver) check(p Problem) (times, stops [][]float64, err error) {
	if s.closed {
		return nil, nil, ErrClosed
	}
	if err := checkState(p.Z0); err != nil {
		return nil, nil, err
	}
	if times, err = checkTimes(p); err != nil {
		return nil, nil, err
	}
	if stops, err = checkStops(p); err != nil {
		return nil, nil, err
	}
	return times, stops, s.checkArgs(p.Args)
}

// march is one forward solve.
type march struct {
	solver  *Solver
	ctx     context.Context
	history history // for a pullback; nil for none
	every   bool    // save every step
	// continuous says that the field does not jump at step-to times
	continuous bool
	times      [][]float64 // save times; with every, those so far
	args       []*tensors.Tensor
	scratch    xla.Buffers

	samples     []sample
	final       *tensors.Tensor
	interpolant *interpolant // nil unless wanted
	saved       *saved
}

func (m *march) solve(z0 *tensors.Tensor, stepTo [][]float64) (*Solution, error) {
	tolerances, err := m.begin(z0, stepTo)
	if err != nil {
		return nil, err
	}
	s := m.solver
	z, err := z0.OnDeviceClone(s.backend.Compute, 0)
	if err != nil {
		return nil, fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	var slope *tensors.Tensor
	defer func() {
		m.final = z
		if !m.interpolant.owns(slope) {
			xla.Free(slope)
		}
	}()
	if slope, err = m.first(z, tolerances); err != nil {
		return nil, err
	}
	for {
		if active, err := m.plan(); err != nil {
			return nil, err
		} else if !active {
			break
		}
		out, err := call(s.step, m.args, m.now(), m.ends(), m.sidesOfEnds(), z, slope, tolerances[0], tolerances[1])
		if err != nil {
			return nil, errs.In("pengcde/ode", err)
		}
		next, norm, stages := out[0], out[1], out[2:]
		accepted, err := m.judge(tensors.MustCopyFlatData[float64](norm))
		if err == nil && accepted.any {
			err = m.store(z, slope, stages, accepted)
		}
		if err != nil {
			xla.Free(out...)
			return nil, err
		}
		last := stages[len(stages)-1]
		if accepted.any {
			if next, last, err = m.merge(accepted, z, next, slope, last); err != nil {
				xla.Free(out...)
				return nil, err
			}
			m.interpolant.add(m.samples, accepted.by, append([]*tensors.Tensor{z, slope}, stages...))
			old := z
			if m.interpolant == nil {
				xla.Free(slope)
			}
			z, slope = next, last
			if m.history != nil {
				err = m.history.add(old, m.samples, accepted.by)
			} else if m.interpolant == nil {
				xla.Free(old)
			}
			m.advance(accepted)
			if err == nil {
				before := slope
				slope, err = m.renewSlope(z, before, tolerances)
				if slope != before && !slices.Contains(out, before) && !m.interpolant.owns(before) {
					xla.Free(before)
				}
			}
		}
		for _, t := range out {
			if t != z && t != slope && !m.interpolant.owns(t) {
				xla.Free(t)
			}
		}
		if err != nil {
			return nil, errs.In("pengcde/ode", err)
		}
	}
	return m.finish(), nil
}

// begin sets the samples at their start, and returns their tolerances.
func (m *march) begin(z0 *tensors.Tensor, stepTo [][]float64) ([]*tensors.Tensor, error) {
	s := m.solver
	m.samples = make([]sample, len(m.times))
	rtol, atol := make([]float64, len(m.times)), make([]float64, len(m.times))
	for b, row := range m.times {
		var err error
		if m.samples[b], err = s.sample(b, row, stepTo[b], m.continuous); err != nil {
			return nil, err
		}
		rtol[b], atol[b] = 1, 1
		if m.samples[b].steps != nil {
			rtol[b], atol[b] = m.samples[b].steps.Tolerances()
		}
	}
	if m.every {
		starts := make([][]float64, len(m.times))
		for b, row := range m.times {
			starts[b] = []float64{row[0]}
		}
		m.times = starts
	}
	var err error
	if m.saved, err = newSaved(z0, len(m.times[0])); err != nil {
		return nil, err
	}
	for b, row := range m.times {
		sm := &m.samples[b]
		for sm.next < len(row) && row[sm.next] == sm.t {
			m.saved.copyRow(b, sm.next, m.saved.start, b)
			sm.next++
		}
	}
	return m.scratch.Own(tensors.FromValue(rtol), tensors.FromValue(atol)), nil
}

// first evaluates the first stage and lets the controls that want it fit their first step. A sample whose field is not
// finite there fails.
func (m *march) first(z *tensors.Tensor, tolerances []*tensors.Tensor) (*tensors.Tensor, error) {
	if !slices.ContainsFunc(m.samples, func(sm sample) bool { return sm.active() }) {
		return nil, nil
	}
	out, err := call(m.solver.first, m.args, m.now(), m.offsets(), z)
	if err != nil {
		return nil, errs.In("pengcde/ode", err)
	}
	slope := out[0]
	size := slope.Size() / len(m.samples)
	entries, err := entriesOf(slope)
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
		err = m.fitFirstSteps(z, slope, tolerances)
	}
	if err != nil {
		xla.Free(slope)
		return nil, errs.In("pengcde/ode: first step", err)
	}
	return slope, nil
}

// plan sets the end of the next step of each sample, and ends those that were cancelled or cannot go on; false when no
// sample goes on.
func (m *march) plan() (bool, error) {
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
		if limit := m.solver.maxSteps; limit > 0 && sm.stats.Accepted+sm.stats.Rejected >= limit {
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

// acceptance says which samples accepted a try. All is true when every sample's new state may be taken, so also those
// that are done: they keep their state.
type acceptance struct {
	by       []bool
	any, all bool
}

func (m *march) judge(norms []float64) (acceptance, error) {
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
func (m *march) merge(a acceptance, z, next, slope, last *tensors.Tensor) (*tensors.Tensor, *tensors.Tensor, error) {
	if a.all {
		return next, last, nil
	}
	out, err := m.solver.together(rowsOf(a.by, next, z), rowsOf(a.by, last, slope))
	if err != nil {
		return nil, nil, errs.In("pengcde/ode", err)
	}
	return out[0], out[1], nil
}

func (m *march) advance(a acceptance) {
	for b := range m.samples {
		if a.by[b] {
			m.samples[b].advance()
		} else {
			m.samples[b].offset = 0 // the slope is that of the step's side already
		}
	}
}

// each is a value of each sample, [batch].
func (m *march) each(value func(sm *sample) float64) []float64 {
	values := make([]float64, len(m.samples))
	for b := range m.samples {
		values[b] = value(&m.samples[b])
	}
	return values
}

func (m *march) now() []float64  { return m.each(func(sm *sample) float64 { return sm.t }) }
func (m *march) ends() []float64 { return m.each(func(sm *sample) float64 { return sm.end }) }

// offsets are those of the samples where they stand.
func (m *march) offsets() []float64 { return m.each(func(sm *sample) float64 { return sm.offset }) }

// sidesOfEnds are those from which the steps that are tried come to their ends.
func (m *march) sidesOfEnds() []float64 {
	return m.each(func(sm *sample) float64 {
		if sm.end == sm.t {
			return 0
		}
		return -sm.endOffset
	})
}

func (m *march) finish() *Solution {
	sol := &Solution{Z: m.saved.tensor(), solver: m.solver, history: m.history, times: make([][]float64, len(m.times)),
		args:  m.args,
		blank: m.saved.like(0)}
	sol.shape = sol.Z.Shape()
	saves := sol.shape.Dimensions[1]
	for b, sm := range m.samples {
		sol.times[b] = append([]float64(nil), m.times[b]...)
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
