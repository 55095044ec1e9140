package path_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// On a border a path has the value of both sides, and the derivative, time and clock of the given side, as just next to
// the border. Without a side they come from the interval on the left.
func TestSidesOfKnots(t *testing.T) {
	knots := []float64{0, 0.5, 1.5, 2, 3.25}
	values := []float64{1, -2, 0, 3, 3, 3, -1, 0.5, 2, 2} // two entries a knot
	const near = 1e-7
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			tables, err := path.Knots(kind, [][]float64{knots})
			if err != nil {
				t.Fatal(err)
			}
			at := func(time float64, side *float64) [4][]float64 {
				t.Helper()
				p, err := xla.NewProgram(xlatest.Go(t), "side", func(in []*graph.Node) []*graph.Node {
					var node *graph.Node
					knots := in[2:]
					if side != nil {
						node, knots = in[2], in[3:]
					}
					i := path.Locate(kind, knots, in[1], node)
					x, dx := i.Eval(in[0])
					return []*graph.Node{x, dx, i.Time, i.Clock}
				})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				rows := make([][]float64, len(knots))
				for k := range rows {
					rows[k] = values[2*k : 2*k+2]
				}
				inputs := []any{[][][]float64{rows}, []float64{time}}
				if side != nil {
					inputs = append(inputs, []float64{*side})
				}
				for _, table := range tables {
					inputs = append(inputs, table)
				}
				out, err := p.Call(inputs...)
				if err != nil {
					t.Fatal(err)
				}
				defer xla.Free(out...)
				return [4][]float64{out[0].Value().([][]float64)[0], out[1].Value().([][]float64)[0],
					out[2].Value().([]float64), out[3].Value().([]float64)}
			}
			borders := append([]float64{}, knots[1:len(knots)-1]...)
			if kind == path.Rectilinear { // where time stops, and where it goes on
				borders = nil
				for k := 0; k < len(knots)-1; k++ {
					start, h := 2*knots[k]-knots[0], knots[k+1]-knots[k]
					borders = append(borders, start+h, start+2*h)
				}
			}
			before, after, jumps := -1e-16, 1e-16, false
			for _, time := range borders {
				left, right, plain := at(time, &before), at(time, &after), at(time, nil)
				for what, name := range []string{"value", "derivative", "time", "clock"} {
					wantLeft, wantRight := at(time-near, nil)[what], at(time+near, nil)[what]
					for i := range left[what] {
						if !(math.Abs(left[what][i]-wantLeft[i]) <= 1e-4) || !(math.Abs(right[what][i]-wantRight[i]) <= 1e-4) {
							t.Errorf("%s at %g: %g from the left and %g from the right, beside it %g and %g", name, time,
								left[what][i], right[what][i], wantLeft[i], wantRight[i])
						}
						if plain[what][i] != left[what][i] {
							t.Errorf("%s at %g: %g without a side, %g from the left", name, time, plain[what][i], left[what][i])
						}
						jumps = jumps || math.Abs(left[what][i]-right[what][i]) > 0.1
					}
				}
			}
			if wanted := kind == path.Linear || kind == path.Rectilinear; jumps != wanted {
				t.Errorf("derivative or clock jumps: %t, want %t", jumps, wanted)
			}
		})
	}
}
