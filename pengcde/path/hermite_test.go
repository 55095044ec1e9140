package path_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// eval evaluates the path of one sample at a time, from values at its knots or from snapshots in force there.
func eval(t *testing.T, knots, rows []float64, index []int32, time float64) (x, dx []float64) {
	t.Helper()
	distinct := len(knots)
	if index != nil {
		distinct = 0
		for _, i := range index {
			distinct = max(distinct, int(i)+1)
		}
	}
	inputs := []any{
		tensors.FromFlatDataAndDimensions(append([]float64{}, knots...), 1, len(knots)),
		tensors.FromFlatDataAndDimensions(append([]float64{}, rows...), 1, distinct, len(rows)/distinct),
		tensors.FromValue([]float64{time}),
	}
	if index != nil {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(append([]int32{}, index...), 1, len(index)))
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
	knots, xs := f.Get("ts").Array().Data, f.Get("xs").Array().Data
	for i, time := range f.Get("query").Array().Data {
		x, dx := eval(t, knots, xs, nil, time)
		fixture.Close(t, "value", x, f.Get("value").Array().Row(i).Data, 1e-12)
		fixture.Close(t, "derivative", dx, f.Get("derivative").Array().Row(i).Data, 1e-12)
	}
}

func TestFixtureControlPath(t *testing.T) {
	f := fixture.Load(t, "control_path")
	ts, controls, queries := f.Get("ts").Array(), f.Get("control_list").Array(), f.Get("query").Array()
	events := f.Get("event_indices").Array().Ints()
	index := make([]int32, ts.Dims[1])
	for k := range index {
		for _, e := range events {
			if e <= k {
				index[k]++
			}
		}
	}
	for b := range ts.Dims[0] {
		var values, derivatives []float64
		for _, time := range queries.Row(b).Data {
			x, dx := eval(t, ts.Row(b).Data, controls.Row(b).Data, index, time)
			values, derivatives = append(values, x...), append(derivatives, dx...)
		}
		fixture.Close(t, "value", values, f.Get("value").Array().Row(b).Data, 1e-12)
		fixture.Close(t, "derivative", derivatives, f.Get("derivative").Array().Row(b).Data, 1e-12)
	}
}

// The path passes through its knots and is continuously differentiable; its derivative is that of its value.
func TestPathIsSmooth(t *testing.T) {
	knots, xs := []float64{-1, 0, 0.4, 2, 2.1}, []float64{1, -2, 0.5, 3, 3}
	for k, knot := range knots {
		x, dx := eval(t, knots, xs, nil, knot)
		if math.Abs(x[0]-xs[k]) > 1e-12 {
			t.Errorf("X(%g) = %g, want %g", knot, x[0], xs[k])
		}
		after, dAfter := eval(t, knots, xs, nil, knot+1e-9)
		if math.Abs(after[0]-x[0]) > 1e-6 || math.Abs(dAfter[0]-dx[0]) > 1e-5 {
			t.Errorf("at %g the path jumps: X %g to %g, X' %g to %g", knot, x[0], after[0], dx[0], dAfter[0])
		}
	}
	for _, time := range []float64{-0.6, 0.1, 0.3, 1.1, 2.05} {
		const h = 1e-5
		up, _ := eval(t, knots, xs, nil, time+h)
		down, _ := eval(t, knots, xs, nil, time-h)
		if _, dx := eval(t, knots, xs, nil, time); math.Abs(dx[0]-(up[0]-down[0])/(2*h)) > 1e-6 {
			t.Errorf("X'(%g) = %g, differences give %g", time, dx[0], (up[0]-down[0])/(2*h))
		}
	}
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
