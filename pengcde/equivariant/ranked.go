package equivariant

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// addRanked adds to y the low-rank and diagonal part of the product with z [batch, n, d]: with V = nodes · puts and its
// columns c, 1, r and g,
//
//	1 (c^T Z) + r (1^T Z) + g Z
//
// for nodes [batch, n, k] of [Pair] and puts [k, 4], or [S, k, 4] for S seeds.
func addRanked(y *Node, seeds nn.Seeds, nodes, puts, z *Node) *Node {
	const kernel = "pengcde_ranks"
	if !xla.HasKernels(z) {
		return Add(y, ranked(seeds, nodes, puts, z, bySum))
	}
	seeds, puts = max(seeds, 1), seeds.Axis(puts)
	product := func(in []*Node) *Node {
		return xla.Call(kernel, func(in []*Node) []*Node {
			return []*Node{ranked(seeds, in[0], in[1], in[2], byProduct)}
		}, in...)[0]
	}
	pull := func(in []*Node, v *Node) []*Node {
		to := func(name string, cotangent func(seeds nn.Seeds, in []*Node) *Node) *Node {
			plain := func(in []*Node) []*Node { return []*Node{cotangent(seeds, in)} }
			return xla.Call(name, plain, append(slices.Clone(in), v)...)[0]
		}
		column := func(i int) *Node { return SliceAxis(in[1], -1, AxisElem(i)) }
		swapped := Concatenate([]*Node{column(2), column(1), column(0), column(3)}, -1) // of the transposed matrix
		return []*Node{to(kernel+"_to_nodes", rankedToNodes), to(kernel+"_to_puts", rankedToPuts),
			product([]*Node{in[0], swapped, v})}
	}
	return Add(y, xla.WithPullback(product, pull, nodes, puts, z))
}

// ranked builds the sum for [addRanked]. over sums column times x over the nodes: [batch, n, 1] and [batch, n, d] to
// [batch, 1, d].
func ranked(seeds nn.Seeds, nodes, puts, z *Node, over func(column, x *Node) *Node) *Node {
	vectors := seeds.Product(nodes, puts, 0) // [batch, n, 4]
	column := func(i int) *Node { return Slice(vectors, AxisRange(), AxisRange(), AxisRange(i, i+1)) }
	sum := Add(Mul(column(1), over(column(0), z)), Mul(column(2), over(column(1), z)))
	return Add(Mul(column(3), z), sum)
}

// bySum is the sum over nodes that a GPU's compiler fuses into the operations around it; for a product it calls a
// library.
func bySum(column, x *Node) *Node { return ReduceAndKeep(Mul(column, x), ReduceSum, 1) }

// byProduct is the sum over nodes in a definition of a kernel, where nothing can be reduced, see [xla.Call].
func byProduct(column, x *Node) *Node {
	return DotGeneral(column, []int{1}, []int{0}, x, []int{1}, []int{0})
}

// rankedCotangents returns the cotangents [batch, n, 4] of V, for nodes, puts, z and the cotangent v of the product.
func rankedCotangents(seeds nn.Seeds, in []*Node) *Node {
	nodes, puts, z, v := in[0], in[1], in[2], in[3]
	vectors := seeds.Product(nodes, puts, 0) // [batch, n, 4]
	column := func(i int) *Node { return Slice(vectors, AxisRange(), AxisRange(), AxisElem(i)) }
	along := func(x, sum *Node) *Node { // x_u · sum, [batch, n, 1]
		return DotGeneral(x, []int{2}, []int{0}, sum, []int{2}, []int{0})
	}
	return Concatenate([]*Node{
		along(z, byProduct(column(1), v)),
		Add(along(v, byProduct(column(0), z)), along(z, byProduct(column(2), v))),
		along(v, byProduct(column(1), z)),
		ExpandAxes(DotGeneral(z, []int{2}, []int{0, 1}, v, []int{2}, []int{0, 1}), -1),
	}, 2)
}

func rankedToNodes(seeds nn.Seeds, in []*Node) *Node {
	return seeds.Product(rankedCotangents(seeds, in), in[1], 1)
}

func rankedToPuts(seeds nn.Seeds, in []*Node) *Node {
	rows := func(x *Node) *Node { return Reshape(x, int(seeds), -1, x.Shape().Dim(-1)) }
	return DotGeneral(rows(in[0]), []int{1}, []int{0}, rows(rankedCotangents(seeds, in)), []int{1}, []int{0})
}
