package ode

import (
	"context"
	"errors"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// linearOf is dz/dt = z M for M [dim, dim], the first of the args.
func linearOf(_, z *Node, args []*Node) *Node { return Dot(z, args[0]).Product() }

// The largest h |λ| of linear fields agrees with their spectrum: real, not normal, complex, for two samples with
// different steps, and with constant and adaptive steps.
func TestStiffnessOfLinearFields(t *testing.T) {
	for name, c := range map[string]struct {
		matrix [][]float64
		size   float64 // of the largest eigenvalue
		steps  StepSize
	}{
		"diagonal":   {[][]float64{{-30, 0}, {0, -1}}, 30, Constant{0.05}},
		"positive":   {[][]float64{{2, 0}, {0, -1}}, 2, PID{}},
		"not normal": {[][]float64{{-3, 0}, {40, -20}}, 20, PID{}},
		"complex":    {[][]float64{{0, -9}, {1, 0}}, 3, PID{Max: 0.2}},
		"none":       {[][]float64{{0, 0}, {0, 0}}, 0, Constant{0.3}},
		"nilpotent":  {[][]float64{{0, 1}, {0, 0}}, 0, Constant{0.3}},
	} {
		for _, memory := range []Memory{{}, {Checkpoints: 2}} {
			s := newSolver(t, linearOf, Config{StepSize: c.steps})
			sol := run(t, s, Problem{Z0: tensors.FromValue([][]float64{{1, -2}, {0.5, 3}}), Memory: memory,
				Times: [][]float64{{0, 1}, {0, 3}}, Args: []*tensors.Tensor{tensors.FromValue(c.matrix)}})
			got, err := sol.Stiffness(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for b := range got {
				longest, last := 0.0, 0.0
				for _, end := range sol.StepTimes(b)[1:] {
					longest, last = max(longest, end-last), end
				}
				want := longest * c.size
				if off := math.Abs(got[b].Product - want); !(off <= 1e-3*want+1e-12) {
					t.Errorf("%s, %+v, sample %d: %+v, want a product of %.6g by a step of %.4g", name, memory, b, got[b], want,
						longest)
				}
				if c.size > 0 && !(math.Abs(got[b].Step*got[b].Eigenvalue-got[b].Product) <= 1e-12*want) {
					t.Errorf("%s, sample %d: %+v does not hold together", name, b, got[b])
				}
			}
		}
	}
}

// Stiffness finds the step at which the field is steepest.
func TestStiffnessFindsTheSteepestStep(t *testing.T) {
	pulse := func(t, z *Node, _ []*Node) *Node { // λ = -1 - 20 exp(-(10 (t - 1.5))²)
		bump := Exp(Neg(Square(MulScalar(AddScalar(leading(t, z), -1.5), 10))))
		return Neg(Mul(z, AddScalar(MulScalar(bump, 20), 1)))
	}
	s := newSolver(t, pulse, Config{StepSize: Constant{0.05}})
	sol := run(t, s, Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 2}}})
	got, err := sol.Stiffness(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got[0].T-1.5) <= 1e-9) || !(math.Abs(got[0].Eigenvalue-21) <= 1e-9) {
		t.Errorf("%+v, want |λ| 21 at t = 1.5", got[0])
	}
}

func TestStiffnessErrors(t *testing.T) {
	s := newSolver(t, linearOf, Config{})
	p := Problem{Z0: tensors.FromValue([][]float64{{1, 2}}), Times: [][]float64{{0, 1}},
		Args: []*tensors.Tensor{tensors.FromValue([][]float64{{-1, 0}, {0, -1}})}}
	forgotten := p
	forgotten.Forget = true
	if _, err := run(t, s, forgotten).Stiffness(context.Background()); !errors.Is(err, ErrNoTrail) {
		t.Errorf("without history: %v, want ErrNoTrail", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(t, s, p).Stiffness(cancelled); !errors.Is(err, Cancelled) {
		t.Errorf("%v, want Cancelled", err)
	}
	p.Times = [][]float64{{1, 1}}
	if got, err := run(t, s, p).Stiffness(context.Background()); err != nil || got[0] != (Stiffness{}) {
		t.Errorf("without a step: %+v, %v, want nothing", got, err)
	}
	root := newSolver(t, func(_, z *Node, _ []*Node) *Node { return Sqrt(Abs(z)) }, Config{StepSize: Constant{0.5}})
	p = Problem{Z0: tensors.FromValue([][]float64{{0}}), Times: [][]float64{{0, 1}}}
	if _, err := run(t, root, p).Stiffness(context.Background()); !errors.Is(err, NotFinite) {
		t.Errorf("where the slope is not differentiable: %v, want NotFinite", err)
	}
}
