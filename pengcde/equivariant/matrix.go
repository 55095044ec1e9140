package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Form is how the matrices of a batch of graphs lie in memory, as [Product.Snapshots] has chosen it for their contents.
// Programs are built for one form: forms that are equal share them.
type Form struct {
	Nodes int
	// Sparse matrices are lists of neighbours, others have all n² entries.
	Sparse bool
	// Symmetric matrices equal their transpose: a row has no entries from neighbours beside those to them, and no
	// column sums.
	Symmetric bool
	// Used says that matrices were laid out in a given capacity, so that their patterns may lack edges without a weight.
	Used bool
}

// statistics is the number of sums in a row, behind the matrix entries.
func (f Form) statistics() int {
	if f.Symmetric {
		return 2*f.Nodes + 2
	}
	return 3*f.Nodes + 2
}

// Matrix is one n x n matrix for each sample of a batch at one time, as its entries and their sums. It is never formed
// where it is sparse.
type Matrix struct {
	form Form
	// Rows [batch, width] hold the matrix entries, row sums, column sums and diagonal for each node, total and trace.
	// They are linear in the matrix, so sums of rows are rows of sums.
	Rows     *Node
	operator operator
	prepared *prepared
}

// Matrix makes a matrix of rows [batch, width] that were interpolated between the rows of [Product.Snapshots], and of
// its tables.
func (f Form) Matrix(rows *Node, tables []*Node) *Matrix {
	m := &Matrix{form: f, Rows: rows, operator: dense{isEdge: tables[0]}}
	if f.Sparse {
		if len(tables) < 5 {
			panic(errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: %d tables of sparse matrices, want all of "+
				"Product.Snapshots", len(tables)))
		}
		m.operator = sparse{placeOf: tables[0], nodeAt: tables[1], reverse: tables[2], isEdge: tables[3],
			neighbours: tables[4:]}
	}
	return m
}

// Nodes is n.
func (m *Matrix) Nodes() int { return m.form.Nodes }

// With is the matrix of other rows of the same form.
func (m *Matrix) With(rows *Node) *Matrix {
	return &Matrix{form: m.form, Rows: rows, operator: m.operator}
}

// entries cuts the matrix entries, [batch, entries], out of the rows.
func (m *Matrix) entries() *Node {
	return Slice(m.Rows, AxisRange(), AxisRange(0, m.Rows.Shape().Dim(1)-m.form.statistics()))
}

// Apply is M Z for states z [batch, n, d].
func (m *Matrix) Apply(z *Node) *Node {
	if m.prepared == nil {
		prepared := m.operator.prepare(m.form.Symmetric, m.Rows)
		m.prepared = &prepared
	}
	return m.operator.multiply(*m.prepared, coefficients{}, z)
}

// Times is M W for the same W [n, d] in all samples: [batch, n, d].
func (m *Matrix) Times(w *Node) *Node {
	return m.Apply(BroadcastToDims(ExpandAxes(w, 0), m.Rows.Shape().Dim(0), w.Shape().Dim(0), w.Shape().Dim(1)))
}

// operator multiplies node states by matrices that are given by their entries.
type operator interface {
	// arrange prepares A, or A and A', whose rows are given, for several products.
	prepare(symmetric bool, rows ...*Node) prepared
	// multiply is the product of the matrix that the coefficients mix with z [batch, n, d].
	multiply(m prepared, c coefficients, z *Node) *Node
	// modulate is a row [batch, width] with each entry a_uv on an edge of the pattern, 0 or not, replaced by
	// f(a_uv w + x_u + y_v), and with the sums of the new entries; w is [h], x and y are [n, h], and f leads from [...,
	// h] to [..., 1]. Other entries stay 0. What it returns is not symmetric, even where the given row is.
	modulateEdges(symmetric bool, row, w, x, y *Node, f func(*Node) *Node) *Node
	// transposedEntries gives the entries [batch, entries] of A^T for the entries of an A that is not symmetric.
	transposedEntries(entries *Node) *Node
	// withTranspose multiplies by the matrices of n nodes of a batch, and behind them by their transposes.
	withTranspose(n int) operator
}

// prepared are matrix entries as an operator wants them.
type prepared struct {
	symmetric bool
	// to has the entries of A, or of A and A', for each part of the matrix, and from the entries of their transposes
	// where an operator reads them.
	to, from [][]*Node
	// kernel, where there is one, has the rows as they are instead.
	kernel *kernel
}

// coefficients [4] mix c_0 A + c_1 A' + c_2 A^T + c_3 A'^T, and for symmetric matrices [2] mix c_0 A + c_1 A'. Where A
// is prepared alone there are half as many. Several seeds have [S, ...], each for its part of the batch. Without a node
// the mix is A, prepared alone.
type coefficients struct {
	node  *Node
	seeds nn.Seeds
}
