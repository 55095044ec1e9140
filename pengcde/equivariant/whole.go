package equivariant

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ApplyTransposed is A^T Z for states z [batch, n, d].
func (m *Matrix) ApplyTransposed(z *Node) *Node {
	return m.operator.multiply(m.operator.transpose(m.arrange()), coefficients{}, z)
}

// Dense is A with all its entries, [batch, n, n]: for networks that take a number of each pair of nodes, and so need n²
// memory anyhow. Of a sparse matrix it costs as much as a product with states of width n.
func (m *Matrix) Dense() *Node {
	batch, n := m.Rows.Shape().Dim(0), m.form.Nodes
	if !m.form.Sparse {
		return Reshape(m.entries(), batch, n, n)
	}
	identity := DiagonalWithValue(ScalarOne(m.Rows.Graph(), m.Rows.DType()), n)
	return m.Apply(BroadcastToShape(ExpandAxes(identity, 0), shapes.Make(m.Rows.DType(), batch, n, n)))
}

// RowSums are Σ_v A_uv of each node u, [batch, n].
func (m *Matrix) RowSums() *Node { return m.part(0) }

// ColumnSums are Σ_u A_uv of each node v, [batch, n].
func (m *Matrix) ColumnSums() *Node {
	if m.form.Symmetric {
		return m.part(0)
	}
	return m.part(1)
}

// part is one of the parts of n numbers behind the matrix entries of a row.
func (m *Matrix) part(i int) *Node {
	n := m.form.Nodes
	at := m.Rows.Shape().Dim(1) - m.form.statistics() + i*n
	return Slice(m.Rows, AxisRange(), AxisRange(at, at+n))
}
