package path

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// natural returns the natural cubic spline. Its second derivatives M_k at the knots solve
//
//	h_k-1 M_k-1 + 2(h_k-1 + h_k) M_k + h_k M_k+1 = 6 ((x_k+1 - x_k)/h_k - (x_k - x_k-1)/h_k-1),  M_0 = M_T-1 = 0
//
// and with v = h - u, on the interval k,
//
//	X(t) = x_k + (u/h)(x_k+1 - x_k) - (uv/6h) ((h+v) M_k + (h+u) M_k+1)
//
// M is linear in x, so X is too; [Knots] computes the weights of M. Source: Kidger et al. 2020; C. de Boor, A Practical
// Guide to Splines, chapter IV.
func natural(curvature *Node, at span) Interval {
	// [batch, 1]
	k := ExpandAxes(at.k, -1)
	// [batch, T]
	weights := func(k *Node) *Node { return Squeeze(rowOf(curvature, k, 0, curvature.Shape().Dimensions[0]), 1) }
	left, right := weights(k), weights(AddScalar(k, 1))

	// Weights w of x_k+1, a of M_k and b of M_k+1: in X, then in X'.
	u, h := at.u, at.h
	v := Sub(h, u)
	share := func(x *Node) *Node { return Mul(Div(Mul(u, v), MulScalar(h, -6)), Add(h, x)) }
	slope := func(x *Node) *Node { return Div(Sub(MulScalar(Square(x), 3), Square(h)), MulScalar(h, 6)) }
	dims := left.Shape().Dimensions
	next := Equal(Iota(k.Graph(), shapes.Make(dtypes.Int32, dims...), 1), BroadcastToDims(AddScalar(k, 1), dims...))
	row := func(w, a, b *Node) *Node {
		wide := func(x *Node) *Node { return ExpandAxes(x, -1) }
		line := Where(next, BroadcastToDims(wide(w), dims...), ZerosLike(left))
		return Add(line, Add(Mul(wide(a), left), Mul(wide(b), right)))
	}
	value, derivative := row(Div(u, h), share(v), share(u)), row(Inverse(h), Neg(slope(v)), slope(u))
	return Interval{Knots: k, Weights: Stack([]*Node{value, derivative}, 1), Time: at.t, Clock: OnesLike(at.t), all: true}
}

// curvatureWeights returns the weights [T][T] of the values in the second derivative at each knot.
func curvatureWeights(knots []float64) [][]float64 {
	identity := make([][]float64, len(knots))
	for k := range identity {
		identity[k] = make([]float64, len(knots))
		identity[k][k] = 1
	}
	return curvatures(knots, identity)
}

// curvatures returns the second derivatives [T][m] at the knots of natural splines through values [T][m]. The system is
// tridiagonal and diagonally dominant, so elimination without pivots is stable.
func curvatures(knots []float64, values [][]float64) [][]float64 {
	last, width := len(knots)-1, len(values[0])
	second := make([][]float64, last+1)
	for k := range second {
		second[k] = make([]float64, width)
	}
	above := make([]float64, last+1) // h_k divided by the pivot of row k
	for k := 1; k < last; k++ {
		before, after := knots[k]-knots[k-1], knots[k+1]-knots[k]
		pivot := 2*(before+after) - before*above[k-1]
		above[k] = after / pivot
		for i := range width {
			rise := 6 * ((values[k+1][i]-values[k][i])/after - (values[k][i]-values[k-1][i])/before)
			second[k][i] = (rise - before*second[k-1][i]) / pivot
		}
	}
	for k := last - 1; k > 0; k-- {
		for i := range width {
			second[k][i] -= above[k] * second[k+1][i]
		}
	}
	return second
}

// spline evaluates the natural spline on the interval k at t, given values and second derivatives at its ends.
func spline(t, left, right, x, next, curvature, nextCurvature float64) float64 {
	u, v, h := t-left, right-t, right-left
	return x + u/h*(next-x) - u*v/(6*h)*((h+v)*curvature+(h+u)*nextCurvature)
}
