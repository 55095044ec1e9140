package path

import (
	"sort"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// rectilinear returns the path that never looks ahead. From knot to knot time moves first, for the length h of the
// interval, while the value is constant. Then the value moves for the same length, while time is constant. With s_k =
// 2t_k - t_0 and u = s - s_k:
//
//	u <= h      time = t_k + u, X = x_k,                            clock 1, X' = 0
//	h < u <= 2h time = t_k+1,   X = x_k + ((u-h)/h) (x_k+1 - x_k),  clock 0, X' = (x_k+1 - x_k)/h
//
// Outside the knots time moves and the value is constant. Source: Morrill et al. 2021; torchcde gives each of the two
// moves unit length, which is the same path at another speed.
func rectilinear(times *Node, m moment) Interval {
	start := Slice(times, AxisRange(), AxisElem(0))
	at := among(Sub(MulScalar(times, 2), start), m)
	h := MulScalar(at.h, 0.5)
	tk := MulScalar(Add(at.tk, column(times, 0)), 0.5)
	over := Sub(at.u, h) // length of the value's move so far
	inside := LogicalAnd(m.past(over), LogicalNot(m.past(Sub(over, h))))
	clock := Where(inside, ZerosLike(h), OnesLike(h))

	interval := at.pair(fraction(over, h), Div(OneMinus(clock), h))
	later := Add(Add(tk, h), Max(Sub(over, h), ZerosLike(over)))
	interval.Time = Where(GreaterThan(over, ZerosLike(over)), later, Add(tk, at.u))
	interval.Clock = clock
	return interval
}

// Lengthen maps times to the axis of a Rectilinear path, which runs from t_0 to 2 t_T-1 - t_0. A knot maps to the point
// where its observation is complete, 2t_k - t_0. A time between knots maps to the point that time has reached after the
// last knot. Without knots Lengthen panics, with an error that wraps [ErrKnots].
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
