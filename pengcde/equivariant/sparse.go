package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// sparse gathers the states of neighbours, see [buckets].
type sparse struct {
	// order [batch*P] leads from a node to its place among the P of all buckets, and from what is behind the n nodes of a
	// sample to its empty places; back is the inverse.
	order, back *Node
	// twin and isEdge [batch, L] lead from an entry to that of the transposed matrix, among batch*L, and say which are edges,
	// for the L entries of all lists to neighbours.
	twin, isEdge *Node
	// neighbours are those of each bucket among batch*n: [batch, places, width] int32.
	neighbours []*Node
}

// Arrange cuts the entries into what belongs to each bucket: weights to the neighbours, then from them.
func (s sparse) Arrange(entries ...*Node) Arranged {
	var m Arranged
	at := 0
	for _, table := range s.neighbours {
		dims := table.Shape().Dimensions
		for range 2 {
			next := at + dims[1]*dims[2]
			for _, x := range entries {
				m = append(m, Reshape(Slice(x, AxisRange(), AxisRange(at, next)), dims...))
			}
			at = next
		}
	}
	return m
}

func (s sparse) Multiply(m Arranged, c, z *Node) *Node {
	if c == nil {
		forward := func(i int) *Node { return m[2*i] }
		return withPullback(s.product(forward, z), z, func(v *Node) *Node {
			return s.product(func(i int) *Node { return m[2*i+1] }, v)
		})
	}
	forward := func(i int) *Node { return s.values(m[4*i:], c, 0, 2) }
	backward := func(i int) *Node { return s.values(m[4*i:], c, 2, 0) }
	// The gradient with respect to z is the transposed matrix times the cotangent, by the same gathers.
	return withPullback(s.product(forward, z), z, func(v *Node) *Node { return s.product(backward, v) })
}

// withPullback gives y, of the shape of x, the gradient pull(cotangent) with respect to x, beside those that it has with
// respect to others. Without it the gradient of a gather is a scatter, which is slow and, on accelerators, not
// deterministic.
func withPullback(y, x *Node, pull func(cotangent *Node) *Node) *Node {
	carrier := IdentityWithCustomGradient(x, func(_, v *Node) *Node { return pull(v) })
	return Add(y, Sub(carrier, StopGradient(carrier)))
}

// values are the entries of the matrix for one bucket, or with to and from exchanged those of its transpose.
func (s sparse) values(m Arranged, c *Node, to, from int) *Node {
	term := func(coefficient int, x *Node) *Node { return Mul(scalar(c, coefficient, 3), x) }
	return Add(Add(term(to, m[0]), term(to+1, m[1])), Add(term(from, m[2]), term(from+1, m[3])))
}

// product is the matrix with the given entries times z [batch, n, d], which is held constant in gradients.
func (s sparse) product(values func(bucket int) *Node, z *Node) *Node {
	dims := z.Shape().Dimensions
	batch, d := dims[0], dims[2]
	flat := Reshape(z, batch*dims[1], d)
	var parts []*Node
	for i, table := range s.neighbours {
		states := StopGradient(pick(flat, table)) // [batch, places, width, d]
		rows, width := table.Shape().Size()/table.Shape().Dim(2), table.Shape().Dim(2)
		part := DotGeneral(Reshape(values(i), rows, width), []int{1}, []int{0}, Reshape(states, rows, width, d), []int{1}, []int{0})
		parts = append(parts, Reshape(part, batch, -1, d))
	}
	return s.inOrder(Concatenate(parts, 1), dims[1])
}

// inOrder leads from the places of buckets [batch, P, d] to their nodes [batch, n, d].
func (s sparse) inOrder(x *Node, n int) *Node {
	dims := x.Shape().Dimensions
	flat := Reshape(x, -1, dims[2])
	inOrder := withPullback(StopGradient(pick(flat, s.order)), flat, func(v *Node) *Node { return pick(v, s.back) })
	return Slice(Reshape(inOrder, dims...), AxisRange(), AxisRange(0, n))
}
