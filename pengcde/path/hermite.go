package path

import . "github.com/gomlx/gomlx/core/graph"

// hermite returns the cubic Hermite path with backward differences: with s = (x_k+1 - x_k)/h the slope of the interval
// and m the slope of the interval before (s itself in the first, which is a straight line),
//
//	X(t) = x_k + (u - p) m + p s,  p = 2u²/h - u³/h²
//
// so that X'(t_k) = m and X'(t_k+1) = s. Source: Morrill et al. 2021.
func hermite(at span) Interval {
	u, h := at.u, at.h
	p := Sub(Div(MulScalar(Square(u), 2), h), Div(Mul(u, Square(u)), Square(h)))
	dp := Sub(Div(MulScalar(u, 4), h), Div(MulScalar(Square(u), 3), Square(h)))
	q, dq := Sub(u, p), OneMinus(dp)
	// The first interval has no slope before it and is a straight line: all weight goes to s.
	p, dp = Where(at.first, u, p), Where(at.first, OnesLike(dp), dp)
	q, dq = Where(at.first, ZerosLike(q), q), Where(at.first, ZerosLike(dq), dq)
	row := func(q, p *Node) []*Node { return []*Node{Div(q, at.before), Div(p, h)} }
	i := Interval{
		Knots: Stack([]*Node{Where(at.first, at.k, AddScalar(at.k, -1)), at.k, AddScalar(at.k, 1)}, 1),
		Time:  at.t, Clock: OnesLike(at.t),
	}
	return i.between(row(q, p), row(dq, dp))
}
