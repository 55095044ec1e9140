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
	if p < Auto || p > Sparse {
		return fmt.Sprintf("Product(%d)", int(p))
	}
	return []string{"auto", "dense", "sparse"}[p]
}

// What [Product.Choose] goes by.
const (
	// denseNodes is the most nodes with which Auto is always Dense: what is compiled then serves all graphs of one
	// size.
	denseNodes = 64
	// denseShare is the part of the matrix, one in so many entries, beyond which Auto is Dense on larger graphs too.
	denseShare = 8
)

// Choose replaces Auto by Dense when n is at most 64 or the pattern fills more than an eighth of the matrix, else by
// Sparse; docs/choices.md says why.
func (p Product) Choose(n, edges int) Product {
	if p != Auto {
		return p
	}
	if n <= denseNodes || denseShare*edges > n*n {
		return Dense
	}
	return Sparse
}
