package equivariant

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// The functions below compute the same as the kernels in plain operations, without leaving out entries.

// arrangedPlain returns the counts, nodes and entries of a [kernel].
func (s sparse) arrangedPlain(symmetric bool, rows []*Node) []*Node {
	g, batch, m := rows[0].Graph(), rows[0].Shape().Dim(0), s.lists(symmetric, rows)
	matrices := len(rows)
	if !symmetric {
		matrices *= 2
	}
	var counts []*Node
	entries := make([][]*Node, matrices)
	var nodes []*Node
	for i, table := range s.neighbours {
		width := table.Shape().Dim(2)
		counts = append(counts, BroadcastToDims(Scalar(g, table.DType(), width), batch, table.Shape().Dim(1)))
		nodes = append(nodes, Reshape(table, batch, -1))
		lists := append(slices.Clone(m.to[i]), m.from[i]...)
		for j := range entries {
			entries[j] = append(entries[j], Reshape(lists[j], batch, -1))
		}
	}
	none := slices.Repeat([][]int32{make([]int32, behind)}, batch)
	nodes = append(nodes, Const(g, none))
	values := make([]*Node, matrices)
	for j := range values {
		values[j] = Concatenate(append(entries[j], ConstAs(rows[0], none)), 1)
	}
	return []*Node{Concatenate(counts, 1), Concatenate(nodes, 1), Stack(values, 1)}
}

// arrangedLists cuts prepared lists into buckets: own holds the neighbours of each bucket, and entries cuts x [batch,
// capacity] in the same way.
func (s sparse) arrangedLists(nodeAt, slotOf, to *Node) (own sparse, entries func(x *Node) []*Node) {
	entries = func(x *Node) []*Node {
		at, parts := 0, make([]*Node, len(s.neighbours))
		for i, table := range s.neighbours {
			size := table.Shape().Dim(1) * table.Shape().Dim(2)
			parts[i] = Reshape(Slice(x, AxisRange(), AxisRange(at, at+size)), table.Shape().Dimensions...)
			at += size
		}
		return parts
	}
	return sparse{nodeAt: nodeAt, slotOf: slotOf, neighbours: entries(to)}, entries
}

// entriesOf returns the entries [batch, m, capacity] of the matrices with m coefficients: all, or the first of two.
func entriesOf(values, c *Node) *Node {
	each := values.Shape().Dim(1) / c.Shape().Dim(1)
	return Slice(values, AxisRange(), AxisRange().Stride(each))
}

// productPlain takes coefficients [S, m], the prepared lists, nodeAt, slotOf and z.
func productPlain(s sparse, in []*Node) []*Node {
	c, to, values, z := in[0], in[2], entriesOf(in[3], in[0]), in[6]
	own, entries := s.arrangedLists(in[4], in[5], to)
	dims := values.Shape().Dimensions
	mixed := Reshape(nn.Seeds(c.Shape().Dim(0)).Blend(c, values), dims[0], dims[2])
	return []*Node{own.product(entries(mixed), z)}
}

// weightsPlain returns the cotangents of the coefficients. In addition it takes v.
func weightsPlain(s sparse, in []*Node) []*Node {
	c, to, values, z, v := in[0], in[2], entriesOf(in[3], in[0]), in[6], in[7]
	own, entries := s.arrangedLists(in[4], in[5], to)
	rows := func(x *Node) *Node { return Reshape(x, c.Shape().Dim(0), -1) }
	var sums []*Node
	for j := range c.Shape().Dim(1) {
		matrix := Squeeze(Slice(values, AxisRange(), AxisElem(j)), 1)
		product := own.product(entries(matrix), z)
		sums = append(sums, DotGeneral(rows(v), []int{1}, []int{0}, rows(product), []int{1}, []int{0}))
	}
	return []*Node{Stack(sums, 1)}
}

// rowsPlain returns the cotangents of count rows of the given width. It takes coefficients, nodeAt, slotOf, z and v.
func (s sparse) rowsPlain(symmetric bool, count, width int, in []*Node) []*Node {
	c, nodeAt, z, v := in[0], in[1], in[3], in[4]
	dims, seeds := z.Shape().Dimensions, c.Shape().Dim(0)
	flat := func(x *Node) *Node { return Reshape(x, -1, dims[2]) }
	own := Reshape(gatherRows(flat(v), nodeAt), dims...) // in the node order of the buckets
	weight := func(j int) *Node {
		w := Slice(c, AxisRange(), AxisElem(j)) // [S, 1]
		return Reshape(BroadcastToDims(w, seeds, dims[0]/seeds), -1, 1)
	}
	parts := make([][]*Node, count)
	slot, filled := 0, 0
	for _, table := range s.neighbours {
		slots := table.Shape().Dim(1)
		rows := Slice(own, AxisRange(), AxisRange(slot, slot+slots))
		slot += slots
		products := DotGeneral(gatherRows(flat(z), table), []int{3}, []int{0, 1}, rows, []int{2}, []int{0, 1})
		products = Reshape(products, dims[0], -1) // [batch, slots·width]
		filled += products.Shape().Dim(1)
		for j := range parts {
			parts[j] = append(parts[j], Mul(weight(j), products))
			if !symmetric {
				parts[j] = append(parts[j], Mul(weight(count+j), products))
			}
		}
		if !symmetric {
			filled += products.Shape().Dim(1)
		}
	}
	rest := BroadcastToDims(ConstAs(z, [][]float64{{0}}), dims[0], width-filled)
	cotangents := make([]*Node, count)
	for j := range cotangents {
		cotangents[j] = Concatenate(append(parts[j], rest), 1)
	}
	return cotangents
}
