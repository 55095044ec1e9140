package equivariant

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Operator multiplies node states by matrices that are given by their entries in a [Layout].
type Operator interface {
	// Entries is the number of matrix entries in a symmetric row, see [Layout.Fit].
	Entries() int
	// Arrange prepares the entries of A, or of A and A', each [batch, entries], for several products.
	Arrange(symmetric bool, entries ...*Node) Arranged
	// Multiply is (c_0 A + c_1 A' + c_2 A^T + c_3 A'^T) Z for coefficients [4], or [S, 4] of S seeds, each for its part of the
	// batch, or A Z for nil with A arranged alone, and z [batch, n, d].
	Multiply(m Arranged, coefficients, z *Node) *Node
	// Modulate is a row [batch, width] of a [Layout] with each entry a_uv on an edge of the pattern, 0 or not, replaced by
	// f(a_uv w + x_u + y_v), and with the statistics of the new entries; w is [h], x and y are [n, h], and f leads from
	// [..., h] to [..., 1]. Other entries stay 0. What it returns is no symmetric row, whatever it is given.
	Modulate(row, w, x, y *Node, f func(*Node) *Node) *Node
}

// Arranged are matrix entries as an operator wants them.
type Arranged struct {
	symmetric bool
	// to are the entries of A, or of A and A', from are those of their transposes where an operator wants them, for each part of
	// the matrix.
	to, from [][]*Node
}

// Product chooses how A Z is computed.
type Product int

const (
	// Auto is Dense for small or well-filled graphs, else Sparse; see [Product.Choose].
	Auto Product = iota
	// Dense keeps whole matrices, of the snapshots of a batch only, and uses matrix products.
	Dense
	// Sparse gathers neighbours, in buckets of nodes with about as many of them.
	Sparse
)

// String is "auto", "dense" or "sparse".
func (p Product) String() string {
	switch p {
	case Auto:
		return "auto"
	case Dense:
		return "dense"
	case Sparse:
		return "sparse"
	}
	return fmt.Sprintf("Product(%d)", int(p))
}

// What [Product.Choose] goes by.
const (
	// denseNodes is the most nodes with which Auto is always Dense. There Sparse takes 0.8 to 1.4 times as long as Dense, while
	// what is compiled for Dense serves all graphs of one size, for Sparse those with about as many neighbours.
	denseNodes = 64
	// denseShare is the part of the matrix, one in so many entries, beyond which Auto is Dense on larger graphs too.
	denseShare = 8
)

// Choose replaces Auto by Dense when n is at most 64 or the pattern fills more than an eighth of the matrix, else by
// Sparse. Forward and backward on two CPU cores, with other work on them, Sparse takes 0.5 times as long as Dense at n=256 with 16
// neighbours and 0.05 to 0.09 at 1000, and with 4 neighbours 0.5 at 100; where 0.12 of the matrix is filled it takes 0.8 to 0.9
// at 256 and 1.2 at 1000, and where 0.22 is 1.4 and 2.1 (BenchmarkProduct).
func (p Product) Choose(n, edges int) Product {
	if p != Auto {
		return p
	}
	if n <= denseNodes || denseShare*edges > n*n {
		return Dense
	}
	return Sparse
}

// BindOperator makes the operator of the nodes of [Layout.Tables].
func BindOperator(tables []*Node) Operator {
	if len(tables) == 1 {
		return dense{isEdge: tables[0]}
	}
	return sparse{order: tables[0], back: tables[1], twin: tables[2], isEdge: tables[3], neighbours: tables[4:]}
}

func pick(flat, indices *Node) *Node { return Gather(flat, ExpandAxes(indices, -1)) }
