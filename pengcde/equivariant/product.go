package equivariant

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Product chooses how A Z is computed; "" is [Auto].
type Product string

const (
	// Auto is Dense for small or well-filled graphs, else Sparse; see [Product.Choose].
	Auto Product = "auto"
	// Dense keeps whole matrices, of the snapshots of a batch only, and uses matrix products.
	Dense Product = "dense"
	// Sparse gathers neighbours, in buckets of nodes with about as many of them.
	Sparse Product = "sparse"
)

// Check finds a product that does not exist; the error wraps [dyngraph.ErrInvalid].
func (p Product) Check() error {
	if known := []Product{"", Auto, Dense, Sparse}; !slices.Contains(known, p) {
		return errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: product %q, want one of %q", p, known[1:])
	}
	return nil
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
	if p == Dense || p == Sparse {
		return p
	}
	if n <= denseNodes || denseShare*edges > n*n {
		return Dense
	}
	return Sparse
}
