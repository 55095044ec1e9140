package equivariant

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Fusion is a weighted sum of maps of A and A'.
type Fusion struct {
	// Maps are those that take part: the k-th of A with the weight (k, 0), and of A' with the weight (k, 1).
	Maps []Map
	// Derivative are the maps of A' where they differ from those of A, as in [Published11]; nil means Maps.
	Derivative []Map
	// Parity repeats a defect of the published code: the weight of TotalOnAll on A' multiplies the total of A.
	Parity bool
}

// Pair is A and A' at one time for a batch of graphs, ready for use by all layers.
type Pair struct {
	operator operator
	arranged arranged
	// nodes [batch, n, perNode] holds row sums, column sums, diagonal, total and trace, those of A first, and 1.
	nodes *Node
}

const perNode = 2*statistics + 1

// NewPair takes A and A', which lie alike.
func NewPair(a, da *Matrix) *Pair {
	if a.form != da.form {
		panic(errs.New(ErrMap, "pengcde/equivariant: A of form %+v and A' of %+v, want the same", a.form, da.form))
	}
	return &Pair{
		operator: a.operator,
		arranged: a.operator.arrange(a.form.Symmetric, a.Rows, da.Rows),
		nodes: Concatenate([]*Node{a.sums(), da.sums(),
			Ones(a.Rows.Graph(), shapes.Make(a.Rows.DType(), a.Rows.Shape().Dim(0), a.form.Nodes, 1))}, -1),
	}
}

// sums are row sums, column sums, diagonal, total and trace, for each node: [batch, n, statistics].
func (m *Matrix) sums() *Node {
	batch, width, n := m.Rows.Shape().Dim(0), m.Rows.Shape().Dim(1), m.form.Nodes
	rows := width - m.form.statistics()
	columns := rows + n
	if m.form.Symmetric {
		columns = rows
	}
	part := func(from, to int) *Node { return Slice(m.Rows, AxisRange(), AxisRange(from, to)) }
	each := Concatenate([]*Node{part(rows, rows+n), part(columns, width-2)}, 1)
	each = TransposeAllDims(Reshape(each, batch, 3, n), 0, 2, 1)
	scalars := BroadcastToDims(ExpandAxes(part(width-2, width), 1), batch, n, 2)
	return Concatenate([]*Node{each, scalars}, -1)
}

// Apply is M Z for states z [batch, n, d] and weights [maps, 2], those on A in column 0 and those on A' in column 1; or
// [S, maps, 2] of S seeds, each for its part of the batch.
func (f Fusion) Apply(p *Pair, seeds nn.Seeds, weights, z *Node) *Node {
	n := z.Shape().Dimensions[1]
	basis, offset := f.basis(n)
	flat := Reshape(weights, seeds.Dims(2*len(f.Maps))...)
	mixed := nn.Seeds(0).Product(flat, ConstAs(z, basis), 1) // [..., 4+4*perNode]; the basis serves all seeds
	mixed = Add(mixed, ExpandLeftToRank(ConstAs(z, offset), mixed.Rank()))
	part := func(from, to int) *Node { return SliceAxis(mixed, -1, AxisRange(from, to)) }

	matrices := part(0, 4)
	if p.arranged.symmetric {
		matrices = Add(part(0, 2), part(2, 4))
	}
	y := p.operator.multiply(p.arranged, coefficients{matrices, seeds}, z)
	puts := Reshape(part(4, 4+4*perNode), seeds.Dims(perNode, 4)...)
	return addRanked(y, seeds, p.nodes, puts, z)
}

// derivative are the maps of A'. It panics on maps that are not, or not as many as those of A.
func (f Fusion) derivative() []Map {
	derivative := f.Derivative
	if derivative == nil {
		derivative = f.Maps
	}
	if len(derivative) != len(f.Maps) {
		panic(errs.New(ErrMap, "pengcde/equivariant: fusion with %d maps of A and %d of A', want as many: leave those of "+
			"A' nil for the same", len(f.Maps), len(derivative)))
	}
	for _, m := range slices.Concat(f.Maps, derivative) {
		if _, err := m.MarshalText(); err != nil {
			panic(err)
		}
	}
	return derivative
}

// basis leads from the weights, flattened, to the coefficients of A, A', A^T, A'^T, and then, for each entry of
// Pair.nodes, its coefficients in the column vector, in 1, in the row vector and in the diagonal. offset is added to
// them.
func (f Fusion) basis(n int) (basis [][]float64, offset []float64) {
	basis = make([][]float64, 4+4*perNode)
	for i := range basis {
		basis[i] = make([]float64, 2*len(f.Maps))
	}
	derivative := f.derivative()
	for k := range f.Maps {
		for side, m := range []Map{f.Maps[k], derivative[k]} { // 0 for A, 1 for A'
			from := side
			if f.Parity && m == TotalOnAll {
				from = 0
			}
			column, scale := 2*k+side, m.Scale(n)
			at := 4 + 4*(from*statistics+int(table[m].takes))
			switch table[m].puts {
			case edges:
				basis[from][column] += scale
			case transposed:
				basis[2+from][column] += scale
			case onColumns:
				basis[at][column] += scale
			case onRows:
				basis[at+2][column] += scale
			case onDiagonal:
				basis[at+3][column] += scale
			}
		}
	}
	offset = make([]float64, len(basis))
	offset[0], offset[1] = 1, 1
	offset[len(offset)-3] = 1 // of the 1 of nodes in that of V
	return basis, offset
}
