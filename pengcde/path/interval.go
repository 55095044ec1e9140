package path

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Interval says where a time lies among the knots of its sample, and how the values at knots combine there.
type Interval struct {
	// Knots [batch, K] int32 are those whose values combine: k and k+1 for the interval k, and before them k-1 for
	// Hermite; k-1 is 0 in the first, with weight 0. For Natural it is k alone.
	Knots *Node
	// Weights [batch, 2, K-1] float64 are those that the differences between the values at successive Knots have in X -
	// x_k (row 0) and in X' (row 1). For Natural they are [batch, 2, T], of x_j - x_k for each knot j. With
	// differences, X' is exactly 0 where the observations do not change.
	Weights *Node
	// Time [batch] float64 is the time channel of the path, Clock [batch] its derivative: t and 1 but for Rectilinear.
	Time, Clock *Node

	all   bool // every knot has a weight
	count int  // of knots; 0 where that is not known
}

// Freeze is the interval with X' = 0 for the samples where moving [batch] bool is false.
func (i Interval) Freeze(moving *Node) Interval {
	own := ConvertDType(moving, i.Weights.DType())
	own = Stack([]*Node{OnesLike(own), own}, 1) // for X and for X'
	i.Weights = Mul(i.Weights, ExpandAxes(own, -1))
	return i
}

// fits panics unless x is [batch, T, ...]: a gather past the end is silent.
func (i Interval) fits(what string, x *Node) {
	batch := i.Knots.Shape().Dim(0)
	if x.Rank() < 2 || x.Shape().Dim(0) != batch || i.count > 0 && x.Shape().Dim(1) != i.count {
		panic(errs.New(ErrValues, "pengcde/path: %s %s, want [batch, T, ...] of %d samples and %d knots", what, x.Shape(),
			batch, i.count))
	}
}

// floats panics unless x is [batch, J, ...] floats: with integers weights would be rounded.
func (i Interval) floats(x *Node) {
	batch := i.Knots.Shape().Dim(0)
	if x.Rank() < 2 || x.Shape().Dim(0) != batch || !x.DType().IsFloat() {
		panic(errs.New(ErrValues, "pengcde/path: values %s, want floats, a row for each of %d samples", x.Shape(), batch))
	}
}

// Eval is the value and the derivative, both [batch, ...], of the path through values [batch, T, ...] at the knots.
func (i Interval) Eval(values *Node) (x, dx *Node) {
	i.fits("values", values)
	i.floats(values)
	if i.all {
		return i.weigh(values, i.Knots, i.Weights)
	}
	return i.combine(values, i.Knots)
}

// Snapshots is Eval for few distinct values: rows [batch, J, ...] of which index [batch, T] int32 names the one in
// force at each knot.
func (i Interval) Snapshots(rows, index *Node) (x, dx *Node) {
	i.fits("index", index)
	i.floats(rows)
	dims := index.Shape().Dimensions
	offset := MulScalar(Iota(index.Graph(), i.Knots.Shape(), 0), dims[1])
	in := Gather(Reshape(index, dims[0]*dims[1]), ExpandAxes(Add(i.Knots, offset), -1)) // [batch, K]
	if i.all {
		inForce := OneHot(index, rows.Shape().Dimensions[1], i.Weights.DType()) // [batch, T, J]
		return i.weigh(rows, in, DotGeneral(i.Weights, []int{2}, []int{0}, inForce, []int{1}, []int{0}))
	}
	return i.combine(rows, in)
}

// combine weighs the differences between the rows [batch, J, ...] named by at [batch, K]. It does so sample by sample
// where rows are sliced, so that XLA reads them where they are.
func (i Interval) combine(rows, at *Node) (x, dx *Node) {
	dims := rows.Shape().Dimensions
	rows = Reshape(rows, dims[0], dims[1], -1)
	weights := ConvertDType(i.Weights, rows.DType())
	each := dims[0]
	if sliced(rows) {
		each = 1
	}
	var xs, dxs []*Node
	for from := 0; from < dims[0]; from += each {
		named := make([]*Node, at.Shape().Dimensions[1]) // [each, 1, ...]
		for k := range named {
			named[k] = rowOf(rows, Slice(at, AxisRange(), AxisElem(k)), from, each)
		}
		combined := func(j int) (sum *Node) {
			for k := range len(named) - 1 {
				weight := Slice(weights, AxisRange(from, from+each), AxisElem(j), AxisElem(k)) // [each, 1, 1]
				term := Mul(weight, Sub(named[k+1], named[k]))
				if sum == nil {
					sum = term
				} else {
					sum = Add(sum, term)
				}
			}
			return sum
		}
		xs, dxs = append(xs, Add(named[len(named)-2], combined(0))), append(dxs, combined(1))
	}
	shape := append([]int{dims[0]}, dims[2:]...)
	return once(Reshape(Concatenate(xs, 0), shape...), Reshape(Concatenate(dxs, 0), shape...))
}

// once keeps XLA from computing the path again wherever it is used, in each layer and bucket.
func once(x, dx *Node) (*Node, *Node) {
	if !x.Graph().Backend().Capabilities().Operations[compute.OpTypeOptimizationBarrier] {
		return x, dx
	}
	both := OptimizationBarriers(x, dx)
	return both[0], both[1]
}

// weigh adds up the differences of all rows [batch, J, ...] from the one named by at [batch, 1], by weights [batch, 2,
// J]. It sums products where a matrix product would do, since those are rounded to ten bits on some devices.
func (i Interval) weigh(rows, at, weights *Node) (x, dx *Node) {
	dims := rows.Shape().Dimensions
	rows = Reshape(rows, dims[0], dims[1], -1)
	base := rowOf(rows, at, 0, dims[0]) // [batch, 1, ...]
	differences := Sub(rows, base)
	weights = ConvertDType(weights, rows.DType())
	summed := func(j int) *Node {
		weight := Reshape(Slice(weights, AxisRange(), AxisElem(j)), dims[0], dims[1], 1)
		return ReduceSum(Mul(weight, differences), 1)
	}
	shape := append([]int{dims[0]}, dims[2:]...)
	return once(Reshape(Add(Squeeze(base, 1), summed(0)), shape...), Reshape(summed(1), shape...))
}

// maxSliced is the largest batch whose rows are sliced one by one.
const maxSliced = 32

// sliced says whether rows [batch, J, width] are to be sliced sample by sample. XLA gathers entry by entry on a CPU,
// which takes many times as long.
func sliced(rows *Node) bool {
	return rows.Shape().Dimensions[0] <= maxSliced &&
		rows.Graph().Backend().Capabilities().Operations[compute.OpTypeDynamicSlice]
}

// rowOf picks row at [batch, 1] of each sample of rows [batch, J, width] among count from one on: [count, 1, width].
func rowOf(rows, at *Node, from, count int) *Node {
	g, dims := rows.Graph(), rows.Shape().Dimensions
	if !sliced(rows) {
		flat := Reshape(rows, dims[0]*dims[1], dims[2])
		offset := MulScalar(Iota(g, at.Shape(), 0), dims[1])
		return Slice(Gather(flat, ExpandAxes(Add(at, offset), -1)), AxisRange(from, from+count))
	}
	parts := make([]*Node, count)
	for i := range parts {
		index := func(i int) *Node { return Const(g, int32(i)) }
		start := []*Node{index(from + i), Reshape(Slice(at, AxisElem(from+i))), index(0)}
		parts[i] = DynamicSlice(rows, start, []int{1, 1, dims[2]})
	}
	return Concatenate(parts, 0)
}
