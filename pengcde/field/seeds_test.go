package field_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// pulled returns a field and the gradient of a fixed combination of its entries with respect to states and parameters,
// for the samples of some seeds. params are [seeds][parameters][entries]; for one seed without the leading axis.
func pulled(t *testing.T, backend *xla.Backend, f field.Field, product equivariant.Product, samples []field.Sample,
	z []float64,
	params [][][]float64) [][]float64 {
	t.Helper()
	control, form, err := field.NewControl(dtypes.Float64, product, samples)
	if err != nil {
		t.Fatal(err)
	}
	times := make([]float64, len(samples))
	for b := range times {
		times[b] = 0.3 + 0.9*float64(b%2)
	}
	n := samples[0].Pattern.Nodes
	inputs := []any{host.Tensor(dtypes.Float64, times, len(times)), host.Tensor(dtypes.Float64, z, len(times), n,
		len(z)/(n*len(times)))}
	if len(params) > 1 {
		form.Seeds = nn.Seeds(len(params))
	}
	equation, declared := field.Equation(f, form)
	for i, p := range declared {
		dims, data := p.Dims, params[0][i]
		if len(params) > 1 {
			dims, data = append([]int{len(params)}, dims...), nil
			for _, seed := range params {
				data = append(data, seed[i]...)
			}
		}
		inputs = append(inputs, host.Tensor(dtypes.Float64, data, dims...))
	}
	for _, c := range control {
		inputs = append(inputs, c)
	}
	out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
		dz := equation(in[0], in[1], in[2:])
		probe := Sin(Add(in[1], OnesLike(in[1]))) // of each entry of z, so that seeds are alike
		return append([]*Node{dz}, Gradient(ReduceAllSum(Mul(StopGradient(probe), dz)), in[1:2+len(declared)]...)...)
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = host.Floats(x)
	}
	return values
}

// Three seeds with different parameters, graphs and states, two samples each, give the same results together as
// separately.
func TestSeedsOfEveryField(t *testing.T) {
	const seeds, batch, n, p = 3, 2, ringNodes, 2
	checkSeeds(t, xlatest.Go(t), every(n, p), seeds, batch, n, p)
}

// The same in compiled programs, for one field that has all the parts.
func TestSeedsCompiled(t *testing.T) {
	const seeds, batch, n, p = 3, 2, ringNodes, 2
	checkSeeds(t, xlatest.Backend(t), map[string]field.Field{"PENG, features": every(n, p)["PENG, features"]}, seeds,
		batch, n, p)
}

func checkSeeds(t *testing.T, backend *xla.Backend, fields map[string]field.Field, seeds, batch, n, p int) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if strings.Contains(name, "identities") || strings.Contains(name, "rows") {
			continue
		}
		f := fields[name]
		for _, product := range bothProducts {
			for _, undirected := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %v, undirected %t", name, product, undirected), func(t *testing.T) {
					var samples []field.Sample
					var z []float64
					for s := range seeds {
						for b := range batch {
							edges := [][2]int{{0, 1}, {1 + s, 4}, {5, 2 + b}, {6 - b, 6 - b}, {3, s}}
							if undirected {
								for _, e := range edges {
									edges = append(edges, [2]int{e[1], e[0]})
								}
							}
							sample := oddGraph(t, n, p, edges, float64(s+seeds*b))
							if undirected {
								mirror(sample)
							}
							samples, z = append(samples, sample), append(z, direction(n*3, 2*s+b)...)
						}
					}
					params := make([][][]float64, seeds)
					for s := range params {
						for i, d := range f.Params() {
							entries := make([]float64, d.Size())
							for j := range entries {
								entries[j] = 0.5 * math.Sin(float64(i+3*j+7*s+1))
							}
							params[s] = append(params[s], entries)
						}
					}
					together := pulled(t, backend, f, product, samples, z, params)
					size := batch * n * 3
					for s := range params {
						alone := pulled(t, backend, f, product, samples[s*batch:(s+1)*batch], z[s*size:(s+1)*size], params[s:s+1])
						for i, want := range alone {
							part := len(together[i]) / seeds
							fixture.Close(t, fmt.Sprintf("seed %d, output %d", s, i), together[i][s*part:(s+1)*part], want, 1e-12)
						}
					}
				})
			}
		}
	}
}

// mirror gives both directions of an edge the weight of the first.
func mirror(s field.Sample) {
	for j, weights := range s.Snapshots {
		s.Snapshots[j] = slices.Clone(weights)
		for e := range weights {
			for other := range e {
				if s.Pattern.From[e] == s.Pattern.To[other] && s.Pattern.To[e] == s.Pattern.From[other] {
					s.Snapshots[j][e] = s.Snapshots[j][other]
				}
			}
		}
	}
}

// Identities, and batches that do not divide by the seeds, are refused while the graph is built.
func TestSeedsThatDoNotFit(t *testing.T) {
	const n, p = ringNodes, 2
	sample := oddGraph(t, n, p, [][2]int{{0, 1}, {1, 4}}, 0)
	for name, want := range map[string]string{
		"PENG, identities": "one seed at a time", "Original, identities": "one seed at a time",
		"PreMult, identities": "one seed at a time", "PENG, rows": "one seed at a time",
		"PENG": "equally many samples", "PreMult": "equally many samples", "Constant": "equally many samples",
	} {
		f := every(n, p)[name]
		inputs := []any{host.Tensor(dtypes.Float64, make([]float64, 3), 3), host.Tensor(dtypes.Float64,
			make([]float64, 3*n*3), 3, n, 3)}
		for _, d := range f.Params() {
			inputs = append(inputs, host.Tensor(dtypes.Float64, make([]float64, 2*d.Size()), append([]int{2}, d.Dims...)...))
		}
		control, form, err := field.NewControl(dtypes.Float64, equivariant.Dense, []field.Sample{sample, sample, sample})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range control {
			inputs = append(inputs, c)
		}
		form.Seeds = 2
		equation, _ := field.Equation(f, form)
		var building error
		CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
			building = panics.Catch(func() { equation(in[0], in[1], in[2:]) })
			return in[:1]
		}, inputs...)
		if building == nil || !strings.Contains(building.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", name, building, want)
		}
	}
}
