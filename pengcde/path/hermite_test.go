package path_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// eval evaluates the path of one sample at several times, each a sample of the batch, from values at its knots or from
// snapshots in force there; x and dx hold the entries of one time after the other.
func eval(t *testing.T, knots, rows []float64, index []int32, times []float64) (x, dx []float64) {
	t.Helper()
	distinct := len(knots)
	if index != nil {
		distinct = int(slices.Max(index)) + 1
	}
	batch := len(times)
	inputs := []any{
		tensors.FromFlatDataAndDimensions(slices.Repeat(knots, batch), batch, len(knots)),
		tensors.FromFlatDataAndDimensions(slices.Repeat(rows, batch), batch, distinct, len(rows)/distinct),
		tensors.FromFlatDataAndDimensions(slices.Clone(times), batch),
	}
	if index != nil {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(slices.Repeat(index, batch), batch, len(index)))
	}
	out, err := graph.CallOnceN(xlatest.Backend(t).Compute, func(in []*graph.Node) []*graph.Node {
		at := path.Locate(in[0], in[2])
		var x, dx *graph.Node
		if len(in) == 4 {
			x, dx = at.Snapshots(in[1], in[3])
		} else {
			x, dx = at.Eval(in[1])
		}
		return []*graph.Node{x, dx}
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float64](out[0]), tensors.MustCopyFlatData[float64](out[1])
}

func TestFixtureHermite(t *testing.T) {
	f := fixture.Load(t, "hermite")
	x, dx := eval(t, f.Get("ts").Array().Data, f.Get("xs").Array().Data, nil, f.Get("query").Array().Data)
	values, derivatives := f.Get("value").Array(), f.Get("derivative").Array()
	width := values.Dims[1]
	for i, time := range f.Get("query").Array().Data {
		fixture.Close(t, fmt.Sprintf("value at %g", time), x[i*width:(i+1)*width], values.Row(i).Data, 1e-12)
		fixture.Close(t, fmt.Sprintf("derivative at %g", time), dx[i*width:(i+1)*width], derivatives.Row(i).Data, 1e-12)
	}
}

func TestFixtureControlPath(t *testing.T) {
	f := fixture.Load(t, "control_path")
	ts, controls, queries := f.Get("ts").Array(), f.Get("control_list").Array(), f.Get("query").Array()
	index := make([]int32, ts.Dims[1])
	for _, event := range f.Get("event_indices").Array().Ints() {
		for k := event; k < len(index); k++ {
			index[k]++
		}
	}
	for b := range ts.Dims[0] {
		x, dx := eval(t, ts.Row(b).Data, controls.Row(b).Data, index, queries.Row(b).Data)
		fixture.Close(t, "value", x, f.Get("value").Array().Row(b).Data, 1e-12)
		fixture.Close(t, "derivative", dx, f.Get("derivative").Array().Row(b).Data, 1e-12)
	}
}

// The path passes through its knots and is continuously differentiable; its derivative is that of its value.
func TestPathIsSmooth(t *testing.T) {
	knots, xs := []float64{-1, 0, 0.4, 2, 2.1}, []float64{1, -2, 0.5, 3, 3}
	shifted := func(times []float64, by float64) []float64 {
		out := slices.Clone(times)
		for i := range out {
			out[i] += by
		}
		return out
	}
	x, dx := eval(t, knots, xs, nil, knots)
	fixture.Close(t, "X at the knots", x, xs, 1e-12)
	after, dAfter := eval(t, knots, xs, nil, shifted(knots, 1e-9))
	fixture.Close(t, "X after the knots", after, x, 1e-7)
	fixture.Close(t, "X' after the knots", dAfter, dx, 1e-6)

	const h = 1e-5
	inside := []float64{-0.6, 0.1, 0.3, 1.1, 2.05}
	up, _ := eval(t, knots, xs, nil, shifted(inside, h))
	down, _ := eval(t, knots, xs, nil, shifted(inside, -h))
	_, dx = eval(t, knots, xs, nil, inside)
	differences := make([]float64, len(up))
	for i := range up {
		differences[i] = (up[i] - down[i]) / (2 * h)
	}
	fixture.Close(t, "X' inside intervals", dx, differences, 1e-7)
}

func TestCheckKnots(t *testing.T) {
	for name, knots := range map[string][]float64{
		"none": nil, "one": {1}, "equal": {0, 1, 1}, "decreasing": {0, 2, 1}, "NaN": {0, math.NaN()}, "infinite": {0, math.Inf(1)},
	} {
		if err := path.CheckKnots(knots); !errors.Is(err, path.ErrKnots) {
			t.Errorf("%s: %v, want ErrKnots", name, err)
		}
	}
	if err := path.CheckKnots([]float64{0, 1e-9, 5}); err != nil {
		t.Error(err)
	}
}
