package ode

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// The kernel adds weighted rows of lengths around a vector's, also more rows than in one pass, and leaves out rows with
// weight 0: the first, which is NaN.
func TestCombinedRows(t *testing.T) {
	backend := xlatest.Backend(t)
	if !backend.HasKernels() {
		t.Skip("no kernels here")
	}
	program, err := xla.NewProgram(backend, "combined", func(in []*Node) []*Node {
		return []*Node{combinedRows(in[0], in[1], in[2])}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for dtype, tolerance := range map[dtypes.DType]float64{dtypes.Float64: 1e-14, dtypes.Float32: 1e-5} {
		for _, terms := range []int{1, 8, 32, 70} {
			for _, width := range []int{1, 8, 16, 23, 101} {
				const sums, rows = 5, 12
				rng := rand.New(rand.NewPCG(1, uint64(terms*width)))
				x := make([]float64, rows*width)
				for i := range x {
					if x[i] = rng.NormFloat64(); i < width {
						x[i] = math.NaN()
					}
				}
				weights, indices, want := make([]float64, sums*terms), make([]int32, sums*terms), make([]float64, sums*width)
				for i := range weights {
					if rng.IntN(3) == 0 {
						continue // with the row of NaN
					}
					weights[i], indices[i] = rng.NormFloat64(), int32(1+rng.IntN(rows-1))
					for j := range width {
						want[i/terms*width+j] += weights[i] * x[int(indices[i])*width+j]
					}
				}
				out, err := program.Call(host.Tensor(dtype, weights, sums, terms),
					tensors.FromFlatDataAndDimensions(indices, sums, terms), host.Tensor(dtype, x, rows, width))
				if err != nil {
					t.Fatal(err)
				}
				for i, got := range host.Floats(out[0]) {
					if !(math.Abs(got-want[i]) <= tolerance*10) {
						t.Errorf("%s, %d terms, rows of %d, entry %d: %g, want %g", dtype, terms, width, i, got, want[i])
						break
					}
				}
				xla.Free(out...)
			}
		}
	}
}
