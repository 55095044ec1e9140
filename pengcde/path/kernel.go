package path

import (
	. "github.com/gomlx/gomlx/core/graph"

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

// snapshots is [Interval.Snapshots].
func (k *kernel) snapshots(i Interval, rows, index *Node) (x, dx *Node) {
	side, moving := k.moment.side, k.moving
	if side == nil {
		side = ZerosLike(k.moment.t)
	}
	if moving == nil {
		moving = OnesLike(k.moment.t)
	}
	dims := rows.Shape().Dimensions
	rows = Reshape(rows, dims[0], dims[1], -1)
	forward := func(in []*Node) []*Node {
		return xla.Call("pengcde_path_"+string(k.kind), func(in []*Node) []*Node {
			x, dx := i.snapshots(in[5], in[4])
			return []*Node{x, dx}
		}, k.times, k.moment.t, side, moving, index, in[0])
	}
	pull := func(in, v []*Node) []*Node {
		x, dx := i.snapshots(in[0], index)
		return Gradient(ReduceAllSum(Add(Mul(v[0], x), Mul(v[1], dx))), in[0])
	}
	out := xla.WithPullback(forward, pull, rows)
	shape := append([]int{dims[0]}, dims[2:]...)
	return Reshape(out[0], shape...), Reshape(out[1], shape...)
}
