package path_test

import (
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// The effect of a single change: a value that jumps by 1 over an interval of length h, between longer constant ones.
// Hermite reaches 4/3 of jump/h and overshoots by 4/27 of the ratio of lengths; Ramp reaches 3/2 and Linear 1 without
// overshoot. The table is in the package documentation.
func TestOneJump(t *testing.T) {
	const count = 2041 // a multiple of 3 intervals, so that 2h/3 is met
	for _, h := range []float64{1, 0.05, 0.005} {
		knots := []float64{0, 1, 1 + h, 2 + h, 3 + h}
		jump := []float64{0, 0, 1, 1, 1}
		for _, kind := range kinds {
			at := make([]float64, 0, 2*count)
			start, end, length := 1.0, 3+h, h
			if kind == path.Rectilinear {
				start, end = 2, path.Lengthen(knots, knots[4:])[0]
				length = 2 * h
			}
			for i := range count {
				r := float64(i) / (count - 1)
				at = append(at, start+r*length, r*end)
			}
			got := eval(t, kind, knots, jump, nil, at)
			steepest, over, under := 0.0, 0.0, 0.0
			for i := range at {
				steepest, over, under = max(steepest, math.Abs(got.dx[i])*h), max(over, got.x[i]-1), max(under, -got.x[i])
			}
			t.Logf("h = %g, %v: |X'| %.4g jump/h, X beyond by %.4g above and %.4g below", h, kind, steepest, over, under)
			want := map[path.Kind][2]float64{
				path.Hermite: {4.0 / 3, 4.0 / 27 / h}, path.Linear: {1, 0}, path.Rectilinear: {1, 0}, path.Ramp: {1.5, 0},
			}
			if w, known := want[kind]; known {
				if !(math.Abs(steepest-w[0]) <= 1e-5) || !(math.Abs(over-w[1]) <= 1e-5*(1+w[1])) || under > 1e-15 {
					t.Errorf("h = %g, %v: |X'| %g jump/h, overshoot %g, want %g and %g", h, kind, steepest, over, w[0], w[1])
				}
			} else if steepest < 1 || steepest > 1.5 || over <= 0 || under <= 0 {
				t.Errorf("h = %g, %v: |X'| %g jump/h, over %g, under %g", h, kind, steepest, over, under)
			}
		}
	}
}
