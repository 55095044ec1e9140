package equivariant

import (
	"math/bits"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// sparse gathers the states of neighbours. The neighbours of a node are those it has an edge to or from, so that one
// list serves A, A^T and their backward pass. Nodes with about as many neighbours share a bucket, whose width is a power
// of two: a hub does not widen the lists of others.
type sparse struct {
	// order [batch*n] leads from a node to its place in the buckets, nodes [batch*n] back.
	order, nodes *Node
	// buckets hold three tables each, all [nodes in the bucket, width] int32: neighbours among batch*n, edges to them and
	// edges from them among batch*(edges+1).
	buckets []*Node
}

func sparseTables(patterns []*dyngraph.Pattern, edges int) []*tensors.Tensor {
	type neighbour struct{ node, to, from int32 }
	n := patterns[0].Nodes
	lists := make([][]neighbour, len(patterns)*n)
	for b, p := range patterns {
		base, none := int32(b*(edges+1)), int32(b*(edges+1)+edges)
		seen := make(map[[2]int32]int)
		meet := func(u, v int32) *neighbour {
			at, ok := seen[[2]int32{u, v}]
			list := &lists[b*n+int(u)]
			if !ok {
				at = len(*list)
				seen[[2]int32{u, v}] = at
				*list = append(*list, neighbour{int32(b*n) + v, none, none})
			}
			return &(*list)[at]
		}
		for e := range p.From {
			meet(p.From[e], p.To[e]).to = base + int32(e)
			meet(p.To[e], p.From[e]).from = base + int32(e)
		}
	}
	members := make(map[int][]int)
	widest := 0
	for u, list := range lists {
		k := bits.Len(uint(max(len(list), 1) - 1))
		members[k] = append(members[k], u)
		widest = max(widest, k)
	}
	order := make([]int32, len(lists))
	nodes := make([]int32, 0, len(lists))
	tables := []*tensors.Tensor{nil, nil}
	for k := 0; k <= widest; k++ {
		if len(members[k]) == 0 {
			continue
		}
		width := 1 << k
		var columns [3][]int32
		for _, u := range members[k] {
			order[u] = int32(len(nodes))
			nodes = append(nodes, int32(u))
			none := int32(u/n*(edges+1) + edges)
			for i := range width {
				entry := neighbour{int32(u), none, none}
				if i < len(lists[u]) {
					entry = lists[u][i]
				}
				columns[0], columns[1], columns[2] = append(columns[0], entry.node), append(columns[1], entry.to), append(columns[2], entry.from)
			}
		}
		for _, column := range columns {
			tables = append(tables, tensors.FromFlatDataAndDimensions(column, len(members[k]), width))
		}
	}
	tables[0] = tensors.FromFlatDataAndDimensions(order, len(order))
	tables[1] = tensors.FromFlatDataAndDimensions(nodes, len(nodes))
	return tables
}

// Arrange gathers, for each bucket, the weights of a and da along the edges to the neighbours, then from them.
func (s sparse) Arrange(a, da *Node, _ int) Arranged {
	flat := []*Node{padded(a), padded(da)}
	var m Arranged
	for i := 0; i < len(s.buckets); i += 3 {
		for _, table := range s.buckets[i+1 : i+3] {
			m = append(m, pick(flat[0], table), pick(flat[1], table))
		}
	}
	return m
}

func (s sparse) Multiply(m Arranged, c, z *Node) *Node {
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
	term := func(coefficient int, x *Node) *Node { return Mul(scalar(c, coefficient, 2), x) }
	return Add(Add(term(to, m[0]), term(to+1, m[1])), Add(term(from, m[2]), term(from+1, m[3])))
}

// product is the matrix with the given entries times z [batch, n, d], which is held constant in gradients.
func (s sparse) product(values func(bucket int) *Node, z *Node) *Node {
	dims := z.Shape().Dimensions
	flat := Reshape(z, dims[0]*dims[1], dims[2])
	var parts []*Node
	for i := 0; 3*i < len(s.buckets); i++ {
		neighbours := StopGradient(pick(flat, s.buckets[3*i])) // [nodes, width, d]
		parts = append(parts, DotGeneral(values(i), []int{1}, []int{0}, neighbours, []int{1}, []int{0}))
	}
	inBuckets := Concatenate(parts, 0)
	inOrder := withPullback(StopGradient(pick(inBuckets, s.order)), inBuckets, func(v *Node) *Node { return pick(v, s.nodes) })
	return Reshape(inOrder, dims...)
}
