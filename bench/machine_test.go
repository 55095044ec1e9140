package bench

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkMachine measures the machine; docs/performance.md compares the costliest operations with these numbers. It
// reports GB/s read and written by a copy, in cache and in memory, and multiply-adds per second of XLA's product of
// two matrices in float32, in units of 10⁹. With PJRT_NPROC=1 and GOMAXPROCS=1 it measures one core.
func BenchmarkMachine(b *testing.B) {
	for _, size := range []int{256 << 10, 256 << 20} {
		b.Run(fmt.Sprintf("copy of %d KiB", size>>10), func(b *testing.B) {
			from, to := make([]byte, size), make([]byte, size)
			copy(to, from) // so that both are in memory
			count := 0
			for b.Loop() {
				copy(to, from)
				count++
			}
			b.ReportMetric(2*float64(size)*float64(count)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
	b.Run("product", func(b *testing.B) {
		const n = 1024
		product, err := xla.NewProgram(xlatest.Backend(b), "product", func(in []*Node) []*Node {
			return []*Node{Dot(in[0], in[0]).MatMul()}
		})
		if err != nil {
			b.Fatal(err)
		}
		defer product.Close()
		x := tensors.FromShape(shapes.Make(dtypes.Float32, n, n))
		defer xla.Free(x)
		multiply := func() {
			out, err := product.Call(x)
			if err != nil {
				b.Fatal(err)
			}
			xla.Free(out...)
		}
		multiply() // compiles
		count := 0
		for b.Loop() {
			multiply()
			count++
		}
		b.ReportMetric(n*n*n*float64(count)/b.Elapsed().Seconds()/1e9, "Gmultiply-adds/s")
	})
}
