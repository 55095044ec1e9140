package ode

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

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
			return errs.In("pengcde/ode", err)
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
		for a.by[b] && len(places[b]) < rows && sm.next < len(m.times[b]) && within(m.times[b][sm.next], sm.t, sm.end) {
			copy(coefficients[b][len(places[b])], m.solver.method.inside(sm.t, sm.end, m.times[b][sm.next]))
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
