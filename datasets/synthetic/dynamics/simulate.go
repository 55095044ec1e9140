package dynamics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Errors of a simulation wrap one of these: for invalid input, for steps that are too long for the dynamics on the
// graph, for a state that became NaN or infinite (the error names it), and for a state that a change of the graph made
// larger than [Dynamics].Growth allows.
var (
	ErrInput     = errs.ErrInput
	ErrStep      = errors.New("step is too long")
	ErrNotFinite = errors.New("state is not finite")
	ErrGrowth    = errors.New("state grows too large")
)

// DefaultStep is the length of steps of the published data, DefaultTolerance the tolerance of moves at changes of the
// graph.
const (
	DefaultStep      = 0.01
	DefaultTolerance = 1e-11
)

// leastTolerance is near the rounding of a step.
const leastTolerance = 1e-15

// Problem is a simulation's initial states, times and graphs.
type Problem struct {
	Dynamics Dynamics
	// Start [nodes*channels] are the states at the first time, row-major by node.
	Start []float64
	// Times [T] are the times of the returned states; they increase strictly.
	Times []float64
	// Pattern has the edges of all graphs, Snapshots [J][edges] their weights, 0 where an edge is absent.
	Pattern   *dyngraph.Pattern
	Snapshots [][]float64
	// Index [T] names the snapshot in force at each time; nil: the first at all.
	Index []int
	// Frozen keeps the state constant between two times with different graphs, as in the published data. Otherwise the
	// state follows the earlier graph.
	Frozen bool
	// Step is the length of steps; 0 is DefaultStep. Steps end where the steps of ode.Constant end.
	Step float64
	// Tolerance bounds the error estimate of each step of a move at a change of the graph, relative to the largest state;
	// 0 is DefaultTolerance. Only dynamics with a Change take it.
	Tolerance float64
}

// Simulate returns the states at all times, [T][nodes*channels]; the states at the first time are Start. Its errors
// wrap [ErrInput] for a problem that is not well posed, [ErrStep], [ErrNotFinite] and [ErrGrowth] where states diverge,
// and the errors of ctx.
func Simulate(ctx context.Context, p Problem) ([][]float64, error) {
	p.Step, p.Tolerance = cmp.Or(p.Step, DefaultStep), cmp.Or(p.Tolerance, DefaultTolerance)
	if p.Index == nil {
		p.Index = make([]int, len(p.Times))
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	values := [][]float64{slices.Clone(p.Start)}
	s := newStepper(p.Dynamics, p.Start)
	for first := 0; first < len(p.Times); {
		next := first + 1 // the time at which the next graph comes into force
		for next < len(p.Times) && p.Index[next] == p.Index[first] {
			next++
		}
		graph, err := NewGraph(p.Pattern, p.Snapshots[p.Index[first]])
		if err != nil {
			return nil, fmt.Errorf("datasets/synthetic/dynamics: snapshot %d: %w", p.Index[first], err)
		}
		until := min(next+1, len(p.Times))
		if p.Frozen {
			until = next
		}
		if values, err = s.advance(ctx, graph, p.Step, p.Times[first:until], values); err != nil {
			return nil, err
		}
		if next < len(p.Times) {
			if p.Frozen {
				values = append(values, slices.Clone(s.z))
			}
			if p.Dynamics.Change != nil {
				if err := p.change(ctx, s, next); err != nil {
					return nil, err
				}
				values[next] = slices.Clone(s.z)
			}
		}
		first = next
	}
	return values, nil
}

func (p Problem) check() error {
	states := p.Dynamics.States()
	switch {
	case p.Dynamics.Rate == nil:
		return invalid("dynamics %q have no rate, want a function", p.Dynamics.Name)
	case p.Pattern == nil || len(p.Snapshots) == 0:
		return invalid("no graph, want a pattern and at least one snapshot")
	case len(p.Start) != p.Pattern.Nodes*states:
		return invalid("%d states to start from, want %d: %d nodes with %d channels", len(p.Start),
			p.Pattern.Nodes*states, p.Pattern.Nodes, states)
	case len(p.Times) == 0 || len(p.Index) != len(p.Times):
		return invalid("%d times and %d indices, want at least 1 time and an index for each", len(p.Times),
			len(p.Index))
	case !(p.Step > 0) || !finite(p.Step):
		return invalid("step %g, want a positive number, or 0 for %g", p.Step, DefaultStep)
	case !(p.Tolerance >= leastTolerance) || !finite(p.Tolerance):
		return invalid("tolerance %g of moves at changes, want a number of at least %g, or 0 for %g", p.Tolerance,
			leastTolerance, DefaultTolerance)
	}
	for i, v := range p.Start {
		if !finite(v) {
			return invalid("state %d to start from is %g, want a finite number", i, v)
		}
	}
	for k, t := range p.Times {
		if !finite(t) || k > 0 && t <= p.Times[k-1] {
			return invalid("time %d is %g, want finite times that increase strictly: sort them and drop repetitions", k,
				t)
		}
		if j := p.Index[k]; j < 0 || j >= len(p.Snapshots) {
			return invalid("time %d names snapshot %d, want one of 0..%d", k, j, len(p.Snapshots)-1)
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "datasets/synthetic/dynamics: %s", fmt.Sprintf(format, args...))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
