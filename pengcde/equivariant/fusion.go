package equivariant

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Fusion is A + A' and a weighted sum of maps of A and A',
//
//	M = A + A' + Σ_k (w_k0 φ_k(A) + w_k1 φ_k(A'))
//
// all [batch, n, n]. A and A' are in it whether Maps has [IdentityMap] or not.
type Fusion struct {
	// Maps are the maps in the sum. The k-th has the weight (k, 0) for A and (k, 1) for A'.
	Maps []Map
	// Derivative are the maps of A', if they differ from the maps of A as in [Published11]; nil means Maps.
	Derivative []Map
	// Parity reproduces a defect of the published code: the weight of TotalOnAll on A' multiplies the total of A.
	Parity bool
	// Single mixes maps of one matrix, in a [Pair] from [NewSingle]. The weights are then [maps, 1].
	Single bool
	// Local scales maps that act on one node by [Map.LocalScale], instead of the published scale.
	Local bool
}

// sides returns the number of matrices whose maps are mixed.
func (f Fusion) sides() int {
	if f.Single {
		return 1
	}
	return 2
}

// Dims returns the dimensions of the weights: [maps, 2], or [maps, 1] for a Single fusion.
func (f Fusion) Dims() []int { return []int{len(f.Maps), f.sides()} }

// Pair holds A and A', or one matrix, at one time for a batch of graphs, prepared for all layers.
type Pair struct {
	operator operator
	form     Form
	rows     []*Node // of each matrix
	prepared prepared
	sides    int
	present  *Node // see [Matrix.Masked]
	// nodes [batch, n, sides·statistics + 1] holds row sums, column sums, diagonal, total and trace of each matrix, A
	// first, and a column of 1.
	nodes *Node
}

// NewPair returns the pair of A and A', which must have the same form.
func NewPair(a, da *Matrix) *Pair {
	if a.form != da.form {
		panic(errs.New(ErrMap, "pengcde/equivariant: A of form %+v and A' of %+v, want the same", a.form, da.form))
	}
	return newPair(a, da)
}

// NewSingle returns a pair of only one matrix, for a [Fusion] that is Single.
func NewSingle(a *Matrix) *Pair { return newPair(a) }

// First returns the [NewSingle] of A. Kernels for CPUs share the lists of the pair.
func (p *Pair) First() *Pair {
	if p.prepared.kernel == nil {
		return NewSingle(&Matrix{form: p.form, Rows: p.rows[0], operator: p.operator, present: p.present})
	}
	first := *p
	first.rows, first.sides, first.prepared.kernel = p.rows[:1], 1, p.prepared.kernel.first()
	column := func(from, to int) *Node { return SliceAxis(p.nodes, -1, AxisRange(from, to)) }
	last := p.nodes.Shape().Dim(-1) - 1
	first.nodes = Concatenate([]*Node{column(0, statistics), column(last, last+1)}, -1)
	return &first
}

func newPair(matrices ...*Matrix) *Pair {
	first := matrices[0]
	var rows []*Node
	for _, m := range matrices {
		rows = append(rows, m.Rows)
	}
	return &Pair{
		operator: first.operator,
		form:     first.form,
		rows:     rows,
		prepared: prepare(rows, matrices),
		sides:    len(matrices),
		present:  first.present,
		nodes:    nodeSums(first.form.Symmetric, first.form.Nodes, rows),
	}
}

// prepare prepares matrices with the given rows, directly from the snapshots of a path if they are its A and A'.
func prepare(rows []*Node, matrices []*Matrix) prepared {
	first, last := matrices[0], matrices[len(matrices)-1]
	if s, ok := first.operator.(sparse); ok && first.along != nil && first.along == last.derivativeOf {
		return prepared{symmetric: first.form.Symmetric, kernel: first.along.kernel(s, first.form, rows)}
	}
	return first.operator.prepare(first.form.Symmetric, rows...)
}

// nodeSums returns row sums, column sums, diagonal, total and trace of each matrix for each of n nodes, and ones:
// [batch, n, matrices·statistics + 1]. It reads them from the ends of the rows [batch, width].
func nodeSums(symmetric bool, n int, matrices []*Node) *Node {
	dims := matrices[0].Shape().Dimensions
	batch, width := dims[0], dims[1]
	var all []*Node
	for _, x := range matrices {
		part := func(from, to int) *Node { return Slice(x, AxisRange(), AxisRange(from, to)) }
		columns := width - 2 - 2*n
		rows := columns
		if !symmetric {
			rows -= n
		}
		each := Concatenate([]*Node{part(rows, rows+n), part(columns, width-2)}, 1)
		each = TransposeAllDims(Reshape(each, batch, 3, n), 0, 2, 1)
		all = append(all, each, BroadcastToDims(ExpandAxes(part(width-2, width), 1), batch, n, 2))
	}
	all = append(all, Ones(all[0].Graph(), shapes.Make(all[0].DType(), batch, n, 1)))
	return Concatenate(all, -1)
}

