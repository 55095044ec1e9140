package ode

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// march is one forward solve.
type march struct {
	solver  *Solver
	ctx     context.Context
	keep    bool
	times   [][]float64
	args    []*tensors.Tensor
	scratch xla.Buffers

	samples []sample
	trail   trail
	saved   *saved
}

// sample is where one sample of the batch stands.
type sample struct {
	t, end float64 // the state's time, and the end of the step being tried (t when the sample is done)
	steps  Steps
	stats  Stats
	next   int // save times before this index are done

	notFinite bool // the last try
}

func (m *march) solve(z0 *tensors.Tensor) (*Solution, error) {
	s := m.solver
	var err error
	if m.saved, err = newSaved(z0, len(m.times[0])); err != nil {
		return nil, err
	}
	m.samples = make([]sample, len(m.times))
	rtol, atol := make([]float64, len(m.times)), make([]float64, len(m.times))
	for b, row := range m.times {
		t0, t1 := row[0], row[len(row)-1]
		sm := sample{t: t0, end: t0}
		for sm.next < len(row) && row[sm.next] == t0 {
			m.saved.copyRow(b, sm.next, m.saved.start, b)
			sm.next++
		}
		rtol[b], atol[b] = 1, 1
		if t1 > t0 {
			if sm.steps, err = s.control.Steps(b, s.method.ErrorOrder, t0, t1); err != nil {
				return nil, fmt.Errorf("%w: %w", err, ErrInput)
			}
			rtol[b], atol[b] = sm.steps.Tolerances()
		}
		m.samples[b] = sm
	}
	tolerances := m.scratch.Own(tensors.FromValue(rtol), tensors.FromValue(atol))

	z, err := z0.OnDeviceClone(s.backend.Compute, 0)
	if err != nil {
		return nil, fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	var slope *tensors.Tensor
	defer func() {
		m.trail.owned.Own(z)
		xla.Free(slope)
	}()
	out, err := call(s.first, m.args, m.now(), z)
	if err != nil {
		return nil, fmt.Errorf("pengcde/ode: %w", err)
	}
	slope = out[0]
	for b := range m.samples {
		m.samples[b].stats.Evaluations++
	}

	for tries := 0; m.plan(); tries++ {
		if err := m.check(tries); err != nil {
			return nil, err
		}
		out, err := call(s.step, m.args, m.now(), m.ends(), z, slope, tolerances[0], tolerances[1])
		if err != nil {
			return nil, fmt.Errorf("pengcde/ode: %w", err)
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
			if m.keep {
				m.trail.add(z, m.samples, accepted.by)
			} else {
				xla.Free(z)
			}
			xla.Free(slope)
			z, slope = next, last
			m.advance(accepted)
		}
		for _, t := range out {
			if t != z && t != slope {
				xla.Free(t)
			}
		}
	}
	m.trail.final = z
	return m.finish(), nil
}

// plan sets the end of the next step of each sample; false when all samples are done.
func (m *march) plan() bool {
	active := false
	for b := range m.samples {
		sm := &m.samples[b]
		sm.end = sm.t
		if sm.next < len(m.times[b]) {
			sm.end = sm.steps.Next(sm.t)
			active = true
		}
	}
	return active
}

// check ends a solve that was cancelled or cannot go on.
func (m *march) check(tries int) error {
	for b := range m.samples {
		sm := &m.samples[b]
		if sm.next == len(m.times[b]) {
			continue
		}
		switch {
		case m.ctx.Err() != nil:
			return m.fail(b, Cancelled)
		case m.solver.maxSteps > 0 && tries >= m.solver.maxSteps:
			return m.fail(b, StepLimit)
		case sm.end-sm.t <= 4*ulp(sm.t):
			if sm.notFinite {
				return m.fail(b, NotFinite)
			}
			return m.fail(b, StepTooSmall)
		}
	}
	return nil
}

func (m *march) fail(b int, code Code) error {
	sm := m.samples[b]
	f := &Failure{Code: code, Sample: b, T: sm.t, Step: sm.end - sm.t, Stats: sm.stats}
	if code == Cancelled {
		f.Cause = m.ctx.Err()
	}
	return f
}

// acceptance says which samples accepted a try; samples that are done count as neither.
type acceptance struct {
	by       []bool
	any, all bool
}

func (m *march) judge(norms []float64) (acceptance, error) {
	a := acceptance{by: make([]bool, len(m.samples)), all: true}
	for b := range m.samples {
		sm := &m.samples[b]
		if sm.end == sm.t {
			continue
		}
		sm.stats.Evaluations += m.solver.method.stages() - 1
		sm.notFinite = math.IsNaN(norms[b])
		if a.by[b] = sm.steps.Judge(sm.t, sm.end, norms[b]); a.by[b] {
			sm.stats.Accepted++
			a.any = true
			continue
		}
		a.all = false
		sm.stats.Rejected++
		if sm.notFinite && sm.steps.Next(sm.t) == sm.end {
			return a, m.fail(b, NotFinite)
		}
	}
	return a, nil
}

// merge keeps the old state and slope of the samples that rejected the try.
func (m *march) merge(a acceptance, z, next, slope, last *tensors.Tensor) (*tensors.Tensor, *tensors.Tensor, error) {
	if a.all {
		return next, last, nil
	}
	pairs := [2][2]*tensors.Tensor{{next, z}, {last, slope}}
	for i, pair := range pairs {
		out, err := m.solver.choose.Call(append([]bool(nil), a.by...), pair[0], pair[1])
		if err != nil {
			return nil, nil, fmt.Errorf("pengcde/ode: %w", err)
		}
		pairs[i][0] = out[0]
	}
	return pairs[0][0], pairs[1][0], nil
}

func (m *march) advance(a acceptance) {
	for b := range m.samples {
		if a.by[b] {
			m.samples[b].t = m.samples[b].end
		}
	}
}

// store saves the states at the save times that lie in accepted steps.
func (m *march) store(z, slope *tensors.Tensor, stages []*tensors.Tensor, a acceptance) error {
	s := m.solver
	parts := append([]*tensors.Tensor{z, slope}, stages...)
	for {
		coefficients, places := m.saves(a)
		if coefficients == nil {
			return nil
		}
		out, err := call(s.save, parts, coefficients)
		if err != nil {
			return fmt.Errorf("pengcde/ode: %w", err)
		}
		err = m.saved.take(out[0], places)
		xla.Free(out...)
		if err != nil {
			return err
		}
	}
}

// saves lists up to rows saves for each sample that accepted its step, with the weights of z and of the stages, and
// marks them as done; nil when nothing is left to save.
func (m *march) saves(a acceptance) (coefficients [][][]float64, places [][]int) {
	width := 1 + m.solver.method.stages()
	found := false
	coefficients, places = make([][][]float64, len(m.samples)), make([][]int, len(m.samples))
	for b := range m.samples {
		sm := &m.samples[b]
		coefficients[b] = zeros(rows, width)
		for a.by[b] && len(places[b]) < rows && sm.next < len(m.times[b]) && m.times[b][sm.next] <= sm.end {
			row := coefficients[b][len(places[b])]
			row[0] = 1
			h := sm.end - sm.t
			for i, w := range m.solver.method.Dense((m.times[b][sm.next] - sm.t) / h) {
				row[1+i] = h * w
			}
			places[b] = append(places[b], sm.next)
			sm.next++
			found = true
		}
	}
	if !found {
		return nil, nil
	}
	return coefficients, places
}

func zeros(n, m int) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, m)
	}
	return z
}

func (m *march) now() []float64 {
	ts := make([]float64, len(m.samples))
	for b, sm := range m.samples {
		ts[b] = sm.t
	}
	return ts
}

func (m *march) ends() []float64 {
	ts := make([]float64, len(m.samples))
	for b, sm := range m.samples {
		ts[b] = sm.end
	}
	return ts
}

func (m *march) finish() *Solution {
	sol := &Solution{Z: m.saved.tensor(), solver: m.solver, kept: m.keep, times: m.times, args: m.args}
	for _, sm := range m.samples {
		sol.Stats = append(sol.Stats, sm.stats)
	}
	return sol
}
