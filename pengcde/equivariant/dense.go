package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// dense works with whole matrices, symmetric or not. Arranged holds A as [batch, n*n], or A and A' as [batch, 2, n*n].
type dense struct {
	isEdge *Node // [batch, n, n] bool
}

func (d dense) Entries() int { return d.isEdge.Shape().Size() / d.isEdge.Shape().Dim(0) }

func (dense) Arrange(symmetric bool, entries ...*Node) Arranged {
	if len(entries) > 1 {
		entries = []*Node{Stack(entries, 1)}
	}
	return Arranged{symmetric: symmetric, to: [][]*Node{entries}}
}

// Multiply mixes the matrices by a product with the coefficients, whose backward pass is one too: XLA sums in strict order
// on a CPU, several times slower.
func (dense) Multiply(m Arranged, c, z *Node) *Node {
	n, matrices := z.Shape().Dimensions[1], m.to[0][0]
	square := func(x *Node) *Node { return Reshape(x, -1, n, n) }
	var matrix *Node
	switch {
	case c == nil:
		matrix = square(matrices)
	case m.symmetric:
		matrix = square(blend(merged(c), nn.Seeds(c, 1), matrices))
	default:
		seeds := nn.Seeds(c, 1)
		both := blend(Reshape(c, append(leadingAxes(c, 1), 2, 2)...), seeds, matrices) // [2, batch, n*n], or [S, 2, B, n*n]
		part := func(i int) *Node { return square(SliceAxis(both, -3, AxisElem(i))) }
		matrix = Add(part(0), TransposeAllDims(part(1), 0, 2, 1))
	}
	return DotGeneral(matrix, []int{2}, []int{0}, z, []int{1}, []int{0})
}

// blend sums matrices [batch, k, n*n] by coefficients [..., k], or, of seeds, by [S, ..., k].
func blend(c *Node, seeds int, matrices *Node) *Node {
	last := []int{c.Rank() - 1}
	if seeds == 0 {
		return DotGeneral(c, last, nil, matrices, []int{1}, nil)
	}
	return DotGeneral(c, last, []int{0}, nn.BySeed(matrices, seeds), []int{2}, []int{0})
}

func (d dense) Modulate(row, w, x, y *Node, f func(*Node) *Node) *Node {
	batch, n := row.Shape().Dim(0), x.Shape().Dim(0)
	a := Reshape(Slice(row, AxisRange(), AxisRange(0, n*n)), batch, n, n, 1)
	sum := Add(Mul(a, ExpandLeftToRank(w, 4)), ExpandLeftToRank(Add(ExpandAxes(x, 1), ExpandAxes(y, 0)), 4))
	entries := Reshape(f(sum), batch, n, n)
	entries = Where(d.isEdge, entries, ZerosLike(entries))
	diagonal := Mul(entries, ExpandLeftToRank(DiagonalWithValue(ScalarOne(row.Graph(), row.DType()), n), 3))
	return Concatenate([]*Node{Reshape(entries, batch, n*n),
		statisticsOf(ReduceSum(entries, 2), ReduceSum(entries, 1), ReduceSum(diagonal, 2))}, 1)
}
