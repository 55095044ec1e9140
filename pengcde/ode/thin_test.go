package ode

import (
	"context"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// relay is dx/dt = -(x-1) / sqrt((x-1)² + 1e-5) for the first entry and 0 for the others: x moves to 1 at speed 1 and
// stays there, where the slope is 316 within a layer of width 0.003.
func relay(_, z *Node, _ []*Node) *Node {
	x := AddScalar(Slice(z, AxisRange(), AxisRange(0, 1)), -1)
	rest := Slice(z, AxisRange(), AxisRange(1))
	return Concatenate([]*Node{Neg(Div(x, Sqrt(AddScalar(Square(x), 1e-5)))), ZerosLike(rest)}, 1)
}

// In a thin layer the states stay within the tolerance, but the derivative of the steps may not: the derivative of the
// solution decays by exp(-316) per unit of time.
func TestThinLayersNeedTightTolerancesOrShortSteps(t *testing.T) {
	const n = 8
	for _, c := range []struct {
		rtol, max float64
		explodes  bool
	}{{1e-4, 0, true}, {1e-6, 0, false}, {1e-3, 0.008, false}} { // stable to 3.5/316 = 0.0111
		s := newSolver(t, relay, Config{StepSize: PID{RTol: c.rtol, ATol: c.rtol / 1000, Max: c.max}})
		z0 := []float64{1.5, 1, 1, 1, 1, 1, 1, 1}
		sol := run(t, s, Problem{Z0: tensors.FromFlatDataAndDimensions(z0, 1, n), Times: [][]float64{{0, 2}}})
		if off := math.Abs(nnFloats(sol.Z)[n] - 1); !(off <= 10*c.rtol) {
			t.Errorf("RTol %g, Max %g: the state is off by %.2g", c.rtol, c.max, off)
		}
		cotangent := make([]float64, 2*n)
		cotangent[n] = 1
		g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(cotangent, 1, 2, n))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		if got := math.Abs(nnFloats(g.Z0)[0]); (got > 1e10) != c.explodes || !c.explodes && !(got <= 1) {
			t.Errorf("RTol %g, Max %g: derivative by the start %.2g, %d steps; explodes should be %t", c.rtol, c.max, got,
				sol.Stats[0].Accepted, c.explodes)
		}
	}
}
