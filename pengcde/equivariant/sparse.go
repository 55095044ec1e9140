package equivariant

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// sparse gathers the states of neighbours, see [buckets].
type sparse struct {
	// slotOf [batch*n] maps a node to its slot among the n slots of all buckets; nodeAt is the inverse.
	slotOf, nodeAt *Node
	// reverse [batch, L] maps each of the L entries of all lists of a sample to its transposed entry, an index into
	// batch*L. isEdge [batch, L] marks the entries on edges of the pattern.
	reverse, isEdge *Node
	// neighbours holds, for each bucket, the neighbours of its slots as indices into batch*n: [batch, slots, width]
	// int32.
	neighbours []*Node
}

func (s sparse) prepare(symmetric bool, rows ...*Node) prepared {
	if k := newKernel(s, symmetric, rows); k != nil {
		return prepared{symmetric: symmetric, kernel: k}
	}
	return s.lists(symmetric, rows)
}

// lists cuts rows into the parts of each bucket: weights to the neighbours, then, unless they are the same, from them.
func (s sparse) lists(symmetric bool, rows []*Node) prepared {
	m, at := prepared{symmetric: symmetric}, 0
	for _, table := range s.neighbours {
		dims := table.Shape().Dimensions
		list := func() (parts []*Node) {
			next := at + dims[1]*dims[2]
			for _, x := range rows {
				parts = append(parts, Reshape(Slice(x, AxisRange(), AxisRange(at, next)), dims...))
			}
			at = next
			return parts
		}
		to := list()
		from := to
		if !symmetric {
			from = list()
		}
		m.to, m.from = append(m.to, to), append(m.from, from)
	}
	return m
}

func (s sparse) multiply(m prepared, c coefficients, z *Node) *Node {
	if m.kernel != nil {
		return m.kernel.multiply(z)
	}
	forward := m.mixed(c, m.to, m.from)
	// The gradient with respect to z is the transposed matrix times the cotangent, by the same gathers.
	return withPullback(s.product(forward, z), z, func(v *Node) *Node {
		if m.symmetric {
			return s.product(forward, v)
		}
		return s.product(m.mixed(c, m.from, m.to), v)
	})
}

func gatherRows(flat, indices *Node) *Node { return Gather(flat, ExpandAxes(indices, -1)) }

// withPullback returns y, of the shape of x, with the gradient pull(cotangent) with respect to x added to its gradients
// with respect to other nodes. Without it the gradient of a gather is a scatter, which is slow and, on accelerators,
// not deterministic.
func withPullback(y, x *Node, pull func(cotangent *Node) *Node) *Node {
	carrier := IdentityWithCustomGradient(x, func(_, v *Node) *Node { return pull(v) })
	return Add(y, Sub(carrier, StopGradient(carrier)))
}

// mixed returns the entries of the mixed matrix for each bucket, or of its transpose if the lists are exchanged. As in
// [dense] the sum is a product, and so is its backward pass.
func (m prepared) mixed(c coefficients, to, from [][]*Node) []*Node {
	entries := make([]*Node, len(to))
	for i := range entries {
		if c.node == nil {
			entries[i] = to[i][0]
			continue
		}
		parts := slices.Clone(to[i])
		if c.node.Shape().Dim(-1) > len(parts) {
			parts = append(parts, from[i]...)
		}
		all := Stack(parts, 0)
		if c.seeds == 0 {
			all = DotProduct(c.node, Reshape(all, len(parts), -1))
		} else { // each for its part of the batch
			all = DotGeneral(c.node, []int{1}, []int{0}, Reshape(all, len(parts), int(c.seeds), -1), []int{0}, []int{1})
		}
		entries[i] = Reshape(all, parts[0].Shape().Dimensions...)
	}
	return entries
}

// product returns the matrix with the given entries times z [batch, n, d], which is constant in gradients. The backward
// pass gathers states again: stored for all layers and stages of a step they would take most of its memory.
// docs/performance.md gives the cost.
func (s sparse) product(entries []*Node, z *Node) *Node {
	dims := z.Shape().Dimensions
	batch, d := dims[0], dims[2]
	flat := Reshape(z.Checkpoint(), batch*dims[1], d)
	var parts []*Node
	for i, table := range s.neighbours {
		states := StopGradient(gatherRows(flat, table)) // [batch, slots, width, d]
		rows, width := table.Shape().Size()/table.Shape().Dim(2), table.Shape().Dim(2)
		part := DotGeneral(Reshape(entries[i], rows, width), []int{1}, []int{0}, Reshape(states, rows, width, d), []int{1},
			[]int{0})
		parts = append(parts, Reshape(part.StopCheckpoint(), batch, -1, d))
	}
	return s.byNode(Concatenate(parts, 1))
}

// byNode reorders the slots of buckets [batch, n, d] to nodes.
func (s sparse) byNode(x *Node) *Node {
	if len(s.neighbours) == 1 {
		return x // a single bucket is already in order
	}
	dims := x.Shape().Dimensions
	flat := Reshape(x, -1, dims[2])
	inOrder := withPullback(StopGradient(gatherRows(flat, s.slotOf)), flat,
		func(v *Node) *Node { return gatherRows(v, s.nodeAt) })
	return Reshape(inOrder, dims...)
}
