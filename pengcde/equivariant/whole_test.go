package equivariant

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// The transposed product, the whole matrix and its sums agree with the entries, in every form, and so do the gradients
// of the products.
func TestWholeMatrices(t *testing.T) {
	const n, d, batch = 9, 2, 2
	rng := rand.New(rand.NewPCG(2, 8))
	z := make([]float64, batch*n*d)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	for name, mirror := range map[string]bool{"symmetric": true, "directed": false} {
		patterns, weights := undirected(t, n, batch), make([][][]float64, batch)
		entries, turned := make([]float64, batch*n*n), make([]float64, batch*n*n)
		sums := [2][]float64{make([]float64, batch*n), make([]float64, batch*n)}
		for b, p := range patterns {
			row := mirrored(p, rng.NormFloat64)
			if !mirror {
				row[0] += 1
			}
			weights[b] = [][]float64{row}
			for e, w := range row {
				u, v := int(p.From[e]), int(p.To[e])
				entries[(b*n+u)*n+v], turned[(b*n+v)*n+u] = w, w
				sums[0][b*n+u] += w
				sums[1][b*n+v] += w
			}
		}
		// times is A x, or A^T x.
		times := func(back bool, x []float64) []float64 {
			y := make([]float64, len(x))
			for b := range batch {
				for u := range n {
					for v := range n {
						w := entries[(b*n+u)*n+v]
						if back {
							w = entries[(b*n+v)*n+u]
						}
						for c := range d {
							y[(b*n+u)*d+c] += w * x[(b*n+v)*d+c]
						}
					}
				}
			}
			return y
		}
		for _, product := range []Product{Dense, Sparse} {
			form, rows, tables, err := product.Snapshots(dtypes.Float64, NeighbourCapacity{}, patterns, weights)
			if err != nil {
				t.Fatal(err)
			}
			if form.Symmetric != mirror {
				t.Fatalf("%s is of form %+v", name, form)
			}
			inputs := []any{rows, tensors.FromFlatDataAndDimensions(z, batch, n, d)}
			for _, x := range tables {
				inputs = append(inputs, x)
			}
			out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
				m, z := form.Matrix(Squeeze(in[0], 1), in[2:]), in[1]
				both := m.WithTransposed()
				y := both.Apply(Concatenate([]*Node{z, z}, 0))
				probe := Concatenate([]*Node{ZerosLike(z), z}, 0)
				slope := Gradient(ReduceAllSum(Mul(StopGradient(probe), y)), z)[0] // of z^T A^T z by the right z
				// The last factor is the transpose of the transpose of A^T.
				again := both.WithTransposed().WithTransposed().Dense()
				return []*Node{y, slope, m.Dense(), Slice(again, AxisRange(7*batch)), both.RowSums(),
					both.ColumnSums()}
			}, inputs...)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range []struct {
				what string
				want []float64
			}{
				{"A z and A^T z", append(times(false, z), times(true, z)...)}, {"gradient", times(false, z)},
				{"whole", entries}, {"turned thrice", turned},
				{"row sums", append(slices.Clone(sums[0]), sums[1]...)},
				{"column sums", append(slices.Clone(sums[1]), sums[0]...)},
			} {
				fixture.Close(t, name+", "+string(product)+": "+c.what, host.Floats(out[i]), c.want, 1e-14)
			}
		}
	}
}
