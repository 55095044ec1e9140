package field_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

var bothProducts = []equivariant.Product{equivariant.Dense, equivariant.Sparse}

// checkField compares a field with the values of a file, in both products.
func checkField(t *testing.T, file fixture.Node, f field.Field, sample field.Sample, key string) {
	t.Helper()
	params := file.Get("params").Params()
	for _, product := range bothProducts {
		got := evaluate(t, xlatest.Backend(t), f, params, sample, product, file.Get("field_t").Array().Data,
			file.Get("field_z").Array().Data, false)
		closeEach(t, got[0], file.Get(key).Array(), 1e-12)
	}
}

func sizes(file fixture.Node) (hidden, layers int) {
	return file.Get("hidden").Int(), file.Get("layers").Int()
}

func TestFixtureModelAdjacencyField(t *testing.T) {
	file := fixture.Load(t, "model_adj")
	hidden, layers := sizes(file)
	checkField(t, file, field.Adjacency{Hidden: hidden, Layers: layers}, observed.Synthetic(t, file)[0], "field_f")
}

func TestFixtureModelOriginalField(t *testing.T) {
	file := fixture.Load(t, "model_orig")
	hidden, layers := sizes(file)
	checkField(t, file, field.Original{Hidden: hidden, Layers: layers}, observed.Synthetic(t, file)[0], "field_f")
}

func TestFixtureModelPreMultField(t *testing.T) {
	file := fixture.Load(t, "model_premult")
	hidden, layers := sizes(file)
	checkField(t, file, field.PreMult{Hidden: hidden, Layers: layers, Nodes: file.Get("n").Int()},
		observed.Synthetic(t, file)[0], "field_f")
}

func TestFixtureModelGNODEField(t *testing.T) {
	file := fixture.Load(t, "model_gnode")
	hidden, layers := sizes(file)
	checkField(t, file, field.GNODE{Hidden: hidden, Layers: layers, Lag: true}, observed.Synthetic(t, file)[0], "field_f")
}

func TestFixturePGTOriginalField(t *testing.T) {
	file := fixture.Load(t, "pgt_orig")
	hidden, layers := sizes(file)
	checkField(t, file, field.Original{Hidden: hidden, Layers: layers, Features: file.Get("p").Int()},
		observed.Windowed(t, file), "field_dz")
}

func TestFixturePGTPengDirectedField(t *testing.T) {
	file := fixture.Load(t, "pgt_peng_dir")
	hidden, layers := sizes(file)
	maps, derivative := equivariant.Published11()
	checkField(t, file, field.PENG{Hidden: hidden, Layers: layers, Features: file.Get("p").Int(),
		Maps: maps, DerivativeMaps: derivative, Parity: true}, observed.Windowed(t, file), "field_dz")
}

