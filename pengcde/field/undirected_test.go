package field_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// undirected gives a sample each edge in both directions, with one weight.
func undirected(t *testing.T, s field.Sample) field.Sample {
	t.Helper()
	var from, to []int
	for e := range s.Pattern.From {
		u, v := int(s.Pattern.From[e]), int(s.Pattern.To[e])
		from, to = append(from, u, v), append(to, v, u)
	}
	p, index, err := dyngraph.NewPattern(s.Pattern.Nodes, from, to)
	if err != nil {
		t.Fatal(err)
	}
	s.Pattern, s.Snapshots = p, slices.Clone(s.Snapshots)
	for j, old := range s.Snapshots {
		weights := make([]float64, p.Edges())
		for e, w := range old {
			weights[index[2*e]], weights[index[2*e+1]] = w, w
		}
		s.Snapshots[j] = weights
	}
	return s
}

// opposite is the edge in the other direction, -1 for none.
func opposite(p *dyngraph.Pattern, e int) int {
	for other := range p.From {
		if p.From[other] == p.To[e] && p.To[other] == p.From[e] {
			return other
		}
	}
	return -1
}

// A batch of undirected graphs has half the entries in its rows. dz/dt and the gradient of every parameter are the same
// as in a batch with a directed graph.
func TestUndirectedGraphsShareWork(t *testing.T) {
	sample, z, n, p := clocked(t)
	sample = undirected(t, sample)
	directed := sample
	directed.Snapshots = slices.Clone(sample.Snapshots)
	last := len(directed.Snapshots) - 1
	directed.Snapshots[last] = slices.Clone(directed.Snapshots[last])
	loop := func(e int) bool { return sample.Pattern.From[e] == sample.Pattern.To[e] }
	edge := 0
	for loop(edge) {
		edge++
	}
	directed.Snapshots[last][edge] = math.Nextafter(directed.Snapshots[last][edge], 9)
	times := []float64{1.2, 1.2} // the last snapshot has no part in it yet
	backend := xlatest.Go(t)
	for name, f := range every(n, p) {
		params := waves(f)
		declared := f.Params()
		for _, product := range bothProducts {
			var results [2][][]float64
			var width [2]int
			for i, other := range []field.Sample{directed, sample} {
				control, form, err := field.NewControl(dtypes.Float64, product, []field.Sample{sample, other})
				if err != nil {
					t.Fatal(err)
				}
				equation, _ := field.Equation(f, form)
				width[i] = control[3].Shape().Dim(-1)
				inputs := []any{times, host.Tensor(dtypes.Float64, slices.Repeat(z, 2), 2, n, len(z)/n)}
				for _, d := range declared {
					inputs = append(inputs, host.Tensor(dtypes.Float64, params[d.Name].Data, d.Dims...))
				}
				for _, c := range control {
					inputs = append(inputs, c)
				}
				out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
					args := in[2:]
					dz := equation(in[0], in[1], args)
					dz = Slice(dz, AxisElem(0))
					probe := Sin(ConvertDType(IotaFull(dz.Graph(), dz.Shape()), dz.DType()))
					return append([]*Node{dz}, Gradient(ReduceAllSum(Mul(probe, dz)), args[:len(declared)]...)...)
				}, inputs...)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range out {
					results[i] = append(results[i], tensors.MustCopyFlatData[float64](x))
				}
			}
			entries, own := width[0]-3*n-2, width[1]-2*n-2 // without sums and diagonals
			if product == equivariant.Sparse {
				own *= 2
			}
			if own != entries {
				t.Errorf("product %s: rows of %d numbers beside a directed graph, %d for undirected ones", product, width[0],
					width[1])
			}
			fixture.Close(t, name+": dz/dt", results[1][0], results[0][0], 1e-12)
			for i, d := range declared {
				fixture.Close(t, name+": gradient of "+d.Name, results[1][1+i], results[0][1+i], 1e-11)
			}
		}
	}
}
