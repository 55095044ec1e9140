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
	switch {
	case xla.ForGPU(z):
		return Add(y, rankedFused(seeds, nodes, puts, z))
	case !xla.HasKernels(z):
		diagonal, sums := rankedPlain(seeds, nodes, puts, z)
		return Add(Add(y, diagonal), sums)
	}
	seeds, puts = max(seeds, 1), seeds.Axis(puts)
	product := func(in []*Node) []*Node {
		return xla.Call("pengcde_ranks", func(in []*Node) []*Node {
			diagonal, sums := rankedPlain(seeds, in[0], in[1], in[2])
			return []*Node{Add(diagonal, sums)}
		}, in...)
	}
	pull := func(in, v []*Node) []*Node {
		toPuts := xla.Call("pengcde_ranks_to_puts", func(in []*Node) []*Node {
			return []*Node{rankedToPuts(seeds, in)}
		}, append(slices.Clone(in), v...)...)[0]
		return []*Node{toNodes(seeds, in[0], in[1], in[2], v[0]), toPuts,
			product([]*Node{in[0], transposedPuts(in[1]), v[0]})[0]}
	}
	return Add(y, xla.WithPullback(product, pull, nodes, puts, z)[0])
}

// toNodes returns the cotangent of nodes, for the cotangent v of the low-rank part with puts [S, k, 4].
func toNodes(seeds nn.Seeds, nodes, puts, z, v *Node) *Node {
	return xla.Call("pengcde_ranks_to_nodes", func(in []*Node) []*Node {
		return []*Node{rankedToNodes(seeds, in)}
	}, nodes, puts, z, v)[0]
}

// transposedPuts returns the puts [S, k, 4] of the transposed matrix.
func transposedPuts(puts *Node) *Node {
	column := func(i int) *Node { return SliceAxis(puts, -1, AxisElem(i)) }
	return Concatenate([]*Node{column(2), column(1), column(0), column(3)}, -1)
}

// rankedPlain takes the first two rows of V^T Z by columns 1 and 2 of V. A few large products are faster than slices of
// V, especially backward.
func rankedPlain(seeds nn.Seeds, nodes, puts, z *Node) (diagonal, sums *Node) {
	vectors := seeds.Product(nodes, puts, 0)                              // [batch, n, 4]
	sums = DotGeneral(vectors, []int{1}, []int{0}, z, []int{1}, []int{0}) // [batch, 4, d]
	sums = nn.PadZeros(Slice(sums, AxisRange(), AxisRange(0, 2)), 1, 1, 1)
	sums = DotGeneral(vectors, []int{2}, []int{0}, sums, []int{1}, []int{0})
	return Mul(Slice(vectors, AxisRange(), AxisRange(), AxisElem(3)), z), sums
}

// rankedFused multiplies and sums over the nodes, which XLA fuses into the operations around it. For a product it calls
// a library.
func rankedFused(seeds nn.Seeds, nodes, puts, z *Node) *Node {
	vectors := seeds.Product(nodes, puts, 0) // [batch, n, 4]
	column := func(i int) *Node { return SliceAxis(vectors, -1, AxisRange(i, i+1)) }
	total := func(column *Node) *Node { return ReduceAndKeep(Mul(column, z), ReduceSum, 1) }
	sums := Add(Mul(column(1), total(column(0))), Mul(column(2), total(column(1))))
	return Add(Mul(column(3), z), sums)
}

// rankedCotangents returns the cotangents [batch, n, 4] of V, for nodes, puts, z and the cotangent v of the product.
func rankedCotangents(seeds nn.Seeds, in []*Node) *Node {
	nodes, puts, z, v := in[0], in[1], in[2], in[3]
	vectors := seeds.Product(nodes, puts, 0) // [batch, n, 4]
	column := func(i int) *Node { return Slice(vectors, AxisRange(), AxisRange(), AxisElem(i)) }
	over := func(column, x *Node) *Node { // Σ_u column_u x_u, [batch, 1, d]
		return DotGeneral(column, []int{1}, []int{0}, x, []int{1}, []int{0})
	}
	along := func(x, sum *Node) *Node { // x_u · sum, [batch, n, 1]
		return DotGeneral(x, []int{2}, []int{0}, sum, []int{2}, []int{0})
	}
	return Concatenate([]*Node{
		along(z, over(column(1), v)),
		Add(along(v, over(column(0), z)), along(z, over(column(2), v))),
		along(v, over(column(1), z)),
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
