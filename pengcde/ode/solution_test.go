package ode

import (
	"context"
	"errors"
	"math"
	"slices"
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

// A pullback differentiates the args of its own solve, whatever was solved or planned in between.
func TestPullbackAfterOtherArgs(t *testing.T) {
	s := newSolver(t, product, Config{StepSize: Constant{0.25}})
	one, two := tensors.FromValue([][]float64{{0.5}}), tensors.FromValue([][]float64{{-0.3}})
	problem := Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}},
		Args: []*tensors.Tensor{one, two}}
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

// If a step has more saves than one call takes, all are saved, with the same states and gradients as with fewer saves.
func TestManySavesInAStep(t *testing.T) {
	s := newSolver(t, product, Config{StepSize: Constant{1}})
	z0, arg := tensors.FromValue([][]float64{{1}}), tensors.FromValue([][]float64{{0.7}})
	solve := func(times []float64) (states, gradient []float64) {
		sol := run(t, s, Problem{Z0: z0, Times: [][]float64{times}, Args: []*tensors.Tensor{arg}})
		ones := slices.Repeat([]float64{1}, len(times)-2) // except at the first and the last
		cotangent := slices.Concat([]float64{0}, ones, []float64{0})
		g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(cotangent, 1, len(times), 1))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		return nnFloats(sol.Z), slices.Concat(nnFloats(g.Z0), nnFloats(g.Args[0]))
	}
	times := []float64{0}
	for i := range 2*largeChunk + smallChunk + 1 {
		times = append(times, 1+float64(i)/100)
	}
	times = append(times, 2)
	states, gradient := solve(times)
	sum := make([]float64, len(gradient))
	for i, time := range times[1 : len(times)-1] {
		one, part := solve([]float64{0, time, 2})
		closeTo(t, "state", states[1+i:2+i], one[1:2], 1e-15)
		for j := range sum {
			sum[j] += part[j]
		}
	}
	closeTo(t, "gradient", gradient, sum, 1e-12)
}

// The methods of a solution do not need Z, which the caller may have given away.
func TestWithoutZ(t *testing.T) {
	s := newSolver(t, product, Config{StepSize: Constant{0.25}})
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
	dense := run(t, s, Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}}, Interpolant: true})
	xla.Free(dense.Z)
	at, err := dense.At(context.Background(), [][]float64{{0.3}})
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(at)
	closeTo(t, "dense output", nnFloats(at), []float64{math.Exp(0.3)}, 1e-5)
}

// The error names tensors that were freed too early.
func TestFreedTensors(t *testing.T) {
	s := newSolver(t, product, Config{StepSize: Constant{0.5}})
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
