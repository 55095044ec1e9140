package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// dense works with whole matrices. Arranged holds A as [batch, n*n], or A and A' as [batch, 2, n*n].
type dense struct {
	isEdge *Node // [batch, n, n] bool
}

func (dense) Arrange(entries ...*Node) Arranged {
	if len(entries) == 1 {
		return Arranged(entries)
	}
	return Arranged{Stack(entries, 1)}
}

// Multiply mixes the matrices by a product with the coefficients, whose backward pass is one too: XLA sums in strict order
// on a CPU, several times slower.
func (dense) Multiply(m Arranged, c, z *Node) *Node {
	n := z.Shape().Dimensions[1]
	if c == nil {
		return DotGeneral(Reshape(m[0], -1, n, n), []int{2}, []int{0}, z, []int{1}, []int{0})
	}
	mixed := DotGeneral(Reshape(c, 2, 2), []int{1}, nil, m[0], []int{1}, nil) // [2, batch, n*n]
	part := func(i int) *Node { return Reshape(Slice(mixed, AxisElem(i)), -1, n, n) }
	matrix := Add(part(0), TransposeAllDims(part(1), 0, 2, 1))
	return DotGeneral(matrix, []int{2}, []int{0}, z, []int{1}, []int{0})
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
