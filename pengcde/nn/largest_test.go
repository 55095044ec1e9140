package nn

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// The marks agree with a stable sort, for entries of any size, close to each other or equal.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, n = 6, 21
	entries := make([]float64, rows*n)
	for i := range entries {
		switch i / n {
		case 0: // all equal
		case 1:
			entries[i] = float64(rng.IntN(3)) / 2
		case 2:
			entries[i] = 0.5 + float64(rng.IntN(8))*0x1p-52
		case 3:
			entries[i] = float64(float32(rng.Float64() * 1e-30))
		default:
			entries[i] = rng.Float64()
		}
	}
	for name, backend := range map[string]*xla.Backend{"XLA": xlatest.Backend(t), "Go": xlatest.Go(t)} {
		for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
			x := host.Tensor(dtype, entries, 2, rows/2, n)
			rounded := host.Floats(x)
			for _, k := range []int{0, 1, 16, n} {
				out, err := CallOnce(backend.Compute, func(x *Node) *Node {
					return ConvertDType(Largest(x, k), dtypes.Float32)
				}, x)
				if err != nil {
					t.Fatal(err)
				}
				got, want := host.Floats(out), make([]float64, rows*n)
				for r := range rows {
					order := make([]int, n)
					for i := range order {
						order[i] = r*n + i
					}
					slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rounded[b], rounded[a]) })
					for _, i := range order[:k] {
						want[i] = 1
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %s, k %d: %v, want %v", name, dtype, k, got, want)
				}
			}
		}
	}
}