// Apply returns M Z for states z [batch, n, d] and weights of dimensions [Fusion.Dims], with the weights of A in column
// 0 and the weights of A' in column 1. Weights may also be [S, maps, 2] for S seeds, each for its part of the batch.
func (f Fusion) Apply(p *Pair, seeds nn.Seeds, weights, z *Node) *Node {
	return f.apply(p, seeds, weights, z, false)
}

// apply returns M Z, or Z + M Z.
func (f Fusion) apply(p *Pair, seeds nn.Seeds, weights, z *Node, identity bool) *Node {
	if p.sides != f.sides() {
		panic(errs.New(ErrMap, "pengcde/equivariant: a fusion of %d matrices on a Pair of %d: NewSingle is for a Single "+
			"fusion, NewPair for others", f.sides(), p.sides))
	}
	if identity && p.present != nil {
		return Add(z, f.apply(p, seeds, weights, z, false))
	}
	z = Mask(p.present, z)
	n := z.Shape().Dimensions[1]
	basis, offset := f.basis(n)
	flat := Reshape(weights, seeds.Dims(p.sides*len(f.Maps))...)
	ofKernel := p.prepared.kernel
	if identity && ofKernel != nil { // a diagonal of ones
		offset[len(offset)-1] = 1
	}
	mixed := nn.Seeds(0).Product(flat, ConstAs(z, basis), 1) // the basis serves all seeds
	mixed = Add(mixed, ExpandLeftToRank(ConstAs(z, offset), mixed.Rank()))
	part := func(from, to int) *Node { return SliceAxis(mixed, -1, AxisRange(from, to)) }

	ofEdges, perNode := 2*p.sides, p.sides*statistics+1
	matrices := part(0, ofEdges)
	if p.prepared.symmetric {
		matrices = Add(part(0, p.sides), part(p.sides, ofEdges))
	}
	puts := Reshape(part(ofEdges, ofEdges+4*perNode), seeds.Dims(perNode, 4)...)
	c := coefficients{matrices, seeds}
	if ofKernel != nil {
		return ofKernel.message(c, p.nodes, puts, z)
	}
	y := addRanked(p.operator.multiply(p.prepared, c, z), seeds, p.nodes, puts, z)
	if identity {
		y = Add(z, y)
	}
	return y
}

// derivative returns the maps of A'. It panics on a map that does not exist, and unless A and A' have the same number.
func (f Fusion) derivative() []Map {
	derivative := f.Derivative
	if derivative == nil {
		derivative = f.Maps
	}
	if len(derivative) != len(f.Maps) {
		panic(errs.New(ErrMap, "pengcde/equivariant: fusion with %d maps of A and %d of A', want equally many: leave "+
			"Derivative nil to use the maps of A", len(f.Maps), len(derivative)))
	}
	for _, m := range slices.Concat(f.Maps, derivative) {
		if _, err := m.MarshalText(); err != nil {
			panic(err)
		}
	}
	return derivative
}

// ScaleOf returns the factor on a map for n nodes.
func (f Fusion) ScaleOf(m Map, n int) float64 {
	if f.Local {
		return m.LocalScale(n)
	}
	return m.Scale(n)
}

// basis returns the linear map from the flattened weights to the coefficients of A, A', A^T, A'^T, followed, for each
// entry of Pair.nodes, by its coefficients in the column vector, in 1, in the row vector and in the diagonal. offset is
// added to the result.
func (f Fusion) basis(n int) (basis [][]float64, offset []float64) {
	sides := f.sides()
	ofEdges, perNode := 2*sides, sides*statistics+1
	basis = make([][]float64, ofEdges+4*perNode)
	for i := range basis {
		basis[i] = make([]float64, sides*len(f.Maps))
	}
	derivative := f.derivative()
	for k := range f.Maps {
		for side, m := range []Map{f.Maps[k], derivative[k]}[:sides] { // 0 for A, 1 for A'
			from := side
			if f.Parity && m == TotalOnAll {
				from = 0
			}
			column, scale := sides*k+side, f.ScaleOf(m, n)
			at := ofEdges + 4*(from*statistics+int(table[m].takes))
			switch table[m].puts {
			case edges:
				basis[from][column] += scale
			case transposed:
				basis[sides+from][column] += scale
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
	for side := range sides {
		offset[side] = 1
	}
	offset[len(offset)-3] = 1 // the ones in Pair.nodes give the column of ones in V
	return basis, offset
}
