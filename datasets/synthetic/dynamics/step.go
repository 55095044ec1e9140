package dynamics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// stepper holds the state and the stages of a step.
type stepper struct {
	dynamics Dynamics
	rate     Rate // of the dynamics, or of a change
	method   *rk.Method
	z, next  []float64
	estimate []float64 // of the error of the step
	stages   [][]float64
}

func newStepper(d Dynamics, start []float64) *stepper {
	s := &stepper{dynamics: d, rate: d.Rate, method: rk.Tsit5, z: slices.Clone(start), next: make([]float64, len(start)),
		estimate: make([]float64, len(start))}
	for range s.method.C {
		s.stages = append(s.stages, make([]float64, len(start)))
	}
	return s
}

// advance integrates on one graph from the first time, the time of the present state, to the last, and appends the
// states at the times after the first.
func (s *stepper) advance(ctx context.Context, g *Graph, step float64, times []float64,
	values [][]float64) ([][]float64, error) {
	t, last := times[0], times[len(times)-1]
	times = times[1:]
	if len(times) == 0 {
		return values, nil
	}
	ends, err := rk.Ends(step, t, last)
	if err != nil {
		return nil, errs.New(ErrInput, "datasets/synthetic/dynamics: %w", err)
	}
	s.rate = s.dynamics.Rate
	s.rate(t, s.z, g, s.stages[0])
	for _, end := range ends {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("datasets/synthetic/dynamics: cancelled at time %g: %w", t, err)
		}
		if err := s.step(g, t, end); err != nil {
			return nil, err
		}
		for ; len(times) > 0 && times[0] <= end; times = times[1:] {
			values = append(values, s.inside(t, end, times[0]))
		}
		s.accept()
		t = end
	}
	return values, nil
}

// most is the largest accepted error estimate of a step, relative to the largest state. The estimate is orders of
// magnitude smaller if steps are short enough; modes that a long step amplifies bring it near 1.
const most = 0.1

// try computes the stages from t to end; the first must be set. It leaves the state at end in next and its error in
// estimate.
func (s *stepper) try(g *Graph, t, end float64) {
	h := end - t
	for i, row := range s.method.A[1:] {
		s.combine(s.next, h, row)
		s.rate(t+s.method.C[i+1]*h, s.next, g, s.stages[i+1])
	}
	clear(s.estimate)
	s.add(s.estimate, h, s.method.Error)
}

// accept makes the end of a step the present state; its last stage is the first of the next step.
func (s *stepper) accept() {
	s.z, s.next = s.next, s.z
	last := len(s.stages) - 1
	s.stages[0], s.stages[last] = s.stages[last], s.stages[0]
}

// step tries a step, and refuses states that are not finite and errors that are too large.
func (s *stepper) step(g *Graph, t, end float64) error {
	h := end - t
	s.try(g, t, end)
	for i, v := range s.next {
		if !finite(v) {
			return fmt.Errorf("datasets/synthetic/dynamics: %s: channel %d of node %d is %g at time %g, want a "+
				"finite number: try a step shorter than %.3g, or see whether the dynamics allow such states: %w",
				s.dynamics.Name, i%s.dynamics.States(), i/s.dynamics.States(), v, end, h, ErrNotFinite)
		}
	}
	if estimate := largest(s.estimate); estimate > most*max(largest(s.z), largest(s.next)) {
		i := slices.IndexFunc(s.estimate, func(v float64) bool { return math.Abs(v) == estimate })
		return errs.New(ErrStep, "datasets/synthetic/dynamics: %s: the step of %.3g to time %g has an error of about "+
			"%.3g at node %d, more than a tenth of the largest state: try shorter steps (heat: a third of one over "+
			"the largest degree is sure to do)", s.dynamics.Name, h, end, estimate, i/s.dynamics.States())
	}
	return nil
}

// largest returns the largest magnitude.
func largest(values []float64) float64 { return floats.Norm(values, math.Inf(1)) }

// inside returns the state at a time within the step from t to end.
func (s *stepper) inside(t, end, time float64) []float64 {
	if time == end {
		return slices.Clone(s.next)
	}
	value := make([]float64, len(s.z))
	s.combine(value, end-t, s.method.Interpolant((time-t)/(end-t)))
	return value
}

// combine sets into to z + h Σ weights_i k_i.
func (s *stepper) combine(into []float64, h float64, weights []float64) {
	copy(into, s.z)
	s.add(into, h, weights)
}

// add adds h Σ weights_i k_i.
func (s *stepper) add(into []float64, h float64, weights []float64) {
	for i, w := range weights {
		floats.AddScaled(into, h*w, s.stages[i])
	}
}
