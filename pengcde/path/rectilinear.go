package path

import (
	"sort"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// rectilinear is the path that never looks ahead: from knot to knot time moves first, for as long as the interval h,
// while the value stays; then the value moves for as long again, while time stays. With s_k = 2t_k - t_0 and u = s -
// s_k:
//
//	u <= h      time = t_k + u, X = x_k,                            clock 1, X' = 0
//	h < u <= 2h time = t_k+1,   X = x_k + ((u-h)/h) (x_k+1 - x_k),  clock 0, X' = (x_k+1 - x_k)/h
//
// Outside of the knots time moves and the value stays. Source: Morrill et al. 2021; torchcde gives each of the
// two moves unit length, which is the same path at another speed.
func rectilinear(times *Node, m moment) Interval {
	start := Slice(times, AxisRange(), AxisElem(0))
	at := among(Sub(MulScalar(times, 2), start), m)
	h := MulScalar(at.h, 0.5)
	tk := MulScalar(Add(at.tk, column(times, 0)), 0.5)
	over := Sub(at.u, h) // how far into the move of the value
	inside := LogicalAnd(m.past(over), LogicalNot(m.past(Sub(over, h))))
	clock := Where(inside, ZerosLike(h), OnesLike(h))

	interval := at.pair(fraction(over, h), Div(OneMinus(clock), h))
	later := Add(Add(tk, h), Max(Sub(over, h), ZerosLike(over)))
	interval.Time = Where(GreaterThan(over, ZerosLike(over)), later, Add(tk, at.u))
	interval.Clock = clock
	return interval
}

// Lengthen gives the place of times on the axis of a Rectilinear path, which runs from t_0 to 2 t_T-1 - t_0. At a knot
// it is where its observation has been taken in, 2t_k - t_0; between knots, where time has moved on from the last of
// them. Without knots there is no axis: then it panics, with an error that wraps [ErrKnots].
func Lengthen(knots, times []float64) []float64 {
	if len(knots) == 0 {
		panic(errs.New(ErrKnots, "pengcde/path: no knots to lengthen, want the knots of the observations"))
	}
	out := make([]float64, len(times))
	for i, t := range times {
		k := max(sort.Search(len(knots), func(k int) bool { return knots[k] > t })-1, 0)
		out[i] = (2*knots[k] - knots[0]) + (t - knots[k])
	}
	return out
}