// every returns fields of each kind and option by name, for p features of n nodes, small enough for differences.
func every(n, p int) map[string]field.Field {
	const hidden, layers = 3, 2
	maps, derivative := equivariant.Published11()
	mlp, linear := equivariant.Identities{Size: 2}, equivariant.Identities{Kind: equivariant.IdentityLinear, Size: 3}
	table := equivariant.Identities{Kind: equivariant.IdentityTable, Size: 2, Nodes: n}
	whole := field.WellPosed()
	whole.Linear, whole.Feedback = true, true
	tanh := field.Style{Norm: nn.Norm{Over: nn.NoNorm}, Activation: nn.HyperbolicTangent}
	affine := field.PENG{Hidden: hidden, Layers: layers, DerivativeIn: field.LastLayer, LocalScale: true, Style: whole}
	affine11, affineFeatures := affine, affine
	affine11.Maps, affine11.DerivativeMaps = maps, derivative
	affineFeatures.Features, affineFeatures.Maps = p, equivariant.All15()
	return map[string]field.Field{
		"PENG, affine":           affine,
		"PENG, affine, 11 maps":  affine11,
		"PENG, affine, features": affineFeatures,
		"PENG, affine, rows": field.Rows{Field: field.PENG{Hidden: hidden, Layers: 1, Features: 2,
			DerivativeIn: field.LastLayer, Style: tanh}, Nodes: n, Width: 2},
		"PENG of A": field.PENG{Hidden: hidden, Layers: layers, Features: p, DerivativeIn: field.NoLayer,
			Style: field.WellPosed()},
		"PENG of A, identities": field.PENG{Hidden: hidden, Layers: 1, DerivativeIn: field.NoLayer, Identities: mlp},
		"PENG, linear part":     field.PENG{Hidden: hidden, Layers: 1, Features: p, Style: field.Style{Linear: true}},
		"Original, affine":      field.Original{Hidden: hidden, Layers: layers, DerivativeIn: field.LastLayer, Style: whole},
		"Original, affine, features": field.Original{Hidden: hidden, Layers: layers, Features: p,
			DerivativeIn: field.LastLayer, Style: tanh},
		"Original of A":    field.Original{Hidden: hidden, Layers: layers, DerivativeIn: field.NoLayer, Style: tanh},
		"Adjacency, style": field.Adjacency{Hidden: hidden, Layers: layers, Features: p, Style: whole},
		"GNODE, style":     field.GNODE{Hidden: hidden, Layers: layers, Style: whole},

		"PENG": field.PENG{Hidden: hidden, Layers: layers, Maps: equivariant.All15()},
		"PENG, features": field.PENG{Hidden: hidden, Layers: layers, Features: p, Maps: equivariant.All15(),
			PerChannel: true},
		"PENG, 8 maps":        field.PENG{Hidden: hidden, Layers: layers},
		"PENG, as published":  field.PENG{Hidden: hidden, Layers: layers, Features: p, Parity: true},
		"PENG, 11 maps":       field.PENG{Hidden: hidden, Layers: layers, Maps: maps, DerivativeMaps: derivative},
		"Original":            field.Original{Hidden: hidden, Layers: layers},
		"Original, features":  field.Original{Hidden: hidden, Layers: layers, Features: p, PerChannel: true},
		"Adjacency":           field.Adjacency{Hidden: hidden, Layers: layers},
		"Adjacency, features": field.Adjacency{Hidden: hidden, Layers: layers, Features: p},
		"PreMult":             field.PreMult{Hidden: hidden, Layers: layers, Nodes: n},
		"PreMult, features":   field.PreMult{Hidden: hidden, Layers: layers, Nodes: n, Features: p, PerChannel: true},
		"GNODE":               field.GNODE{Hidden: hidden, Layers: layers},
		"Constant":            field.Constant{Hidden: hidden},

		"PENG, identities": field.PENG{Hidden: hidden, Layers: layers, Maps: equivariant.All15(), Identities: mlp},
		// With waves for parameters the first of two layers would give nearly the same direction for all nodes, which
		// is all that the norm of the second leaves, so that its gradient is lost in rounding.
		"PENG, linear identities": field.PENG{Hidden: hidden, Layers: 1, PerChannel: true, Identities: linear},
		"Original, identities":    field.Original{Hidden: hidden, Layers: 1, Identities: table},
		"PENG, rows":              field.Rows{Field: field.PENG{Hidden: hidden, Layers: 1, Features: 2}, Nodes: n, Width: 2},
		"Original, rows":          field.Rows{Field: field.Original{Hidden: hidden, Layers: 1, Features: 1}, Nodes: n, Width: 1},
		"PreMult, identities":     field.PreMult{Hidden: hidden, Layers: layers, Nodes: n, Features: p, Identities: linear},
	}
}

// waves are parameters without structure, none of them 0.
func waves(f field.Field) map[string]fixture.Array {
	params := make(map[string]fixture.Array)
	for i, p := range f.Params() {
		a := fixture.Array{Dims: p.Dims, Data: make([]float64, p.Size())}
		for j := range a.Data {
			a.Data[j] = 0.5 * math.Sin(float64(i+3*j+1))
		}
		params[p.Name] = a
	}
	return params
}

// clocked returns the sample of a fixture with a separate clock of the time channel.
func clocked(t *testing.T) (sample field.Sample, z []float64, n, p int) {
	file := fixture.Load(t, "pgt_peng")
	sample = observed.Windowed(t, file)
	for k, knot := range sample.Knots {
		sample.Clock = append(sample.Clock, 1.5*knot+0.2*float64(k*k))
		for e := range sample.Snapshots[k] { // of order 1/n, so that no part of the gradient is lost in rounding
			sample.Snapshots[k][e] = 0.3 * math.Sin(float64(2*e+5*k+1))
		}
	}
	n, p = file.Get("n").Int(), file.Get("p").Int()
	for i := range 3 * n {
		z = append(z, math.Cos(1.7*float64(i)))
	}
	return sample, z, n, p
}

func TestSparseIsDenseForEveryField(t *testing.T) {
	sample, z, n, p := clocked(t)
	backend := xlatest.Go(t)
	times := []float64{0.4, 1, 2.3, 3.4}
	for name, f := range every(n, p) {
		dense := evaluate(t, backend, f, waves(f), sample, equivariant.Dense, times, z, true)
		sparse := evaluate(t, backend, f, waves(f), sample, equivariant.Sparse, times, z, true)
		fixture.Close(t, name+": dz/dt", sparse[0], dense[0], 1e-12)
		for i, d := range f.Params() {
			fixture.Close(t, name+": gradient of "+d.Name, sparse[1+i], dense[1+i], 1e-12)
		}
	}
}

