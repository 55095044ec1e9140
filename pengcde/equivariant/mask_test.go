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
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// A masked matrix, its transpose and its fusions multiply as if the states of absent nodes were 0.
func TestMasked(t *testing.T) {
	const n, d, batch = 7, 2, 2
	rng := rand.New(rand.NewPCG(4, 1))
	z, present := make([]float64, batch*n*d), make([]float64, batch*n)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	for i := range present {
		present[i] = float64(rng.IntN(2))
	}
	patterns, weights := undirected(t, n, batch), make([][][]float64, batch)
	for b, p := range patterns {
		weights[b] = [][]float64{mirrored(p, rng.NormFloat64)}
		weights[b][0][0]++ // directed
	}
	fusion := Fusion{Maps: Published8()}
	mix := make([]float64, len(fusion.Maps)*2)
	for i := range mix {
		mix[i] = rng.NormFloat64()
	}
	for _, product := range []Product{Dense, Sparse} {
		form, rows, tables, err := product.Snapshots(dtypes.Float64, NeighbourCapacity{}, patterns, weights)
		if err != nil {
			t.Fatal(err)
		}
		inputs := []any{rows, tensors.FromFlatDataAndDimensions(z, batch, n, d),
			tensors.FromFlatDataAndDimensions(present, batch, n, 1),
			tensors.FromFlatDataAndDimensions(mix, fusion.Dims()...)}
		for _, x := range tables {
			inputs = append(inputs, x)
		}
		products := func(a *Matrix, mix, z *Node) []*Node {
			return []*Node{a.Apply(z), a.With(Neg(a.Rows)).Apply(z), a.WithTransposed().Apply(Concatenate([]*Node{z, z}, 0)),
				fusion.Apply(NewPair(a, a), nn.Seeds(0), mix, z)}
		}
		out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
			a := form.Matrix(Squeeze(in[0], 1), in[4:])
			return append(products(a.Masked(in[2]), in[3], in[1]), products(a, in[3], Mul(in[1], in[2]))...)
		}, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"product", "with other rows", "transposed", "fusion"} {
			fixture.Close(t, string(product)+": "+name, host.Floats(out[i]), host.Floats(out[4+i]), 1e-13)
		}
	}
}
