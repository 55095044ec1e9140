package equivariant

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Operator multiplies node states by matrices that are given as edges of known patterns.
type Operator interface {
	// Arrange lays out the edge weights a and da, both [batch, edges], for several products.
	Arrange(a, da *Node) Arranged
	// Multiply is (c_0 A + c_1 A' + c_2 A^T + c_3 A'^T) Z for coefficients [4] and z [batch, n, d].
	Multiply(m Arranged, coefficients, z *Node) *Node
}

// Arranged are edge weights as an operator wants them.
type Arranged []*Node

// Product chooses how A Z is computed.
type Product int

const (
	// Auto is Dense for small or well-filled graphs, else Sparse; see [Product.Choose].
	Auto Product = iota
	// Dense spreads the edges over n x n matrices at each evaluation and uses matrix products.
	Dense
	// Sparse gathers neighbours, in buckets of nodes with about as many of them.
	Sparse
)

// Choose replaces Auto by Dense when n is at most 128 or the pattern fills more than an eighth of the matrix, else by
// Sparse. Forward and backward on two CPU cores, with 16 neighbours, Sparse is level at n=64, 1.3 to 1.7 times as fast
// at 129, 2.3 to 2.8 at 256, 5 to 7 at 1000 and 15 at 2048; with an eighth filled, Dense is up to 1.8 times as fast at
// 1000 (BenchmarkProduct). Dense compiles about twice as fast.
func (p Product) Choose(n, edges int) Product {
	if p != Auto {
		return p
	}
	if n <= 128 || 8*edges > n*n {
		return Dense
	}
	return Sparse
}

// Tables are the index tensors of an operator for the graphs of a batch, which all have n nodes and are taken to have
// the given number of edges; [BindOperator] takes them back, as nodes.
func (p Product) Tables(patterns []*dyngraph.Pattern, edges int) ([]*tensors.Tensor, error) {
	n := patterns[0].Nodes
	for b, pattern := range patterns {
		if pattern.Nodes != n || pattern.Edges() > edges {
			return nil, fmt.Errorf("pengcde/equivariant: graph %d of the batch has %d nodes and %d edges, want %d nodes and at most %d edges: %w",
				b, pattern.Nodes, pattern.Edges(), n, edges, dyngraph.ErrInvalid)
		}
	}
	if p.Choose(n, edges) == Dense {
		return denseTable(patterns, edges), nil
	}
	return sparseTables(patterns, edges), nil
}

// BindOperator makes the operator of the nodes of its tables.
func BindOperator(tables []*Node) Operator {
	if len(tables) == 1 {
		return dense{tables[0]}
	}
	return sparse{order: tables[0], buckets: tables[1:]}
}

// padded flattens edges [batch, edges] with a 0 behind each sample's, where indices of absent edges point.
func padded(edges *Node) *Node {
	batch := edges.Shape().Dimensions[0]
	zero := Zeros(edges.Graph(), edges.Shape().Clone())
	zero = Slice(zero, AxisRange(), AxisRange(0, 1))
	wide := Concatenate([]*Node{edges, zero}, 1)
	return Reshape(wide, batch*wide.Shape().Dimensions[1])
}

func pick(flat, indices *Node) *Node { return Gather(flat, ExpandAxes(indices, -1)) }

func scalar(coefficients *Node, i, rank int) *Node {
	return ExpandLeftToRank(Slice(coefficients, AxisElem(i)), rank)
}
