// Package path turns observations into a control path: a function X(t) with a derivative X'(t) that drives a
// controlled differential equation.
//
// Values x_k at knots t_0 < t_1 < ... are joined by cubics whose derivative at a knot is the slope of the interval
// before it (backward differences), so the path is continuously differentiable and the part on [t_k, t_k+1] depends on
// x_k-1, x_k and x_k+1 alone. The first interval is a straight line. With h = t_k+1 - t_k, u = t - t_k,
// s = (x_k+1 - x_k)/h, m the slope of the interval before, and p = 2u²/h - u³/h²:
//
//	X(t) = x_k + (u - p) m + p s
//
// Since X(t) and X'(t) are combinations of three values, a path of graphs is never stored per time: [Locate] gives the
// weights, [Interval.Snapshots] combines rows that are stored once however many knots they are in force at.
//
// Start with [Locate] and [Interval.Eval]. All functions build GoMLX graphs for a batch of samples, each with its own
// knots; [CheckKnots] checks knots on the host.
//
// A query exactly on a knot uses the interval on its left, and queries outside the knots continue the first or last
// cubic. The value inside an interval depends on the observation at its end, so the path looks ahead by up to one
// interval.
//
// Reference: J. Morrill, P. Kidger, L. Yang, T. Lyons, On the Choice of Interpolation Scheme for Neural CDEs, TMLR 2022.
package path
