package path

import . "github.com/gomlx/gomlx/core/graph"

// ramp returns the path that goes from each value to the next with derivative 0 at both ends,
//
//	X(t) = x_k + (3r² - 2r³) (x_k+1 - x_k),  r = u/h
//
// It is continuously differentiable and monotone in each interval, so it never leaves the range of the values that it
// joins: a change of topology is complete at the knot that shows it. The path is constant before the first knot and
// after the last.
//
// It is the cubic Hermite path with all knot derivatives 0 (F. N. Fritsch, R. E. Carlson, Monotone Piecewise Cubic
// Interpolation, SIAM J. Numer. Anal. 17, 1980: any such choice within their bounds is monotone). Early torchcde
// pursued the same goal with linear paths that slow down at knots, u/h - sin(2πu/h)/2π (LinearInterpolation,
// reparameterise).
func ramp(at span) Interval {
	r := fraction(at.u, at.h)
	w := Mul(Square(r), AddScalar(MulScalar(r, -2), 3))
	return at.pair(w, Div(MulScalar(Mul(r, OneMinus(r)), 6), at.h))
}
