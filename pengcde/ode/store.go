package ode

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// store saves the states at the save times that lie in accepted steps.
func (m *march) store(at spans, parts []*tensors.Tensor, a acceptance) error {
	places := make([][]int, len(m.samples))
	for b, row := range m.times {
		sm := &m.samples[b]
		for ; a.by[b] && sm.next < len(row) && within(row[sm.next], sm.t, sm.end); sm.next++ {
			places[b] = append(places[b], sm.next)
		}
	}
	return m.solver.saveInside(m.saved, at, parts, m.times, places)
}

// saveInside saves the states at the times places[b] of each sample, which lie in its step; parts are z and k_1 .. k_s of the
// step.
func (s *Solver) saveInside(saved *saved, at spans, parts []*tensors.Tensor, times [][]float64, places [][]int) error {
	width := 1 + s.method.stages()
	for slices.ContainsFunc(places, func(left []int) bool { return len(left) > 0 }) {
		coefficients, now := make([][][]float64, len(places)), make([][]int, len(places))
		for b, left := range places {
			coefficients[b] = zeros(rows, width)
			now[b], places[b] = left[:min(rows, len(left))], left[min(rows, len(left)):]
			for row, i := range now[b] {
				coefficients[b][row] = s.method.inside(at.t[b], at.end[b], times[b][i])
			}
		}
		out, err := call(s.save, parts, coefficients)
		if err != nil {
			return err
		}
		err = saved.take(out[0], now)
		xla.Free(out...)
		if err != nil {
			return err
		}
	}
	return nil
}

// within says whether a time not before the step from t to end is reached by it.
func within(time, t, end float64) bool { return direction(t, end)*(end-time) >= 0 }

// inside returns the weights of z and of the stages k_1 .. k_s in the state at a time of the step from t to end.
func (m *Method) inside(t, end, time float64) []float64 {
	h := end - t
	weights := append([]float64{1}, m.Interpolant((time-t)/h)...)
	for i := range weights[1:] {
		weights[1+i] *= h
	}
	return weights
}

func zeros(n, m int) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, m)
	}
	return z
}
