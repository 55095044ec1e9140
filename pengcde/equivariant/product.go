package equivariant

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Product selects the algorithm for A Z; "" is [Auto].
type Product string

const (
	// Auto is Dense for small or well-filled graphs, else Sparse; see [Product.Choose].
	Auto Product = "auto"
	// AutoKernels is Auto for a backend with kernels for sparse products, see [xla.HasKernels]: Dense for small graphs,
	// and for larger graphs that are more than half filled. Models use it automatically in place of Auto.
	AutoKernels Product = "auto with kernels"
	// AutoGPU is Auto for a GPU, with fewer and wider lists of neighbours, since each list is a launch. Models use it
	// automatically in place of Auto.
	AutoGPU Product = "auto on a GPU"
	// Dense stores whole matrices, only for the snapshots of a batch, and uses matrix products.
	Dense Product = "dense"
	// Sparse gathers neighbours, in buckets of nodes with similar numbers of neighbours.
	Sparse Product = "sparse"
)

// Check returns an error for an unknown product; the error wraps [dyngraph.ErrInvalid].
func (p Product) Check() error {
	if known := []Product{"", Auto, AutoKernels, AutoGPU, Dense, Sparse}; !slices.Contains(known, p) {
		return errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: product %q, want one of %q", p, known[1:])
	}
	return nil
}

// Thresholds of [Product.Choose].
const (
	// denseNodes is the largest number of nodes for which Auto is always Dense: programs then serve all graphs of one
	// size.
	denseNodes = 64
	// denseShare bounds the fill of larger graphs: Auto is Dense if more than 1/denseShare of the entries are edges.
	denseShare = 8
	// denseShareKernels is the same for AutoKernels.
	denseShareKernels = 2
)

// Choose replaces Auto by Dense if n is at most 64 or the pattern fills more than an eighth of the matrix, else by
// Sparse. For AutoKernels the limit is one half. docs/choices.md gives the reason.
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
