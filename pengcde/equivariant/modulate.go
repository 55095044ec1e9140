package equivariant

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// modulateEdges evaluates f once for each edge, in the lists of neighbours that a node has edges to, and gets the
// entries of the edges from these neighbours by transposing. Forward and backward passes use only gathers: the gradient
// of the values gathered at the targets of edges sums, for each node, over the transposed entries of its list.
func (s sparse) modulateEdges(symmetric bool, row, w, x, y *Node, f func(*Node) *Node) *Node {
	lists := 2
	if symmetric {
		lists = 1
	}
	var a, xs []*Node
	sources, at, slot := s.inSlots(x), 0, 0
	for _, table := range s.neighbours {
		batch, slots, width := table.Shape().Dim(0), table.Shape().Dim(1), table.Shape().Dim(2)
		a = append(a, Slice(row, AxisRange(), AxisRange(at, at+slots*width)))
		at += lists * slots * width
		x := ExpandAxes(Slice(sources, AxisRange(), AxisRange(slot, slot+slots)), 2)
		x = BroadcastToDims(x, batch, slots, width, x.Shape().Dim(-1))
		xs = append(xs, Reshape(x, batch, slots*width, -1))
		slot += slots
	}
	sum := Mul(ExpandAxes(Concatenate(a, 1), -1), ExpandLeftToRank(w, 3)) // [batch, L, h]
	sum = Add(sum, Add(Concatenate(xs, 1), s.atNeighbours(y)))
	to := f(sum) // [batch, L, 1]
	to = Where(ExpandAxes(s.isEdge, -1), to, ZerosLike(to))
	from := withPullback(StopGradient(s.transposed(to)), to, s.transposed)

	own := s.loops()
	diagonal := Where(own, to, ZerosLike(to))
	sums := s.byNode(s.sums(Concatenate([]*Node{to, from, diagonal}, -1))) // [batch, n, 3]
	vector := func(i int) *Node { return Squeeze(Slice(sums, AxisRange(), AxisRange(), AxisElem(i)), 2) }
	var parts []*Node
	at = 0
	for _, table := range s.neighbours {
		next := at + table.Shape().Dim(1)*table.Shape().Dim(2)
		for _, half := range []*Node{to, from} {
			parts = append(parts, Squeeze(Slice(half, AxisRange(), AxisRange(at, next)), 2))
		}
		at = next
	}
	return Concatenate(append(parts, statisticsOf(vector(0), vector(1), vector(2))), 1)
}

// statisticsOf returns the statistics part of a row, which follows the matrix entries, from row sums, column sums and
// diagonal, all [batch, n].
func statisticsOf(rows, columns, diagonal *Node) *Node {
	return Concatenate([]*Node{rows, columns, diagonal,
		ReduceAndKeep(rows, ReduceSum, 1), ReduceAndKeep(diagonal, ReduceSum, 1)}, 1)
}

// transposed exchanges the entries [batch, L, d] of the lists with the entries of the transposed matrix.
func (s sparse) transposed(x *Node) *Node {
	return gatherRows(Reshape(x, -1, x.Shape().Dim(-1)), s.reverse)
}

// sums adds up the entries [batch, L, d] of each list: [batch, n, d], in the node order of all buckets.
func (s sparse) sums(x *Node) *Node {
	batch, d, at := x.Shape().Dim(0), x.Shape().Dim(-1), 0
	var parts []*Node
	for _, table := range s.neighbours {
		slots, width := table.Shape().Dim(1), table.Shape().Dim(2)
		part := Slice(x, AxisRange(), AxisRange(at, at+slots*width))
		parts = append(parts, ReduceSum(Reshape(part, batch, slots, width, d), 2))
		at += slots * width
	}
	return Concatenate(parts, 1)
}

// loops marks the entries [batch, L, 1] where a node is its own neighbour. It also marks some empty slots.
func (s sparse) loops() *Node {
	var parts []*Node
	at := 0
	for _, table := range s.neighbours {
		batch, slots := table.Shape().Dim(0), table.Shape().Dim(1)
		owner := Slice(Reshape(s.nodeAt, batch, -1, 1), AxisRange(), AxisRange(at, at+slots))
		parts = append(parts, Reshape(Equal(table, BroadcastToShape(owner, table.Shape())), batch, -1, 1))
		at += slots
	}
	return Concatenate(parts, 1)
}

// lengthened pads x [n, d], which is the same for all samples, with rows of 0: [batch, length, d].
func (s sparse) lengthened(x *Node, length int) *Node {
	batch, n, d := s.reverse.Shape().Dim(0), x.Shape().Dim(-2), x.Shape().Dim(-1)
	x = BroadcastToDims(ExpandLeftToRank(x, 3), batch, n, d)
	return padded(x, length)
}

func padded(x *Node, length int) *Node { return nn.PadZeros(x, 1, 0, length-x.Shape().Dim(1)) }

// inSlots reorders nodes [n, d] to the node order of all buckets, [batch, n, d].
func (s sparse) inSlots(x *Node) *Node {
	batch, d := s.reverse.Shape().Dim(0), x.Shape().Dim(-1)
	flat := Reshape(s.lengthened(x, x.Shape().Dim(0)), -1, d)
	y := withPullback(StopGradient(gatherRows(flat, s.nodeAt)), flat,
		func(v *Node) *Node { return gatherRows(v, s.slotOf) })
	return Reshape(y, batch, -1, d)
}

// atNeighbours gathers nodes [n, d] at the entries of all lists, [batch, L, d].
func (s sparse) atNeighbours(x *Node) *Node {
	n, batch, entries := x.Shape().Dim(0), s.reverse.Shape().Dim(0), s.reverse.Shape().Dim(1)
	var parts []*Node
	for _, table := range s.neighbours {
		parts = append(parts, Reshape(table, batch, -1))
	}
	sample := Iota(x.Graph(), s.reverse.Shape(), 0)
	at := Sub(Concatenate(parts, 1), MulScalar(ConvertDType(sample, dtypes.Int32), n))
	// There are at least n entries: each node has a list, of width 1 if it is empty.
	return withPullback(StopGradient(gatherRows(x, at)), s.lengthened(x, entries), func(v *Node) *Node {
		return padded(s.byNode(s.sums(s.transposed(v))), entries)
	})
}
