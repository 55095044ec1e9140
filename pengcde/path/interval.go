package path

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Interval locates a time among the knots of each sample, and holds the weights that combine the values at knots.
type Interval struct {
	// Knots [batch, K] int32 are the indices of the knots whose values combine: k and k+1 for interval k, preceded by
	// k-1 for Hermite. In the first interval k-1 is replaced by 0, with weight 0. Natural has only k.
	Knots *Node
	// Weights [batch, 2, K-1] float64 are the weights of the differences between values at successive Knots, in X - x_k
	// (row 0) and in X' (row 1). For Natural they are [batch, 2, T], the weights of x_j - x_k for each knot j. Because
	// they weight differences, X' is exactly 0 where the observations do not change.
	Weights *Node
	// Time [batch] float64 is the time channel of the path and Clock [batch] its derivative. They are t and 1 except
	// for Rectilinear.
	Time, Clock *Node

	// columns are the columns of Weights, [batch] each, by row; nil if not at hand. Each is a value that XLA can compute
	// where it is used, without a launch on a GPU to stack them.
	columns [2][]*Node

	all    bool    // every knot has a weight
	count  int     // number of knots; 0 if unknown
	kernel *kernel // nil if there is none
}

// Freeze returns the interval with X' = 0 for samples where moving [batch] bool is false.
func (i Interval) Freeze(moving *Node) Interval {
	own := ConvertDType(moving, i.Weights.DType())
	columns := i.columns[1]
	i.columns[1] = nil
	for _, column := range columns {
		i.columns[1] = append(i.columns[1], Mul(column, own))
	}
	if i.kernel != nil {
		held := *i.kernel
		if held.moving = own; i.kernel.moving != nil {
			held.moving = Mul(i.kernel.moving, own)
		}
		i.kernel = &held
	}
	own = Stack([]*Node{OnesLike(own), own}, 1) // for X and for X'
	i.Weights = Mul(i.Weights, ExpandAxes(own, -1))
	return i
}

// between returns the interval whose weights of differences between successive knots are given, for X and for X'.
func (i Interval) between(x, dx []*Node) Interval {
	i.columns = [2][]*Node{x, dx}
	i.Weights = Stack([]*Node{Stack(x, 1), Stack(dx, 1)}, 1)
	return i
}

// weight returns the weight of difference k in X (j = 0) or X' (j = 1) for samples from .. from+count-1, [count, 1, 1].
func (i Interval) weight(j, k, from, count int) *Node {
	if columns := i.columns[j]; columns != nil {
		return ExpandAxes(Slice(columns[k], AxisRange(from, from+count)), 1, 2)
	}
	return Slice(i.Weights, AxisRange(from, from+count), AxisElem(j), AxisElem(k))
}

// fits panics unless x is [batch, T, ...]. The check is needed because an out-of-range gather is silent.
func (i Interval) fits(what string, x *Node) {
	batch := i.Knots.Shape().Dim(0)
	if x.Rank() < 2 || x.Shape().Dim(0) != batch || i.count > 0 && x.Shape().Dim(1) != i.count {
		panic(errs.New(ErrValues, "pengcde/path: %s %s, want [batch, T, ...] of %d samples and %d knots", what, x.Shape(),
			batch, i.count))
	}
}

// floats panics unless x is [batch, J, ...] floats: an integer type would round the weights.
func (i Interval) floats(x *Node) {
	batch := i.Knots.Shape().Dim(0)
	if x.Rank() < 2 || x.Shape().Dim(0) != batch || !x.DType().IsFloat() {
		panic(errs.New(ErrValues, "pengcde/path: values %s, want floats, a row for each of %d samples", x.Shape(), batch))
	}
}

// Eval returns the value and the derivative, both [batch, ...], of the path through values [batch, T, ...] at the
// knots. Gradients with respect to values are exact. For [Natural], those with respect to knots are not: its weights
// enter as numbers computed before.
func (i Interval) Eval(values *Node) (x, dx *Node) {
	i.fits("values", values)
	i.floats(values)
	if i.all {
		return i.weigh(values, i.Knots, i.Weights)
	}
	return i.combine(values, i.Knots)
}

// Snapshots is Eval for few distinct values: rows [batch, J, ...] holds the distinct values, and index [batch, T]
// int32, 0 to J-1, the row at each knot. Only rows has a gradient: times and knots are constants for it.
func (i Interval) Snapshots(rows, index *Node) (x, dx *Node) {
	i.fits("index", index)
	i.floats(rows)
	i = i.constant()
	if i.HasKernel(rows) {
		return i.follow(rows, index)
	}
	return i.snapshots(rows, index)
}

// constant returns the interval with weights that are constants for the gradient.
func (i Interval) constant() Interval {
	i.Weights = StopGradient(i.Weights)
	for j, row := range i.columns {
		i.columns[j] = nil
		for _, column := range row {
			i.columns[j] = append(i.columns[j], StopGradient(column))
		}
	}
	return i
}

func (i Interval) snapshots(rows, index *Node) (x, dx *Node) {
	dims := index.Shape().Dimensions
	offset := MulScalar(Iota(index.Graph(), i.Knots.Shape(), 0), dims[1])
	in := Gather(Reshape(index, dims[0]*dims[1]), ExpandAxes(Add(i.Knots, offset), -1)) // [batch, K]
	if i.all {
		inForce := OneHot(index, rows.Shape().Dimensions[1], i.Weights.DType()) // [batch, T, J]
		return i.weigh(rows, in, DotGeneral(i.Weights, []int{2}, []int{0}, inForce, []int{1}, []int{0}))
	}
	return i.combine(rows, in)
}

// combine sums the weighted differences between the rows [batch, J, ...] with indices at [batch, K]. It works sample by
// sample if rows are sliced, so that XLA reads them in place.
func (i Interval) combine(rows, at *Node) (x, dx *Node) {
	dims := rows.Shape().Dimensions
	rows = Reshape(rows, dims[0], dims[1], -1)
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
				weight := ConvertDType(i.weight(j, k, from, each), rows.DType())
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

// once keeps XLA from recomputing the path at each use, in each layer and bucket.
func once(x, dx *Node) (*Node, *Node) {
	if !x.Graph().Backend().Capabilities().Operations[compute.OpTypeOptimizationBarrier] {
		return x, dx
	}
	both := OptimizationBarriers(x, dx)
	return both[0], both[1]
}

// weigh sums the differences of all rows [batch, J, ...] from the row with index at [batch, 1], with weights [batch, 2,
// J]. It sums products instead of using a matrix product, which some devices round to ten bits.
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

// sliced reports whether to slice rows [batch, J, width] sample by sample. XLA gathers entry by entry on a CPU, which
// is many times slower. A GPU gathers all rows, and makes both sums of them, in one launch.
func sliced(rows *Node) bool {
	return rows.Shape().Dimensions[0] <= maxSliced && !xla.ForGPU(rows) &&
		rows.Graph().Backend().Capabilities().Operations[compute.OpTypeDynamicSlice]
}

// rowOf returns the row with index at [batch, 1] of each sample of rows [batch, J, width], for count samples starting
// at from: [count, 1, width].
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
