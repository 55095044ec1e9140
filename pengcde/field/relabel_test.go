package field_test

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// Relabelling the nodes of a graph relabels dz/dt. The graph and its relabelling are the two samples of a batch, so the
// tables of graphs with other edges stand side by side too. Its shape is fixed, a directed ring with chords and a hub, so
// that each product compiles once.
func TestFieldCommutesWithRelabelling(t *testing.T) {
	const n, p, hidden, knots = 7, 2, 3, 4
	peng := field.PENG{Hidden: hidden, Layers: 2, Features: p, Maps: equivariant.All15()}
	declared := peng.Params()
	for name, product := range map[string]equivariant.Product{"dense": equivariant.Dense, "sparse": equivariant.Sparse} {
		t.Run(name, func(t *testing.T) {
			program, err := xla.NewProgram(xlatest.Backend(t), "field", func(in []*Node) []*Node {
				args := in[2:]
				return []*Node{peng.Derivative(nn.Bind(declared, args), field.Bind(args[len(declared):]), in[0], in[1])}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer program.Close()
			rapid.Check(t, func(r *rapid.T) {
				var owned xla.Buffers
				defer owned.Free()
				draw := func(what string, count int) []float64 {
					return rapid.SliceOfN(rapid.Float64Range(-1, 1), count, count).Draw(r, what)
				}
				order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}).Draw(r, "order")
				var from, to []int
				for u := range n {
					from, to = append(from, u, u, u), append(to, (u+1)%n, (u+3)%n, 0)
				}
				original, places := pattern(r, n, from, to)
				relabelled, newPlaces := pattern(r, n, renamed(order, from), renamed(order, to))
				samples := [2]field.Sample{{Pattern: original}, {Pattern: relabelled}}
				time := float64(knots-1) * rapid.Float64Range(-0.2, 1.2).Draw(r, "t")
				for k := range knots {
					weights, features := draw("weights", len(from)), draw("features", n*p)
					for i, place := range [][]int{places, newPlaces} {
						row := make([]float64, samples[i].Pattern.Edges())
						for e, w := range weights {
							row[place[e]] = w
						}
						samples[i].Snapshots = append(samples[i].Snapshots, row)
						samples[i].Knots = append(samples[i].Knots, float64(k))
					}
					samples[0].Features = append(samples[0].Features, features)
					samples[1].Features = append(samples[1].Features, moved(order, features))
				}
				control, err := field.NewControl(dtypes.Float64, product, samples[:])
				if err != nil {
					r.Fatal(err)
				}
				z := draw("z", n*hidden)
				inputs := owned.Own(tensors.FromValue([]float64{time, time}),
					nn.Tensor(dtypes.Float64, append(append([]float64{}, z...), moved(order, z)...), 2, n, hidden))
				for _, d := range declared {
					inputs = append(inputs, owned.Own(nn.Tensor(dtypes.Float64, draw(d.Name, d.Size()), d.Dims...))...)
				}
				inputs = append(inputs, owned.Own(control...)...)
				args := make([]any, len(inputs))
				for i, input := range inputs {
					args[i] = input
				}
				out, err := program.Call(args...)
				if err != nil {
					r.Fatal(err)
				}
				dz := nn.Floats(owned.Own(out...)[0])
				fixture.Close(t, "dz/dt of the relabelled graph", dz[n*hidden:], moved(order, dz[:n*hidden]), 1e-11)
			})
		})
	}
}

// pattern makes the pattern of edges that may repeat; it also returns where each went.
func pattern(r *rapid.T, n int, from, to []int) (*dyngraph.Pattern, []int) {
	p, places, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		r.Fatal(err)
	}
	return p, places
}

func renamed(order, nodes []int) []int {
	out := make([]int, len(nodes))
	for i, u := range nodes {
		out[i] = order[u]
	}
	return out
}

// moved gives row u of x the place order[u].
func moved(order []int, x []float64) []float64 {
	width := len(x) / len(order)
	out := make([]float64, len(x))
	for u, to := range order {
		copy(out[to*width:(to+1)*width], x[u*width:])
	}
	return out
}
