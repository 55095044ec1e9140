package ridge

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestFill(t *testing.T) {
	nan := math.NaN()
	columns, means := Fill([][]float64{{1, 10, 2, 20}, {nan, nan, 4, nan}}, 2)
	want := [][]float64{{1, 2}, {10, 20}, {4, 4}, {0, 0}}
	if !reflect.DeepEqual(columns, want) || !reflect.DeepEqual(means, []float64{1.5, 15, 4, 0}) {
		t.Errorf("%v with means %v, want %v with means [1.5 15 4 0]", columns, means, want)
	}
}

func TestSolve(t *testing.T) {
	xx, xy := mat.NewSymDense(2, []float64{2, 1, 1, 3}), mat.NewVecDense(2, []float64{5, 10})
	for penalty, want := range map[float64][2]float64{0: {1, 3}, 1: {10.0 / 11, 25.0 / 11}} {
		b, ok := Solve(xx, xy, penalty)
		if !ok || !(math.Abs(b[0]-want[0]) <= 1e-12) || !(math.Abs(b[1]-want[1]) <= 1e-12) {
			t.Errorf("penalty %g: %v (%v), want %v", penalty, b, ok, want)
		}
	}
	if xx.At(0, 0) != 2 {
		t.Errorf("the sums were changed to %v", mat.Formatted(xx))
	}
	for name, singular := range map[string]*mat.SymDense{"of one row": mat.NewSymDense(2, []float64{1, 1, 1, 1}),
		"not finite": mat.NewSymDense(2, []float64{math.NaN(), 0, 0, 1})} {
		if b, ok := Solve(singular, xy, 0); ok {
			t.Errorf("%s: %v, want none", name, b)
		}
	}
}
