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
	// AutoKernels is Auto for a backend with kernels for sparse products, see [xla.HasKernels]: Dense for small
	// graphs, and for larger ones that are more than half filled. Models take it in the place of Auto by themselves.
	AutoKernels Product = "auto with kernels"
	// Dense keeps whole matrices, of the snapshots of a batch only, and uses matrix products.
	Dense Product = "dense"
	// Sparse gathers neighbours, in buckets of nodes with about as many of them.
	Sparse Product = "sparse"
)

// Check finds a product that does not exist; the error wraps [dyngraph.ErrInvalid].
func (p Product) Check() error {
	if known := []Product{"", Auto, AutoKernels, Dense, Sparse}; !slices.Contains(known, p) {
		return errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: product %q, want one of %q", p, known[1:])
	}
	return nil
}

// What [Product.Choose] goes by.
const (
	// denseNodes is the most nodes with which Auto is always Dense: programs then serve all graphs of one size.
	denseNodes = 64
	// denseShare is the part of the matrix, one in so many entries, beyond which Auto is Dense on larger graphs too.
	denseShare = 8
	// denseShareKernels is the same for AutoKernels.
	denseShareKernels = 2
)

// Choose replaces Auto by Dense when n is at most 64 or the pattern fills more than an eighth of the matrix, with
// AutoKernels more than half, else by Sparse; docs/choices.md says why.
func (p Product) Choose(n, edges int) Product {
	if p == Dense || p == Sparse {
		return p
	}
	share := denseShare
	if p == AutoKernels {
		share = denseShareKernels
	}
	if n <= denseNodes || share*edges > n*n {
		return Dense
	}
	return Sparse
}
