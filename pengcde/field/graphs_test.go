package field_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// oddGraph returns a sample of n nodes with the given edges, each with a weight at each knot. Edges may repeat; their
// weights are then added. turn makes samples differ.
func oddGraph(t *testing.T, n, p int, edges [][2]int, turn float64) field.Sample {
	t.Helper()
	var from, to []int
	for _, e := range edges {
		from, to = append(from, e[0]), append(to, e[1])
	}
	pattern, index, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	s := field.Sample{Pattern: pattern}
	for k, knot := range []float64{0, 0.7, 1.1, 2} {
		s.Knots = append(s.Knots, knot+0.3*turn*knot)
		weights, features := make([]float64, pattern.Edges()), make([]float64, n*p)
		for e, at := range index {
			weights[at] += 0.5 * math.Sin(float64(3*e+5*k+1)+turn)
		}
		for i := range features {
			features[i] = math.Cos(float64(2*i+3*k) + turn)
		}
		s.Snapshots, s.Features = append(s.Snapshots, weights), append(s.Features, features)
	}
	return s
}

// complete returns the sample on the pattern of all edges, with weight 0 for the new edges.
func complete(t *testing.T, s field.Sample) field.Sample {
	t.Helper()
	n := s.Pattern.Nodes
	var from, to []int
	for i := range n * n {
		from, to = append(from, i/n), append(to, i%n)
	}
	pattern, index, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	whole := s
	whole.Pattern, whole.Snapshots = pattern, nil
	for _, weights := range s.Snapshots {
		row := make([]float64, pattern.Edges())
		for e, w := range weights {
			row[index[int(s.Pattern.From[e])*n+int(s.Pattern.To[e])]] = w
		}
		whole.Snapshots = append(whole.Snapshots, row)
	}
	return whole
}

// Graphs without edges, with self-loops, with repeated edges, with isolated nodes, or of a single node need no special
// treatment: every field and its gradient agree with the dense matrix, in both products.
func TestOddGraphs(t *testing.T) {
	backend := xlatest.Go(t)
	const p = 2
	graphs := map[string]struct {
		n     int
		edges [][2]int
	}{
		"no edges":            {5, nil},
		"one self-loop":       {5, [][2]int{{2, 2}}},
		"self-loops":          {5, [][2]int{{0, 0}, {0, 1}, {1, 1}, {3, 4}, {4, 4}}},
		"edges twice":         {5, [][2]int{{0, 1}, {2, 3}, {0, 1}, {3, 3}, {3, 3}, {1, 0}}},
		"isolated nodes":      {5, [][2]int{{1, 3}}},
		"one node":            {1, nil},
		"one node, self-loop": {1, [][2]int{{0, 0}}},
	}
	for name, graph := range graphs {
		sample := oddGraph(t, graph.n, p, graph.edges, 0)
		whole := complete(t, sample)
		z := direction(graph.n*3, 0)
		for what, f := range every(graph.n, p) {
			if strings.Contains(what, "identities") { // which are of edges, also of those with weight 0
				continue
			}
			times := []float64{0.4, 1.5}
			want := evaluate(t, backend, f, waves(f), whole, bothProducts[0], times, z, true)
			for _, product := range bothProducts {
				got := evaluate(t, backend, f, waves(f), sample, product, times, z, true)
				fixture.Close(t, name+", "+what+": dz/dt", got[0], want[0], 1e-12)
				for i, d := range f.Params() {
					fixture.Close(t, name+", "+what+": gradient of "+d.Name, got[1+i], want[1+i], 1e-10)
				}
			}
		}
	}
}

// A node without edges has the same solution as a graph of one node, for a field whose only messages are along edges.
func TestIsolatedNodeIsAlone(t *testing.T) {
	backend := xlatest.Go(t)
	const n, p, hidden = 5, 2, 3
	sample, z := oddGraph(t, n, p, [][2]int{{0, 1}, {1, 4}, {4, 4}}, 0), direction(n*hidden, 0)
	alone := oddGraph(t, 1, p, nil, 0)
	for k := range alone.Features {
		copy(alone.Features[k], sample.Features[k][2*p:3*p])
	}
	f := field.Adjacency{Hidden: hidden, Layers: 2, Features: p}
	for _, product := range bothProducts {
		got := evaluate(t, backend, f, waves(f), sample, product, []float64{0.9}, z, false)
		want := evaluate(t, backend, f, waves(f), alone, product, []float64{0.9}, z[2*hidden:3*hidden], false)
		fixture.Close(t, "dz/dt of the isolated node", got[0][2*hidden:3*hidden], want[0], 1e-13)
	}
}