// fivePoint are the weights of central differences of order 4, by offset in steps.
var fivePoint = map[float64]float64{-2: 1. / 12, -1: -2. / 3, 1: 2. / 3, 2: -1. / 12}

// The gradient of a fixed combination of dz/dt agrees with central differences, for every parameter along directions
// through all of its entries.
func TestGradientOfEveryParameter(t *testing.T) {
	sample, z, n, p := clocked(t)
	backend := xlatest.Go(t)
	at := []float64{1.3}
	for name, f := range every(n, p) {
		t.Run(name, func(t *testing.T) {
			params := waves(f)
			got := evaluate(t, backend, f, params, sample, equivariant.Sparse, at, z, true)
			control, form, err := field.NewControl(dtypes.Float64, equivariant.Dense, []field.Sample{sample})
			if err != nil {
				t.Fatal(err)
			}
			equation, declared := field.Equation(f, form)
			value, err := xla.NewProgram(backend, "probed field", func(in []*Node) []*Node {
				dz := equation(in[0], in[1], in[2:])
				probe := Sin(ConvertDType(IotaFull(dz.Graph(), dz.Shape()), dz.DType()))
				return []*Node{ReduceAllSum(Mul(probe, dz))}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer value.Close()
			args := []any{tensors.FromValue(at), host.Tensor(dtypes.Float64, z, 1, n, len(z)/n)}
			for _, d := range declared {
				args = append(args, host.Tensor(dtypes.Float64, params[d.Name].Data, d.Dims...))
			}
			for _, c := range control {
				args = append(args, c)
			}
			const h = 1e-4
			for i, d := range declared {
				const turns = 3
				want, slopes := make([]float64, turns), make([]float64, turns)
				for turn := range turns {
					along := direction(d.Size(), turn)
					slopes[turn] = floats.Dot(got[1+i], along)
					for side, weight := range fivePoint {
						moved := slices.Clone(params[d.Name].Data)
						floats.AddScaled(moved, side*h, along)
						called := slices.Clone(args)
						called[2+i] = host.Tensor(dtypes.Float64, moved, d.Dims...)
						out, err := value.Call(called...)
						if err != nil {
							t.Fatal(err)
						}
						want[turn] += weight * host.Floats(out[0])[0] / h
						xla.Free(out...)
					}
				}
				fixture.Close(t, "gradient of "+d.Name, slopes, want, 1e-6)
				if len(slices.DeleteFunc(want, func(v float64) bool { return v == 0 })) == 0 {
					t.Errorf("%s does not enter the field", d.Name)
				}
			}
		})
	}
}

// GN-ODE uses the snapshot of the last knot at or before the time, also outside the knots.
func TestGNODETakesTheLatestSnapshot(t *testing.T) {
	sample, z, _, _ := clocked(t)
	backend := xlatest.Go(t)
	sample.Clock = nil
	f := field.GNODE{Hidden: 3, Layers: 2}
	lagged := f
	lagged.Lag = true
	adjacency := field.Adjacency{Hidden: 3, Layers: 2}
	params := waves(f)
	for _, c := range []struct {
		t            float64
		now, delayed int
	}{{-1, 0, 0}, {0, 0, 0}, {0.99, 0, 0}, {1, 1, 0}, {1.5, 1, 0}, {2, 2, 1}, {3, 3, 2}, {7, 3, 2}} {
		for _, lag := range []bool{false, true} {
			g, j := f, c.now
			if lag {
				g, j = lagged, c.delayed
			}
			frozen := sample
			frozen.Index = slices.Repeat([]int{j}, len(sample.Knots))
			for _, product := range bothProducts {
				got := evaluate(t, backend, g, params, sample, product, []float64{c.t}, z, false)
				want := evaluate(t, backend, adjacency, params, frozen, product, []float64{0.5}, z, false)
				fixture.Close(t, "dz/dt", got[0], want[0], 1e-14)
			}
		}
	}
}

// The two initialisations of Pre-Mult.
func TestPreMultInitialisation(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		parity   bool
		low, top float64
	}{{true, 0, 1}, {false, -1.0 / n, 1.0 / n}} {
		f := field.PreMult{Hidden: 2, Layers: 1, Nodes: n, Parity: c.parity}
		w := host.Floats(nn.Draw(f.Params(), dtypes.Float64, 3)[0])
		low, top := slices.Min(w), slices.Max(w)
		width := c.top - c.low
		if low < c.low || top > c.top || low > c.low+0.02*width || top < c.top-0.02*width {
			t.Errorf("parity %t: entries from %g to %g, want all of %g to %g", c.parity, low, top, c.low, c.top)
		}
	}
}
