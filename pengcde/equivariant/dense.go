package equivariant

import . "github.com/gomlx/gomlx/core/graph"

// dense works with whole matrices, symmetric or not. Prepared entries hold A, or A and A', as [batch, matrices, n*n].
type dense struct {
	isEdge *Node // [batch, n, n] bool
}

func (d dense) prepare(symmetric bool, rows ...*Node) prepared {
	n := d.isEdge.Shape().Dim(1)
	entries := make([]*Node, len(rows))
	for i, row := range rows {
		entries[i] = Slice(row, AxisRange(), AxisRange(0, n*n))
	}
	return prepared{symmetric: symmetric, to: [][]*Node{{Stack(entries, 1)}}}
}

// multiply mixes the matrices by a product with the coefficients. Its backward pass is a product too: a sum in strict
// order, as XLA takes it on a CPU, is several times slower.
func (dense) multiply(m prepared, c coefficients, z *Node) *Node {
	n, matrices := z.Shape().Dimensions[1], m.to[0][0]
	square := func(x *Node) *Node { return Reshape(x, -1, n, n) }
	var matrix *Node
	switch {
	case c.node == nil:
		matrix = square(matrices)
	case m.symmetric:
		matrix = square(c.seeds.Blend(c.node, matrices))
	default:
		count := matrices.Shape().Dim(1)
		both := c.seeds.Blend(Reshape(c.node, c.seeds.Dims(2, count)...), matrices) // [2, batch, n*n], or [S, 2, B, n*n]
		part := func(i int) *Node { return square(SliceAxis(both, -3, AxisElem(i))) }
		matrix = Add(part(0), TransposeAllDims(part(1), 0, 2, 1))
	}
	return DotGeneral(matrix, []int{2}, []int{0}, z, []int{1}, []int{0})
}

func (d dense) modulateEdges(_ bool, row, w, x, y *Node, f func(*Node) *Node) *Node {
	batch, n := row.Shape().Dim(0), x.Shape().Dim(0)
	a := Reshape(Slice(row, AxisRange(), AxisRange(0, n*n)), batch, n, n, 1)
	sum := Add(Mul(a, ExpandLeftToRank(w, 4)), ExpandLeftToRank(Add(ExpandAxes(x, 1), ExpandAxes(y, 0)), 4))
	entries := Reshape(f(sum), batch, n, n)
	entries = Where(d.isEdge, entries, ZerosLike(entries))
	diagonal := Mul(entries, ExpandLeftToRank(DiagonalWithValue(ScalarOne(row.Graph(), row.DType()), n), 3))
	return Concatenate([]*Node{Reshape(entries, batch, n*n),
		statisticsOf(ReduceSum(entries, 2), ReduceSum(entries, 1), ReduceSum(diagonal, 2))}, 1)
}