// A state that does not fit the graph, the field's width or the features is bad input of the solve.
func TestStateOfAnotherShape(t *testing.T) {
	backend := xlatest.Go(t)
	const n, p = 5, 2
	sample := oddGraph(t, n, p, [][2]int{{0, 1}, {1, 4}, {4, 4}}, 0)
	for name, f := range every(n, p) {
		if _, free := f.(field.Constant); free {
			continue
		}
		for _, product := range bothProducts {
			solver := solverOf(t, backend, f, formOf(t, product, sample), ode.Config{StepSize: ode.Constant{Step: 0.5},
				Parameters: len(f.Params())})
			for what, dims := range map[string][]int{"a node more": {1, n + 1, 3}, "a node less": {1, n - 1, 3},
				"wider": {1, n, 4}, "a sample more": {2, n, 3}, "an axis less": {n, 3}} {
				size := 1
				for _, d := range dims {
					size *= d
				}
				_, err := solver.Evaluate(context.Background(), host.Tensor(dtypes.Float64, direction(size, 0), dims...),
					[][]float64{{0, 1}}, argsOf(t, f, product, sample)...)
				if !errors.Is(err, ode.ErrInput) || !strings.Contains(err.Error(), "states of") {
					t.Errorf("%s, product %s, %s: got %v, want ErrInput that says of what the states are", name, product, what, err)
				}
			}
		}
	}
	with := every(n, p+1)["PENG, features"]
	solver := solverOf(t, backend, with, formOf(t, bothProducts[0], sample),
		ode.Config{StepSize: ode.Constant{Step: 0.5}, Parameters: len(with.Params())})
	if _, err := solver.Evaluate(context.Background(), host.Tensor(dtypes.Float64, direction(n*3, 0), 1, n, 3),
		[][]float64{{0, 1}}, argsOf(t, with, bothProducts[0], sample)...); !errors.Is(err, ode.ErrInput) {
		t.Errorf("a field of more features than the control has: got %v, want ErrInput", err)
	}
}

// Impossible sizes give an error that names them when the parameters are declared.
func TestSizesOfFields(t *testing.T) {
	for name, f := range map[string]field.Field{
		"Layers 0": field.PENG{Hidden: 2}, "Layers 0, Features 1": field.Adjacency{Hidden: 2, Features: 1},
		"Hidden 0":  field.GNODE{Layers: 1},
		"Hidden -2": field.Original{Hidden: -2, Layers: 1}, "Nodes 0": field.PreMult{Hidden: 2, Layers: 1},
		"Hidden -1": field.Constant{Hidden: -1}, "Features -1": field.PENG{Hidden: 2, Layers: 1, Features: -1},
	} {
		size, _, _ := strings.Cut(name, ",")
		err := exceptions.TryCatch[error](func() { f.Params() })
		if err == nil || !errors.Is(err, field.ErrInput) || !strings.Contains(err.Error(), size) {
			t.Errorf("%T, %s: got %v, want an error that says so", f, name, err)
		}
	}
}

// A control with missing tensors, for example if Parameters is not set, is bad input of the solve.
func TestControlWithoutSomeTensors(t *testing.T) {
	f := field.PENG{Hidden: 3, Layers: 1, Features: 1}
	sample := oddGraph(t, 4, 1, [][2]int{{0, 1}}, 0)
	solver := solverOf(t, xlatest.Go(t), f, formOf(t, equivariant.Dense, sample),
		ode.Config{StepSize: ode.Constant{Step: 0.5}, Parameters: len(f.Params())})
	args := argsOf(t, f, equivariant.Dense, sample)
	for _, drop := range []int{1, 2, len(args) - len(f.Params())} {
		_, err := solver.Evaluate(context.Background(), host.Tensor(dtypes.Float64, direction(12, 0), 1, 4, 3),
			[][]float64{{0, 1}}, slices.Delete(slices.Clone(args), len(f.Params()), len(f.Params())+drop)...)
		if !errors.Is(err, ode.ErrInput) || !strings.Contains(err.Error(), "NewControl") {
			t.Errorf("without %d tensors: %v, want ErrInput that names NewControl", drop, err)
		}
	}
}

// A control in integers, or by a product that does not exist, is an error.
func TestControlThatCannotBe(t *testing.T) {
	samples := []field.Sample{oddGraph(t, 4, 1, [][2]int{{0, 1}}, 0)}
	if _, _, err := field.NewControl(dtypes.Int32, equivariant.Auto, samples); !errors.Is(err, field.ErrInput) ||
		errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("of integers: got %v, want field.ErrInput alone", err)
	}
	if _, _, err := field.NewControl(dtypes.Float32, "diagonal", samples); !errors.Is(err, field.ErrInput) {
		t.Errorf("of an unknown product: got %v, want field.ErrInput", err)
	}
}

// A graph without nodes is no graph.
func TestEmptyGraph(t *testing.T) {
	if _, _, err := dyngraph.NewPattern(0, nil, nil); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
	_, _, err := dyngraph.NewPattern(3, []int{0, 1}, []int{1, 3})
	if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "edge 1") {
		t.Errorf("got %v, want ErrInvalid that names edge 1", err)
	}
}
