package dyngraph_test

import (
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

func TestForecasts(t *testing.T) {
	values := make([]float64, 2*3*4, 3*3*4) // with capacity for one more time
	f := dyngraph.Forecasts{Times: []float64{0, 0.5}, Nodes: 3, Outputs: 4, Values: values}
	for i := range values {
		values[i] = float64(i)
	}
	for i, want := range values {
		at, node, output := i/12, i/4%3, i%4
		if got := f.At(at, node, output); got != want {
			t.Errorf("time %d, node %d, output %d: %g, want %g", at, node, output, got, want)
		}
	}
	if row, node := f.Row(1), f.Node(1, 2); !slices.Equal(row, values[12:]) || !slices.Equal(node, values[20:]) {
		t.Errorf("row %g, node %g", row, node)
	}
	for _, at := range [][3]int{{-1}, {2}, {0, -1}, {0, 3}, {1, 3}, {0, 0, -1}, {0, 0, 4}, {1, 2, 4}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d is in range", at)
				}
			}()
			f.At(at[0], at[1], at[2])
		}()
	}
}
