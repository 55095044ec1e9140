package ode

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// combinedRows returns sums [n, ...] of rows of x [r, ...] with weights [n, k] at indices [n, k]. It uses a kernel,
// because XLA gathers rows entry by entry, padding too. The kernel leaves out rows with weight 0, even if they are not
// finite; the plain operations do not. The backend must have kernels.
func combinedRows(weights, indices, x *Node) *Node {
	dims := x.Shape().Dimensions
	sums := xla.Call("pengcde_combine", func(in []*Node) []*Node {
		sum := contract(ExpandAxes(in[0], 1), Gather(in[2], ExpandAxes(in[1], -1)), 2) // [n, 1, d]
		return []*Node{Squeeze(sum, 1)}
	}, ConvertDType(weights, x.DType()), indices, Reshape(x, dims[0], -1))[0]
	return Reshape(sums, append([]int{weights.Shape().Dim(0)}, dims[1:]...)...)
}
