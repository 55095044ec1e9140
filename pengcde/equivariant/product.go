package equivariant

import "fmt"

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
