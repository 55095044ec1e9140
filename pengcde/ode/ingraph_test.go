package ode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// probe returns a combination of states without structure.
func probe(z *Node) *Node {
	return ReduceAllSum(Mul(Sin(AddScalar(MulScalar(ConvertDType(IotaFull(z.Graph(), z.Shape()), z.DType()), 1.3), 0.4)),
		z))
}

// inGraph returns the states [batch, saves, ...] of the pendulum, and the gradient of their probe by z0 and args.
func (p problem) inGraph(t *testing.T, backend *xla.Backend, g InGraph, times []float64) [][]float64 {
	t.Helper()
	out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
		z := g.Solve(pendulum, in[0], times, in[1:]...)
		return append([]*Node{z}, Gradient(probe(z), in...)...)
	}, tensors.FromFlatDataAndDimensions(append([]float64{}, p.z0...), len(p.z0)/2, 2), p.a, p.force)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	return flat64(out)
}

func flat64(ts []*tensors.Tensor) [][]float64 {
	values := make([][]float64, len(ts))
	for i, x := range ts {
		values[i] = tensors.MustCopyFlatData[float64](x)
	}
	return values
}

// bySolver returns the same by a Solver with constant steps and its pullback.
func (p problem) bySolver(t *testing.T, backend *xla.Backend, g InGraph, times []float64) [][]float64 {
	t.Helper()
	length := math.Abs(times[len(times)-1]-times[0]) / float64(g.Steps)
	if length == 0 {
		length = 1
	}
	s, err := New(backend, pendulum, Config{Method: g.Method, StepSize: Constant{length}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sol := p.solve(t, s, [][]float64{times})
	defer sol.Close()
	weights := make([]float64, sol.Z.Size())
	for i := range weights {
		weights[i] = math.Sin(1.3*float64(i) + 0.4)
	}
	grads, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(weights,
		sol.Z.Shape().Dimensions...))
	if err != nil {
		t.Fatal(err)
	}
	defer grads.Free()
	return flat64(append([]*tensors.Tensor{sol.Z, grads.Z0}, grads.Args...))
}

func compareInGraph(t *testing.T, got, want [][]float64) {
	t.Helper()
	fixture.Close(t, "states", got[0], want[0], 1e-12)
	for i, name := range []string{"z0", "a", "force"} {
		fixture.Close(t, "gradient by "+name, got[1+i], want[1+i], 1e-10)
	}
}

func TestInGraphIsSolverAndPullback(t *testing.T) {
	backend := xlatest.Go(t)
	for _, c := range []struct {
		name  string
		times []float64
		steps int
	}{
		{"ends", []float64{0, 2}, 7},
		{"one step", []float64{0.5, 0.9}, 1},
		{"inside steps", []float64{-1, -1, -0.2, 0.001, 0.7, 0.71, 2.9, 2.95, 3, 3}, 5},
		{"backward", []float64{1, 0.55, 0.4, -1}, 4},
		{"no step", []float64{1, 1}, 3},
	} {
		for _, method := range Methods() {
			g := InGraph{Method: method, Steps: c.steps}
			want := swinging.bySolver(t, backend, g, c.times)
			for _, g.Recompute = range []int{0, 1, 3} {
				t.Run(fmt.Sprintf("%s/%s/%d", c.name, method.Name, g.Recompute), func(t *testing.T) {
					compareInGraph(t, swinging.inGraph(t, backend, g, c.times), want)
				})
			}
		}
	}
}

// The same on the default backend of users.
func TestInGraphOnBackend(t *testing.T) {
	times := []float64{0, 0.3, 2}
	g := InGraph{Method: Bosh3, Steps: 4, Recompute: 1}
	compareInGraph(t, swinging.inGraph(t, xlatest.Backend(t), g, times), swinging.bySolver(t, xlatest.Backend(t), g,
		times))
}

// With recomputation the gradient depends on no value that a step computes in the forward pass, except the checkpoints
// at the starts of blocks, through the barriers that delay the recomputation.
func TestInGraphRecomputes(t *testing.T) {
	const steps = 6
	backend := xlatest.Backend(t)
	for _, recompute := range []int{0, 1, 2, 4} {
		t.Run(fmt.Sprint(recompute), func(t *testing.T) {
			forward := make(map[*Node]bool) // values that the field computes
			nodes := 0
			field := func(time, z *Node, args []*Node) *Node {
				hidden := Tanh(Mul(z, BroadcastToDims(args[0], z.Shape().Dimensions...)))
				driven := Mul(hidden, leading(Cos(time), hidden))
				forward[hidden], forward[driven] = true, true
				return driven
			}
			g := NewGraph(backend.Compute, "recompute")
			defer g.Finalize()
			z0, a := Parameter(g, "z0", tensors.FromValue([][]float64{{1, 2}}).Shape()),
				Parameter(g, "a", tensors.FromValue(1.0).Shape())
			z := InGraph{Method: RK4, Steps: steps, Recompute: recompute}.Solve(field, z0, []float64{0, 0.4, 1}, a)
			gradients := Gradient(probe(z), z0, a)
			nodes = len(forward)
			if nodes != 2*(4*steps) && nodes != 2*(4*steps+1) {
				t.Errorf("the field was built with %d nodes, want 2 for each of 4 stages of %d steps", nodes, steps)
			}
			kept := 0
			seen := make(map[*Node]bool)
			var visit func(x *Node)
			visit = func(x *Node) {
				if seen[x] {
					return
				}
				seen[x] = true
				if forward[x] {
					kept++
				}
				if x.Type() == NodeTypeSchedulingBarrier && recompute > 0 {
					visit(x.Inputs()[1]) // the cotangent it waits for
					return
				}
				for _, input := range x.Inputs() {
					visit(input)
				}
			}
			for _, x := range gradients {
				visit(x)
			}
			if recompute == 0 && kept < nodes-2 || recompute > 0 && kept > 0 {
				t.Errorf("the gradient uses %d of %d nodes of the forward pass", kept, nodes)
			}
		})
	}
}

func TestInGraphBadInput(t *testing.T) {
	backend := xlatest.Go(t)
	wide := func(_, z *Node, _ []*Node) *Node { return Concatenate([]*Node{z, z}, 1) }
	still := func(_, z *Node, _ []*Node) *Node { return ZerosLike(z) }
	noEstimate := *RK4
	noEstimate.C = noEstimate.C[1:]
	for _, c := range []struct {
		name  string
		g     InGraph
		field Field
		z0    any
		times []float64
	}{
		{"no steps", InGraph{}, still, [][]float64{{1}}, []float64{0, 1}},
		{"too many steps", InGraph{Steps: 1 << 40}, still, [][]float64{{1}}, []float64{0, 1}},
		{"recompute", InGraph{Steps: 1, Recompute: -1}, still, [][]float64{{1}}, []float64{0, 1}},
		{"tableau", InGraph{Steps: 1, Method: &noEstimate}, still, [][]float64{{1}}, []float64{0, 1}},
		{"no field", InGraph{Steps: 1}, nil, [][]float64{{1}}, []float64{0, 1}},
		{"no batch", InGraph{Steps: 1}, still, []float64{1}, []float64{0, 1}},
		{"whole numbers", InGraph{Steps: 1}, still, [][]int32{{1}}, []float64{0, 1}},
		{"no times", InGraph{Steps: 1}, still, [][]float64{{1}}, nil},
		{"turning times", InGraph{Steps: 1}, still, [][]float64{{1}}, []float64{0, 2, 1}},
		{"time NaN", InGraph{Steps: 1}, still, [][]float64{{1}}, []float64{0, math.NaN(), 1}},
		{"shape of the field", InGraph{Steps: 1}, wide, [][]float64{{1}}, []float64{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := CallOnce(backend.Compute, func(z0 *Node) *Node { return c.g.Solve(c.field, z0, c.times) }, c.z0)
			if !errors.Is(err, ErrInput) {
				t.Errorf("got %v, want an error that wraps ErrInput", err)
			}
		})
	}
}
