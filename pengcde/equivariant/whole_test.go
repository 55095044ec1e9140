package equivariant

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// The transposed product, the whole matrix and its sums are those of the entries, in every form, with the gradients of the
// products.
func TestWholeMatrices(t *testing.T) {
	const n, d, batch = 9, 2, 2
	rng := rand.New(rand.NewPCG(2, 8))
	z := make([]float64, batch*n*d)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	for name, mirror := range map[string]bool{"symmetric": true, "directed": false} {
		patterns, weights := undirected(t, n, batch), make([][][]float64, batch)
		entries, sums := make([]float64, batch*n*n), [2][]float64{make([]float64, batch*n), make([]float64, batch*n)}
		for b, p := range patterns {
			row := mirrored(p, rng.NormFloat64)
			if !mirror {
				row[0] += 1
			}
			weights[b] = [][]float64{row}
			for e, w := range row {
				u, v := int(p.From[e]), int(p.To[e])
				entries[(b*n+u)*n+v] = w
				sums[0][b*n+u] += w
				sums[1][b*n+v] += w
			}
		}
		// turned times x is A^T x, else A x.
		times := func(turned bool, x []float64) []float64 {
			y := make([]float64, len(x))
			for b := range batch {
				for u := range n {
					for v := range n {
						w := entries[(b*n+u)*n+v]
						if turned {
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
			form, rows, tables, err := product.Snapshots(dtypes.Float64, patterns, weights)
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
				y := m.ApplyTransposed(z)
				slope := Gradient(ReduceAllSum(Mul(StopGradient(z), y)), z)[0] // A z
				return []*Node{y, m.Apply(z), slope, m.Dense(), m.RowSums(), m.ColumnSums()}
			}, inputs...)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range [][]float64{times(true, z), times(false, z), times(false, z), entries, sums[0], sums[1]} {
				what := []string{"A^T z", "A z", "gradient of A^T z", "whole", "row sums", "column sums"}[i]
				fixture.Close(t, name+", "+string(product)+": "+what, host.Floats(out[i]), want, 1e-14)
			}
		}
	}
}
