package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Form is the memory layout of the matrices of a batch of graphs, as [Product.Snapshots] chose it for their contents.
// Programs are built for one form, and equal forms share them.
type Form struct {
	Nodes int
	// Sparse matrices are lists of neighbours; other matrices have all n² entries.
	Sparse bool
	// Symmetric matrices equal their transpose. A row then has only entries to neighbours, not from them, and no column
	// sums.
	Symmetric bool
	// Used means that matrices were laid out in a given capacity, so that their patterns may lack edges without a
	// weight.
	Used bool
}

// statistics returns the number of sums in a row, after the matrix entries.
func (f Form) statistics() int {
	if f.Symmetric {
		return 2*f.Nodes + 2
	}
	return 3*f.Nodes + 2
}

// Matrix is one n x n matrix for each sample of a batch at one time, given by its entries and their sums. A sparse
// matrix is never formed in full.
type Matrix struct {
	form Form
	// Rows [batch, width] hold the matrix entries, row sums, column sums and diagonal for each node, total and trace.
	// They are linear in the matrix, so a sum of rows is the row of the sum.
	Rows         *Node
	operator     operator
	prepared     *prepared
	present      *Node  // see Masked
	along        *along // the path whose A this is; nil if there is none
	derivativeOf *along // the path whose A' this is
}

// Matrix returns the matrix with the given rows [batch, width], interpolated between the rows of [Product.Snapshots],
// and tables from the same call.
func (f Form) Matrix(rows *Node, tables []*Node) *Matrix {
	m := &Matrix{form: f, Rows: rows, operator: dense{isEdge: tables[0]}}
	if f.Sparse {
		if len(tables) < 5 {
			panic(errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: %d tables of sparse matrices, want all of "+
				"Product.Snapshots", len(tables)))
		}
		m.operator = sparse{slotOf: tables[0], nodeAt: tables[1], reverse: tables[2], isEdge: tables[3],
			neighbours: tables[4:]}
	}
	return m
}

// Nodes returns n.
func (m *Matrix) Nodes() int { return m.form.Nodes }

// With returns the matrix with other rows of the same form.
func (m *Matrix) With(rows *Node) *Matrix {
	return &Matrix{form: m.form, Rows: rows, operator: m.operator, present: m.present}
}

// Masked returns the matrix that multiplies only the states of present nodes, as if the others were 0: present [batch,
// n, 1] is 1 for a present node, else 0. nil means that all are present.
func (m *Matrix) Masked(present *Node) *Matrix {
	masked := *m
	masked.present = present
	return &masked
}

// Mask returns x [batch, n, d] with 0 for absent nodes, given present [batch, n, 1]; x itself if present is nil.
func Mask(present, x *Node) *Node {
	if present == nil {
		return x
	}
	return Mul(x, present)
}

// entries returns the matrix entries of the rows, [batch, entries].
func (m *Matrix) entries() *Node {
	return Slice(m.Rows, AxisRange(), AxisRange(0, m.Rows.Shape().Dim(1)-m.form.statistics()))
}

// Apply returns M Z for states z [batch, n, d].
func (m *Matrix) Apply(z *Node) *Node { return m.multiply(Mask(m.present, z)) }

// Residual returns Z + M Z for states z [batch, n, d].
func (m *Matrix) Residual(z *Node) *Node { return Add(z, m.Apply(z)) }

func (m *Matrix) multiply(z *Node) *Node { return m.mixed(coefficients{}, z) }

// mixed returns the product of A, or of A mixed with A^T, with z.
func (m *Matrix) mixed(c coefficients, z *Node) *Node {
	if m.prepared == nil {
		prepared := m.operator.prepare(m.form.Symmetric, m.Rows)
		m.prepared = &prepared
	}
	return m.operator.multiply(*m.prepared, c, z)
}

// Times returns M W for the same W [n, d] in all samples: [batch, n, d].
func (m *Matrix) Times(w *Node) *Node {
	return m.Apply(BroadcastToDims(ExpandAxes(w, 0), m.Rows.Shape().Dim(0), w.Shape().Dim(0), w.Shape().Dim(1)))
}

// operator multiplies node states by matrices that are given by their entries.
type operator interface {
	// prepare prepares A, or A and A', given by their rows, for several products.
	prepare(symmetric bool, rows ...*Node) prepared
	// multiply returns the product of the mixed matrix with z [batch, n, d].
	multiply(m prepared, c coefficients, z *Node) *Node
	// modulateEdges replaces in a row [batch, width] each entry a_uv on an edge of the pattern, 0 or not, by f(a_uv w +
	// x_u + y_v), and recomputes the sums. w is [h], x and y are [n, h], and f maps [..., h] to [..., 1]. Other entries
	// stay 0. The result is not symmetric, even if the given row is.
	modulateEdges(symmetric bool, row, w, x, y *Node, f func(*Node) *Node) *Node
	// transposedEntries returns the entries [batch, entries] of A^T, given the entries of an A that is not symmetric.
	transposedEntries(entries *Node) *Node
	// withTranspose returns an operator for the matrices of a batch with n nodes, followed by their transposes.
	withTranspose(n int) operator
}

// prepared holds matrix entries in the layout of an operator.
type prepared struct {
	symmetric bool
	// to holds the entries of A, or of A and A', for each part of the matrix. from holds the entries of their
	// transposes, if the operator reads them.
	to, from [][]*Node
	// kernel, if not nil, holds the rows unchanged instead.
	kernel *kernel
}

// coefficients [4] mix c_0 A + c_1 A' + c_2 A^T + c_3 A'^T, and for symmetric matrices [2] mix c_0 A + c_1 A'. If only
// A is prepared there are half of them. Several seeds have [S, ...], each for its part of the batch. Without a node the
// mix is A, which is then the only prepared matrix.
type coefficients struct {
	node  *Node
	seeds nn.Seeds
}
