package ode

import (
	"context"
	"errors"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// product is z' = z a b ... for args a, b, ...
func product(_, z *Node, args []*Node) *Node {
	for _, arg := range args {
		z = Mul(z, arg)
	}
	return z
}

// A pullback differentiates the args of its own solve, whatever was solved or planned since.
func TestPullbackAfterOtherArgs(t *testing.T) {
	s := newSolver(t, product, Config{Control: Constant{0.25}})
	one, two := tensors.FromValue([][]float64{{0.5}}), tensors.FromValue([][]float64{{-0.3}})
	problem := Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}}, Args: []*tensors.Tensor{one, two}}
	cotangent := tensors.FromValue([][][]float64{{{0}, {1}}})
	pull := func(sol *Solution) []float64 {
		t.Helper()
		g, err := sol.Pullback(context.Background(), cotangent)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		if len(g.Args) != 2 || g.Args[0] == nil || g.Args[1] == nil {
			t.Fatalf("gradients of args: %v, want both", g.Args)
		}
		return append(append(nnFloats(g.Z0), nnFloats(g.Args[0])...), nnFloats(g.Args[1])...)
	}
	sol := run(t, s, problem)
	want := pull(sol)
	other := problem
	other.Args = []*tensors.Tensor{two}
	run(t, s, other)
	closeTo(t, "gradient after another solve", pull(sol), want, 0)
	if _, err := s.Plan(other); err != nil {
		t.Fatal(err)
	}
	closeTo(t, "gradient after another plan", pull(sol), want, 0)
}

// A pullback does not need Z, which the caller may have given away.
func TestPullbackWithoutZ(t *testing.T) {
	s := newSolver(t, product, Config{Control: Constant{0.25}})
	sol := run(t, s, Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}}})
	xla.Free(sol.Z)
	for saves, cotangent := range map[int]*tensors.Tensor{
		2: tensors.FromValue([][][]float64{{{0}, {3}}}),
		3: tensors.FromValue([][][]float64{{{0}, {3}, {0}}}),
	} {
		g, err := sol.Pullback(context.Background(), cotangent)
		if saves != 2 {
			if !errors.Is(err, ErrInput) {
				t.Errorf("cotangent with %d saves: %v, want ErrInput", saves, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		closeTo(t, "gradient", nnFloats(g.Z0), []float64{3 * math.E}, 1e-6)
	}
}

// Tensors that were freed too early are named.
func TestFreedTensors(t *testing.T) {
	s := newSolver(t, product, Config{Control: Constant{0.5}})
	z0, arg := tensors.FromValue([][]float64{{1}}), tensors.FromValue([][]float64{{0.5}})
	problem := Problem{Z0: z0, Times: [][]float64{{0, 1}}, Args: []*tensors.Tensor{arg}}
	sol := run(t, s, problem)
	cotangent := tensors.FromValue([][][]float64{{{0}, {1}}})
	xla.Free(arg)
	if _, err := sol.Pullback(context.Background(), cotangent); !errors.Is(err, ErrInput) {
		t.Errorf("pullback without its arg: %v, want ErrInput", err)
	}
	if _, err := s.Run(context.Background(), problem); !errors.Is(err, ErrInput) {
		t.Errorf("solve without its arg: %v, want ErrInput", err)
	}
	problem.Args = nil
	sol = run(t, s, problem)
	xla.Free(z0, cotangent)
	if _, err := sol.Pullback(context.Background(), cotangent); !errors.Is(err, ErrInput) {
		t.Errorf("pullback of nothing: %v, want ErrInput", err)
	}
	if _, err := s.Run(context.Background(), problem); !errors.Is(err, ErrInput) {
		t.Errorf("solve from nothing: %v, want ErrInput", err)
	}
}
