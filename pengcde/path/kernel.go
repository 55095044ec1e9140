package path

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// kernel evaluates a path in C, in one pass over the rows of its interval. XLA takes some fifteen operations on a few
// numbers to find the interval and its weights, and time to compile them for each stage of a step.
type kernel struct {
	kind   Kind
	times  *Node // [batch, T]
	moment moment
	moving *Node // [batch] factor of X', see [Interval.Freeze]; nil for 1
}

// HasKernel reports whether kernels in C follow the path through rows.
func (i Interval) HasKernel(rows *Node) bool { return i.kernel != nil && xla.HasKernels(rows) }

// Call calls the kernel whose name is the given one and the kind of the path, see [xla.Call]. It follows the path
// through rows [batch, J, width] with index [batch, T], as in [Interval.Snapshots], and takes others. plain computes
// the same from X and X' [batch, width]. Nothing has a gradient. Call panics unless [Interval.HasKernel].
func (i Interval) Call(name string, plain func(x, dx *Node, others []*Node) []*Node, rows, index *Node,
	others ...*Node) []*Node {
	if !i.HasKernel(rows) {
		panic(errs.New(ErrValues, "pengcde/path: %s: no kernel follows this path, use Snapshots unless HasKernel", name))
	}
	k := i.kernel
	side, moving := k.moment.side, k.moving
	if side == nil {
		side = ZerosLike(k.moment.t)
	}
	if moving == nil {
		moving = OnesLike(k.moment.t)
	}
	return xla.Call(name+"_"+string(k.kind), func(in []*Node) []*Node {
		x, dx := i.snapshots(in[5], in[4])
		return plain(x, dx, in[6:])
	}, append([]*Node{k.times, k.moment.t, side, moving, index, rows}, others...)...)
}

// Ends returns the last count numbers [batch, count] of X and X' through rows [batch, J, width], with index [batch, T],
// by a kernel, see [Interval.Call].
func (i Interval) Ends(rows, index *Node, count int) (x, dx *Node) {
	width := rows.Shape().Dim(2)
	both := i.Call("pengcde_path", func(x, dx *Node, _ []*Node) []*Node {
		end := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(width-count, width)) }
		return []*Node{end(x), end(dx)}
	}, rows, index)
	return both[0], both[1]
}

// follow is [Interval.Snapshots] by a kernel.
func (i Interval) follow(rows, index *Node) (x, dx *Node) {
	dims := rows.Shape().Dimensions
	rows = Reshape(rows, dims[0], dims[1], -1)
	forward := func(in []*Node) []*Node {
		x, dx := i.Ends(in[0], index, in[0].Shape().Dim(2))
		return []*Node{x, dx}
	}
	pull := func(in, v []*Node) []*Node {
		x, dx := i.snapshots(in[0], index)
		return Gradient(ReduceAllSum(Add(Mul(v[0], x), Mul(v[1], dx))), in[0])
	}
	out := xla.WithPullback(forward, pull, rows)
	shape := append([]int{dims[0]}, dims[2:]...)
	return Reshape(out[0], shape...), Reshape(out[1], shape...)
}
