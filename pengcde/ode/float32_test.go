package ode

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// From t0 = 1e6 on, where neighbouring float32 are 1/16 apart, float32 states equal the states from t0 = 0: times are
// not rounded to the state's type. A field that rounds them itself sees constant time within each sixteenth.
func TestFloat32TimesAtAMillion(t *testing.T) {
	const far = 1e6
	times := func(t0 float64) [][]float64 { return [][]float64{{t0, t0 + 0.01, t0 + 0.02, t0 + 0.25}} }
	since := func(t *Node, t0 float64) *Node { return AddScalar(t, -t0) }
	for _, c := range []struct {
		name  string
		field func(t0 float64) Field
		exact bool
	}{
		{"converts after subtracting", func(t0 float64) Field {
			return func(t, z *Node, _ []*Node) *Node {
				return Mul(z, Cos(MulScalar(ExpandAxes(ConvertDType(since(t, t0), z.DType()), -1), 9)))
			}
		}, true},
		{"converts before", func(t0 float64) Field {
			return func(t, z *Node, _ []*Node) *Node {
				return Mul(z, Cos(MulScalar(ExpandAxes(since(ConvertDType(t, z.DType()), t0), -1), 9)))
			}
		}, false},
	} {
		for _, control := range []StepSize{Constant{1.0 / 128}, PID{}} {
			solve := func(t0 float64) ([]float32, []float64) {
				s := newSolver(t, c.field(t0), Config{StepSize: control})
				sol := run(t, s, Problem{Z0: tensors.FromValue([][]float32{{1}}), Times: times(t0),
					StepTo: [][]float64{{t0 + 0.15}}})
				return tensors.MustCopyFlatData[float32](sol.Z), sol.StepTimes(0)
			}
			near, _ := solve(0)
			away, steps := solve(far)
			if !contains(steps, far+0.15) {
				t.Errorf("%s, %T: steps end at %v, want %v among them", c.name, control, steps, far+0.15)
			}
			worst := 0.0
			for i := range near {
				worst = max(worst, math.Abs(float64(near[i]-away[i])))
			}
			if c.exact != (worst < 1e-6) {
				t.Errorf("%s, %T: states differ by %.2g", c.name, control, worst)
			}
		}
	}
}
