package path

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ErrKnots is wrapped by the errors of [CheckKnots].
var ErrKnots = errors.New("invalid knots")

// CheckKnots finds knots that no path can have: fewer than two, not finite, or not strictly increasing.
func CheckKnots(knots []float64) error {
	if len(knots) < 2 {
		return fmt.Errorf("pengcde/path: %d knots, want at least 2: a path needs two observations: %w", len(knots), ErrKnots)
	}
	for k, t := range knots {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fmt.Errorf("pengcde/path: knot %d is %g, want a finite time: %w", k, t, ErrKnots)
		}
		if k > 0 && t <= knots[k-1] {
			return fmt.Errorf("pengcde/path: knot %d is %g after %g, want times that increase strictly: sort observations and merge equal times: %w", k, t, knots[k-1], ErrKnots)
		}
	}
	return nil
}

// Interval says where a time lies among the knots of its sample, and how the values at three knots combine there.
type Interval struct {
	// Knots [batch, 3] int32 are k-1, k, k+1 for the interval k; k-1 is 0 in the first, with weight 0.
	Knots *Node
	// Weights [batch, 2, 2] float64 are those that the differences x_k - x_k-1 and x_k+1 - x_k have in X - x_k (row 0)
	// and in X' (row 1). With differences, X' is exactly 0 where the observations do not change.
	Weights *Node
}

// Locate finds the interval of t [batch] float64 among knots [batch, T] float64.
func Locate(knots, t *Node) Interval {
	g, dims := t.Graph(), knots.Shape().Dimensions
	batch, count := dims[0], dims[1]
	before := LessThan(knots, ExpandAxes(t, -1))
	k := AddScalar(ReduceSum(ConvertDType(before, dtypes.Int32), -1), -1)
	k = Min(Max(k, Scalar(g, dtypes.Int32, 0)), Scalar(g, dtypes.Int32, count-2)) // [batch]

	first := Equal(k, ZerosLike(k))
	previous := Where(first, k, AddScalar(k, -1))
	at := Stack([]*Node{previous, k, AddScalar(k, 1)}, 1) // [batch, 3]
	offset := MulScalar(Iota(g, at.Shape(), 0), count)
	times := Gather(Reshape(knots, batch*count), ExpandAxes(Add(at, offset), -1)) // [batch, 3]
	t0, tk, t1 := column(times, 0), column(times, 1), column(times, 2)

	h, u := Sub(t1, tk), Sub(t, tk)
	p := Sub(Div(MulScalar(Square(u), 2), h), Div(Mul(u, Square(u)), Square(h)))
	dp := Sub(Div(MulScalar(u, 4), h), Div(MulScalar(Square(u), 3), Square(h)))
	q, dq := Sub(u, p), OneMinus(dp)
	// In the first interval the slope before it is its own: all weight goes to s.
	p, dp = Where(first, u, p), Where(first, OnesLike(dp), dp)
	q, dq = Where(first, ZerosLike(q), q), Where(first, ZerosLike(dq), dq)
	back := Where(first, OnesLike(h), Sub(tk, t0))
	row := func(q, p *Node) *Node { return Stack([]*Node{Div(q, back), Div(p, h)}, 1) }
	return Interval{Knots: at, Weights: Stack([]*Node{row(q, p), row(dq, dp)}, 1)}
}

func column(x *Node, i int) *Node { return Squeeze(Slice(x, AxisRange(), AxisElem(i)), -1) }

// Eval is the value and the derivative, both [batch, ...], of the path through values [batch, T, ...] at the knots.
func (i Interval) Eval(values *Node) (x, dx *Node) { return i.combine(values, i.Knots) }

// Snapshots is Eval for few distinct values: rows [batch, J, ...] of which index [batch, T] int32 names the one in
// force at each knot.
func (i Interval) Snapshots(rows, index *Node) (x, dx *Node) {
	dims := index.Shape().Dimensions
	offset := MulScalar(Iota(index.Graph(), i.Knots.Shape(), 0), dims[1])
	in := Gather(Reshape(index, dims[0]*dims[1]), ExpandAxes(Add(i.Knots, offset), -1)) // [batch, 3]
	return i.combine(rows, in)
}

// combine weighs the differences of the rows [batch, J, ...] named by at [batch, 3].
func (i Interval) combine(rows, at *Node) (x, dx *Node) {
	dims := rows.Shape().Dimensions
	rows = Reshape(rows, dims[0], dims[1], -1)
	row := func(k int) *Node { return rowOf(rows, Slice(at, AxisRange(), AxisElem(k))) } // [batch, 1, ...]
	first, middle, last := row(0), row(1), row(2)
	before, after := Sub(middle, first), Sub(last, middle)
	weights := ConvertDType(i.Weights, rows.DType())
	combined := func(j int) *Node {
		weight := func(k int) *Node { return Slice(weights, AxisRange(), AxisElem(j), AxisElem(k)) } // [batch, 1, 1]
		return Add(Mul(weight(0), before), Mul(weight(1), after))
	}
	shape := append([]int{dims[0]}, dims[2:]...)
	return Reshape(Add(middle, combined(0)), shape...), Reshape(combined(1), shape...)
}

// maxSliced is the largest batch whose rows are sliced one by one.
const maxSliced = 32

// rowOf picks row at [batch, 1] of each sample of rows [batch, J, width]: [batch, 1, width]. It slices where it can, since
// XLA gathers entry by entry on a CPU, which takes many times as long.
func rowOf(rows, at *Node) *Node {
	g, dims := rows.Graph(), rows.Shape().Dimensions
	batch, count, width := dims[0], dims[1], dims[2]
	if batch > maxSliced || !g.Backend().Capabilities().Operations[compute.OpTypeDynamicSlice] {
		flat := Reshape(rows, batch*count, width)
		offset := MulScalar(Iota(g, at.Shape(), 0), count)
		return Gather(flat, ExpandAxes(Add(at, offset), -1))
	}
	parts := make([]*Node, batch)
	for b := range parts {
		index := func(i int) *Node { return Const(g, int32(i)) }
		start := []*Node{index(b), Reshape(Slice(at, AxisElem(b))), index(0)}
		parts[b] = DynamicSlice(rows, start, []int{1, 1, width})
	}
	return Concatenate(parts, 0)
}
