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

// change moves the states to time k, at which a different graph comes into force.
func (p Problem) change(ctx context.Context, s *stepper, k int) error {
	difference := slices.Clone(p.Snapshots[p.Index[k]])
	floats.Sub(difference, p.Snapshots[p.Index[k-1]])
	g, err := NewGraph(p.Pattern, difference)
	if err != nil {
		return fmt.Errorf("datasets/synthetic/dynamics: change from snapshot %d to %d: %w", p.Index[k-1], p.Index[k], err)
	}
	if err := s.move(ctx, g, p.Tolerance); err != nil {
		return fmt.Errorf("datasets/synthetic/dynamics: %s: change of the graph at time %g: %w", p.Dynamics.Name,
			p.Times[k], err)
	}
	start := largest(p.Start)
	if growth := largest(s.z); p.Dynamics.Growth > 0 && growth > p.Dynamics.Growth*start {
		i := slices.IndexFunc(s.z, func(v float64) bool { return math.Abs(v) == growth })
		node := i / p.Dynamics.States()
		return errs.New(ErrGrowth, "datasets/synthetic/dynamics: %s: node %d has %g after the change of the graph at time "+
			"%g, where it loses edges of weight %g; the largest state at the start is %g, want at most %g times that: let "+
			"fewer edges go, or let states move less at a change", p.Dynamics.Name, node, s.z[i], p.Times[k],
			lost(g, node), start, p.Dynamics.Growth)
	}
	return nil
}

// lost returns the total weight of the edges that a node loses in a change.
func lost(change *Graph, node int) (sum float64) {
	_, weights := change.Row(node)
	for _, w := range weights {
		sum += max(0, -w)
	}
	return sum
}

// move takes the state along the rate of a change from 0 to 1, by steps whose error estimate is at most tolerance,
// relative to the largest state.
func (s *stepper) move(ctx context.Context, change *Graph, tolerance float64) error {
	steps, err := rk.NewAdaptive(rk.PID{RTol: tolerance}, s.method.ErrorOrder, 0, 1)
	if err != nil {
		return errs.New(ErrInput, "datasets/synthetic/dynamics: %w", err)
	}
	s.rate = s.dynamics.Change
	s.rate(0, s.z, change, s.stages[0])
	for at := 0.0; at != 1; {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("cancelled: %w", err)
		}
		end := steps.Next(at)
		if end == at {
			return s.stuck(at, tolerance)
		}
		s.try(change, at, end)
		if steps.Judge(at, end, s.norm(tolerance)) {
			s.accept()
			at = end
		}
	}
	return nil
}

// norm returns the error estimate of a step divided by the tolerated error, infinite where a state is not finite.
func (s *stepper) norm(tolerance float64) float64 {
	if slices.ContainsFunc(s.next, func(v float64) bool { return !finite(v) }) {
		return math.Inf(1)
	}
	estimate := largest(s.estimate)
	if estimate == 0 {
		return 0
	}
	return estimate / (tolerance * max(largest(s.z), largest(s.next)))
}

// stuck returns an error that says why no step is short enough.
func (s *stepper) stuck(at, tolerance float64) error {
	for i, v := range s.next {
		if !finite(v) {
			return errs.New(ErrNotFinite, "channel %d of node %d is %g after %g of it, want a finite number: see whether the "+
				"dynamics allow such a change", i%s.dynamics.States(), i/s.dynamics.States(), v, at)
		}
	}
	return errs.New(ErrStep, "no step from %g of it on has an error of at most %g of the largest state: try a larger "+
		"tolerance, or see whether the dynamics allow such a change", at, tolerance)
}
