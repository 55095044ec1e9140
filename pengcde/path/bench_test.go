package path_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkKinds is one evaluation of value and derivative of the path of one sample with 1000 float32 entries: a row
// for each of T knots, or 13 rows of which one is in force at each.
func BenchmarkKinds(b *testing.B) {
	const width, few = 1000, 13
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []path.Kind{path.Hermite, path.Ramp, path.Natural} {
		for _, count := range []int{10, 120, 1000} {
			for _, distinct := range slices.Compact([]int{count, min(count, few)}) {
				b.Run(fmt.Sprintf("%v/T=%d/rows=%d", kind, count, distinct), func(b *testing.B) {
					knots, index := make([]float64, count), make([]int32, count)
					for k := range knots {
						knots[k], index[k] = float64(k)+0.9*rng.Float64(), int32(k*distinct/count)
					}
					rows := make([]float32, distinct*width)
					for i := range rows {
						rows[i] = rng.Float32()
					}
					tables, err := path.Knots(kind, [][]float64{knots})
					if err != nil {
						b.Fatal(err)
					}
					var owned xla.Buffers
					defer owned.Free()
					in := owned.Own(tensors.FromFlatDataAndDimensions(rows, 1, distinct, width),
						tensors.FromFlatDataAndDimensions([]float64{float64(count) / 3}, 1),
						tensors.FromFlatDataAndDimensions(slices.Clone(index), 1, count))
					p := program(b, xlatest.Backend(b), kind, true)
					var args []any
					for _, input := range append(in, owned.Own(tables...)...) {
						args = append(args, input)
					}
					call := func() {
						out, err := p.Call(args...)
						if err != nil {
							b.Fatal(err)
						}
						xla.Free(out...)
					}
					call()
					for b.Loop() {
						call()
					}
				})
			}
		}
	}
}
