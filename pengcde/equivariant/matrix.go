package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Matrix is one message matrix for each sample of a batch, ready for use by several layers. Like [Pair] it is never formed
// where the layout is sparse.
type Matrix struct {
	operator Operator
	arranged Arranged
}

// NewMatrix takes rows [batch, width] of a [Layout] for graphs of n nodes. Sums of rows are rows of sums, so A + A' is
// one matrix.
func NewMatrix(operator Operator, rows *Node, n int) *Matrix {
	same := symmetricRows(operator, rows, n)
	entries := rows.Shape().Dim(1) - statisticsWidth(n, same)
	return &Matrix{operator: operator, arranged: operator.Arrange(same, Slice(rows, AxisRange(), AxisRange(0, entries)))}
}

// Apply is M Z for states z [batch, n, d].
func (m *Matrix) Apply(z *Node) *Node { return m.operator.Multiply(m.arranged, nil, z) }
