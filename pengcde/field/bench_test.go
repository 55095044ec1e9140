package field_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkUndirected measures dz/dt of a PENG of two layers and 16 features with its gradient, including interpolation
// of 8 snapshots, for a batch of 4 graphs of the mean degree. It alternates between undirected graphs and graphs with
// the last bit of one weight changed, and reports the fastest call of each.
func BenchmarkUndirected(b *testing.B) {
	const batch, width, knots = 4, 16, 8
	f := field.PENG{Hidden: width, Layers: 2}
	declared := f.Params()
	for _, size := range []struct{ n, degree int }{{400, 8}, {400, 16}, {2048, 8}, {2048, 16}} {
		b.Run(fmt.Sprintf("n=%d/degree=%d", size.n, size.degree), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(8, 1))
			var samples []field.Sample
			for range batch {
				var from, to []int
				for range size.n * size.degree / 2 {
					u, v := rng.IntN(size.n), rng.IntN(size.n)
					from, to = append(from, u, v), append(to, v, u)
				}
				p, index, err := dyngraph.NewPattern(size.n, from, to)
				if err != nil {
					b.Fatal(err)
				}
				s := field.Sample{Pattern: p}
				for k := range knots {
					weights := make([]float64, p.Edges())
					for e := 0; e < len(index); e += 2 {
						weights[index[e]] = rng.Float64() / 16
						weights[index[e+1]] = weights[index[e]]
					}
					s.Knots, s.Snapshots = append(s.Knots, float64(k)), append(s.Snapshots, weights)
				}
				samples = append(samples, s)
			}
			var owned xla.Buffers
			defer owned.Free()
			var calls [2]func()
			var bytes [2]int64
			first := samples[0].Snapshots[0]
			edge := 0
			for samples[0].Pattern.From[edge] == samples[0].Pattern.To[edge] {
				edge++
			}
			was := first[edge]
			for i, weight := range []float64{math.Nextafter(was, 1), was} {
				first[edge] = weight
				control, form, err := field.NewControl(dtypes.Float32, equivariant.Sparse, samples)
				if err != nil {
					b.Fatal(err)
				}
				equation, _ := field.Equation(f, form)
				program, err := xla.NewProgram(xlatest.Backend(b), "field", func(in []*Node) []*Node {
					args := in[2:]
					dz := equation(in[0], in[1], args)
					return Gradient(ReduceAllSum(Square(dz)), append([]*Node{in[1]}, args[:len(declared)]...)...)
				})
				if err != nil {
					b.Fatal(err)
				}
				defer program.Close()
				args := []any{slices.Repeat([]float64{3.4}, batch), owned.Own(host.Tensor(dtypes.Float32,
					make([]float64, batch*size.n*width), batch, size.n, width))[0]}
				for _, x := range owned.Own(append(nn.Draw(declared, dtypes.Float32, 1), control...)...) {
					args = append(args, x)
				}
				for _, x := range control {
					bytes[i] += int64(x.Shape().ByteSize())
				}
				calls[i] = func() {
					out, err := program.Call(args...)
					if err != nil {
						b.Fatal(err)
					}
					host.Floats(out[1])
					xla.Free(out...)
				}
				calls[i]() // compiles
			}
			var fastest [2]time.Duration
			for b.Loop() {
				for i, call := range calls {
					start := time.Now()
					call()
					if took := time.Since(start); fastest[i] == 0 || took < fastest[i] {
						fastest[i] = took
					}
				}
			}
			for i, name := range []string{"directed", "undirected"} {
				b.ReportMetric(float64(fastest[i].Microseconds()), name+"-µs")
				b.ReportMetric(float64(bytes[i]), name+"-bytes")
			}
			b.ReportMetric(float64(fastest[1])/float64(fastest[0]), "ratio")
		})
	}
}
