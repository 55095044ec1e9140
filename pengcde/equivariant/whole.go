package equivariant

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// WithTransposed returns the matrices of twice as many samples: A of each, followed by A^T of each. One product then
// serves the states of both, [2 batch, n, d].
func (m *Matrix) WithTransposed() *Matrix {
	rows := m.Rows
	if !m.form.Symmetric {
		statistics := Slice(rows, AxisRange(), AxisRange(-m.form.statistics()+2*m.form.Nodes))
		rows = Concatenate([]*Node{m.operator.transposedEntries(m.entries()), m.ColumnSums(), m.RowSums(), statistics}, 1)
	}
	both := &Matrix{form: m.form, Rows: Concatenate([]*Node{m.Rows, rows}, 0),
		operator: m.operator.withTranspose(m.form.Nodes)}
	if m.present != nil {
		both.present = Concatenate([]*Node{m.present, m.present}, 0)
	}
	return both
}

// Dense returns A with all its entries, masked or not, [batch, n, n]. It is for networks that take a number for each
// pair of nodes, and so need n² memory anyway. For a sparse matrix it costs the same as a product with states of width
// n.
func (m *Matrix) Dense() *Node {
	batch, n := m.Rows.Shape().Dim(0), m.form.Nodes
	if !m.form.Sparse {
		return Reshape(m.entries(), batch, n, n)
	}
	identity := DiagonalWithValue(ScalarOne(m.Rows.Graph(), m.Rows.DType()), n)
	return m.multiply(BroadcastToShape(ExpandAxes(identity, 0), shapes.Make(m.Rows.DType(), batch, n, n)))
}

// Symmetrised returns (A + A^T)/2 Z for states z [batch, n, d], with all entries of A, masked or not.
func (m *Matrix) Symmetrised(z *Node) *Node {
	if m.form.Symmetric {
		return m.multiply(z)
	}
	return m.mixed(coefficients{node: Const(z.Graph(), shapes.CastAsDType([]float64{0.5, 0.5}, z.DType()))}, z)
}

// RowSums returns Σ_v A_uv of each node u, [batch, n].
func (m *Matrix) RowSums() *Node { return m.part(0) }

// ColumnSums returns Σ_u A_uv of each node v, [batch, n].
func (m *Matrix) ColumnSums() *Node {
	if m.form.Symmetric {
		return m.part(0)
	}
	return m.part(1)
}

// part returns the i-th block of n statistics, which follow the matrix entries in a row.
func (m *Matrix) part(i int) *Node {
	n := m.form.Nodes
	at := m.Rows.Shape().Dim(1) - m.form.statistics() + i*n
	return Slice(m.Rows, AxisRange(), AxisRange(at, at+n))
}

func (d dense) transposedEntries(entries *Node) *Node {
	n := d.isEdge.Shape().Dim(1)
	return Reshape(TransposeAllDims(Reshape(entries, -1, n, n), 0, 2, 1), -1, n*n)
}

func (d dense) withTranspose(int) operator {
	return dense{isEdge: Concatenate([]*Node{d.isEdge, TransposeAllDims(d.isEdge, 0, 2, 1)}, 0)}
}

// transposedEntries exchanges, for each bucket, the entries to the neighbours and the entries from them.
func (s sparse) transposedEntries(entries *Node) *Node {
	var parts []*Node
	at := 0
	for _, table := range s.neighbours {
		size := table.Shape().Dim(1) * table.Shape().Dim(2)
		list := func(from int) *Node { return Slice(entries, AxisRange(), AxisRange(from, from+size)) }
		parts = append(parts, list(at+size), list(at))
		at += 2 * size
	}
	return Concatenate(parts, 1)
}

// withTranspose appends a copy of each table, with indices shifted past the first copy: slots and nodes, entries, and
// neighbours.
func (s sparse) withTranspose(n int) operator {
	again := func(table *Node, from int) *Node {
		return Concatenate([]*Node{table, AddScalar(table, from)}, 0)
	}
	slots, entries := s.slotOf.Shape().Size(), s.reverse.Shape().Size()
	d := sparse{slotOf: again(s.slotOf, slots), nodeAt: again(s.nodeAt, slots), reverse: again(s.reverse, entries)}
	from := gatherRows(Reshape(s.isEdge, -1, 1), s.reverse)
	d.isEdge = Concatenate([]*Node{s.isEdge, Reshape(from, s.isEdge.Shape().Dimensions...)}, 0)
	for _, table := range s.neighbours {
		d.neighbours = append(d.neighbours, again(table, table.Shape().Dim(0)*n))
	}
	return d
}
