package rivals

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// polynomials are symmetric matrices T_0 = I, T_1 to T_K-1 that are multiplied entry by entry with attention.
type polynomials interface {
	// attended returns (T_k ⊙ attention) x for all k, with attention [batch, n, n] and x [batch, times, n, d]. T_k is
	// the matrix of the observation if each observation has its own.
	attended(attention, x *Node) []*Node
}

// itself returns the term of T_0 = I: each node's attention to itself times its x.
func itself(attention, x *Node) *Node {
	n := attention.Shape().Dim(-1)
	identity := DiagonalWithValue(ScalarOne(x.Graph(), x.DType()), n)
	own := ReduceSum(Mul(attention, ExpandLeftToRank(identity, 3)), -1) // [batch, n]
	return Mul(ExpandAxes(own, 1, -1), x)
}

// chebyshev holds the Chebyshev polynomials of the scaled Laplacian of each observation's graph, from T_1 on, each
// [batch, T, n, n].
type chebyshev []*Node

func newChebyshev(graph func(observation int) *equivariant.Matrix, observations, count int) chebyshev {
	of := make([][]*Node, count-1)
	for t := range observations {
		for k, polynomial := range polynomialsOf(graph(t), count) {
			of[k] = append(of[k], polynomial)
		}
	}
	var c chebyshev
	for _, polynomial := range of {
		c = append(c, Stack(polynomial, 1))
	}
	return c
}

// polynomialsOf returns the polynomials of one graph from T_1 on, [batch, n, n] each. T_1 is -D^-1/2 W D^-1/2 for the
// symmetrised weights W = (A + A^T)/2 with their sums D. Rows and columns of nodes without edges are 0.
func polynomialsOf(graph *equivariant.Matrix, count int) []*Node {
	a := graph.Dense()
	w := MulScalar(Add(a, TransposeAllDims(a, 0, 2, 1)), 0.5)
	root := Sqrt(inverse(MulScalar(Add(graph.RowSums(), graph.ColumnSums()), 0.5))) // [batch, n, 1]
	first := Neg(Mul(Mul(w, root), TransposeAllDims(root, 0, 2, 1)))
	before := ExpandLeftToRank(DiagonalWithValue(ScalarOne(a.Graph(), a.DType()), graph.Nodes()), 3)
	all := []*Node{first}
	for k := 2; k < count; k++ {
		last := all[k-2]
		next := Mul(root, graph.Symmetrised(Mul(root, last))) // -T_1 T_k-1; sparse graphs need no n^3 operations
		all, before = append(all, Sub(MulScalar(next, -2), before)), last
	}
	return all
}

func (c chebyshev) attended(attention, x *Node) []*Node {
	terms := []*Node{itself(attention, x)}
	for _, t := range c {
		matrix := Mul(t, ExpandAxes(attention, 1)) // [batch, T, n, n]
		terms = append(terms, DotGeneral(matrix, []int{3}, []int{0, 1}, x, []int{2}, []int{0, 1}))
	}
	return terms
}

// learnedPolynomials holds the polynomials of one matrix for all observations, [n, n] each, from T_1 on.
type learnedPolynomials struct {
	seeds nn.Seeds
	list  []*Node
}

// elementwise returns the published polynomials: Chebyshev's recursion with products entry by entry, from T_1 on,
// transposed as in the published code.
func elementwise(s *Node, count int) []*Node {
	s = Transpose(s, -1, -2)
	identity := DiagonalWithValue(ScalarOne(s.Graph(), s.DType()), s.Shape().Dim(-1))
	before, list := ExpandLeftToRank(identity, s.Rank()), []*Node{s}
	for k := 2; k < count; k++ {
		last := list[len(list)-1]
		list, before = append(list, Sub(MulScalar(Mul(s, last), 2), before)), last
	}
	return list
}

func (l learnedPolynomials) attended(attention, x *Node) []*Node {
	terms := []*Node{itself(attention, x)}
	for _, t := range l.list {
		matrix := Mul(attention, l.seeds.Spread(t, attention))             // [batch, n, n]
		y := DotGeneral(matrix, []int{2}, []int{0}, x, []int{2}, []int{0}) // [batch, n, T, d]
		terms = append(terms, TransposeAllDims(y, 0, 2, 1, 3))
	}
	return terms
}
