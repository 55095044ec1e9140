package path

import (
	"cmp"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Locate finds the interval of t [batch] float64 among knots: the tensors of [Knots], or only the times if the kind is
// not Natural. For Rectilinear t counts along the lengthened axis, see [Lengthen].
//
// side [batch] float64 chooses the interval for a time on a knot, or within |side| of it: the interval that begins
// there if side is positive, else, and if side is nil, the interval that ends there. The path itself is continuous. X'
// of a Linear or Rectilinear path, and the rate of the time channel of a Rectilinear path, have two limits at a knot.
//
// Like all functions that build graphs, Locate and the methods of [Interval] panic on invalid nodes, with an error that
// wraps [ErrKind], [ErrKnots] or [ErrValues].
func Locate(kind Kind, knots []*Node, t, side *Node) Interval {
	if err := kind.Check(); err != nil {
		panic(err)
	}
	if len(knots) == 0 || kind == Natural && len(knots) < 2 {
		panic(errs.New(ErrKnots, "pengcde/path: %d tensors of knots for a %v path, want those that Knots makes", len(knots),
			kind))
	}
	times := knots[0]
	// Checked here because an out-of-range gather is silent.
	if times.Rank() != 2 || t.Rank() != 1 || t.Shape().Dim(0) != times.Shape().Dim(0) ||
		times.DType() != dtypes.Float64 || t.DType() != dtypes.Float64 {
		panic(errs.New(ErrKnots, "pengcde/path: times %s and knots %s, want [batch] and [batch, T] float64", t.Shape(),
			times.Shape()))
	}
	if side != nil && !side.Shape().Equal(t.Shape()) {
		panic(errs.New(ErrKnots, "pengcde/path: side %s of times %s, want one of the same shape", side.Shape(), t.Shape()))
	}
	m := moment{t, side}
	var i Interval
	kind = cmp.Or(kind, Hermite)
	switch kind {
	case Hermite:
		i = hermite(among(times, m))
	case Linear:
		i = linear(among(times, m))
	case Rectilinear:
		i = rectilinear(times, m)
	case Natural:
		i = natural(knots[1], among(times, m))
	case Ramp:
		i = ramp(among(times, m))
	}
	i.count = times.Shape().Dim(1)
	if kind == Hermite || kind == Linear || kind == Ramp {
		i.kernel = &kernel{kind: kind, times: times, moment: m}
	}
	return i
}

// moment is a time and the side of it to evaluate.
type moment struct{ t, side *Node }

// past reports whether a border lies before the moment. distance [batch, ...] is the moment's time minus the border's.
func (m moment) past(distance *Node) *Node {
	past := GreaterThan(distance, ZerosLike(distance))
	if m.side == nil {
		return past
	}
	side := m.side
	for side.Rank() < distance.Rank() {
		side = ExpandAxes(side, -1)
	}
	side = BroadcastToDims(side, distance.Shape().Dimensions...)
	return Where(LessOrEqual(Abs(distance), Abs(side)), GreaterThan(side, ZerosLike(side)), past)
}

// span is the interval of each sample's time t; all nodes are [batch].
type span struct {
	k      *Node // int32, index of the interval
	first  *Node // bool, true in the first interval
	before *Node // length of the interval before; 1 in the first
	t, tk  *Node // the time and the knot on its left
	u, h   *Node // t - t_k and the length
}

// among finds the interval of a moment [batch] among times [batch, T].
func among(times *Node, m moment) span {
	g, dims, t := times.Graph(), times.Shape().Dimensions, m.t
	batch, count := dims[0], dims[1]
	before := m.past(Sub(ExpandAxes(t, -1), times))
	k := AddScalar(ReduceSum(ConvertDType(before, dtypes.Int32), -1), -1)
	k = Min(Max(k, Scalar(g, dtypes.Int32, 0)), Scalar(g, dtypes.Int32, count-2))

	first := Equal(k, ZerosLike(k))
	at := Stack([]*Node{Where(first, k, AddScalar(k, -1)), k, AddScalar(k, 1)}, 1) // [batch, 3]
	offset := MulScalar(Iota(g, at.Shape(), 0), count)
	near := Gather(Reshape(times, batch*count), ExpandAxes(Add(at, offset), -1)) // [batch, 3]
	t0, tk, t1 := column(near, 0), column(near, 1), column(near, 2)
	h := Sub(t1, tk)
	return span{k: k, first: first, before: Where(first, OnesLike(h), Sub(tk, t0)), t: t, tk: tk, u: Sub(t, tk), h: h}
}

// column returns x[:, i].
func column(x *Node, i int) *Node { return Squeeze(Slice(x, AxisRange(), AxisElem(i)), -1) }

// pair returns the interval in which X = x_k + w d and X' = dw d, d = x_k+1 - x_k.
func (s span) pair(w, dw *Node) Interval {
	i := Interval{Knots: Stack([]*Node{s.k, AddScalar(s.k, 1)}, 1), Time: s.t, Clock: OnesLike(s.t)}
	return i.between([]*Node{w}, []*Node{dw})
}

// fraction returns u/h, clipped to [0, 1].
func fraction(u, h *Node) *Node {
	r := Div(u, h)
	return Min(Max(r, ZerosLike(r)), OnesLike(r))
}
