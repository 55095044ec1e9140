package rivals

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/xla"
)

// windows is a batch of windows for networks: matrices [B][T][n*n], features [B*T*n*p].
type windows struct {
	sizes    sequence.Sizes
	graphs   [][][]float64
	features []float64
	// seeds, each with the parameters of its part of the batch, instead of one for all.
	seeds nn.Seeds
}

// drawWindows draws sparse weights and features of one or two windows; the last node has no edges, and neither has any
// at the second observation of the first window.
func drawWindows(s sequence.Sizes, batch int) windows {
	rng := rand.New(rand.NewPCG(3, 4))
	w := windows{sizes: s, graphs: make([][][]float64, batch)}
	for b := range batch {
		for t := range s.Inputs {
			a := make([]float64, s.Nodes*s.Nodes)
			for i := range a {
				if rng.Float64() < 0.5 && i%s.Nodes < s.Nodes-1 && i/s.Nodes < s.Nodes-1 && (b > 0 || t != 1) {
					a[i] = rng.Float64()
				}
			}
			w.graphs[b] = append(w.graphs[b], a)
		}
	}
	w.features = make([]float64, batch*s.Inputs*s.Nodes*s.Features)
	for i := range w.features {
		w.features[i] = rng.NormFloat64()
	}
	return w
}

// lay stores the matrices on the union of their nonzero entries.
func (w windows) lay(t testing.TB, product equivariant.Product) (equivariant.Form, []*tensors.Tensor) {
	t.Helper()
	n := w.sizes.Nodes
	var patterns []*dyngraph.Pattern
	var snapshots [][][]float64
	for _, graphs := range w.graphs {
		var from, to []int
		for i := range n * n {
			for _, a := range graphs {
				if a[i] != 0 {
					from, to = append(from, i/n), append(to, i%n)
					break
				}
			}
		}
		p, _, err := dyngraph.NewPattern(n, from, to)
		if err != nil {
			t.Fatal(err)
		}
		weights := make([][]float64, len(graphs))
		for k, a := range graphs {
			for e := range p.From {
				weights[k] = append(weights[k], a[int(p.From[e])*n+int(p.To[e])])
			}
		}
		patterns, snapshots = append(patterns, p), append(snapshots, weights)
	}
	form, rows, tables, err := product.Snapshots(dtypes.Float64, equivariant.NeighbourCapacity{}, patterns, snapshots)
	if err != nil {
		t.Fatal(err)
	}
	return form, append([]*tensors.Tensor{rows}, tables...)
}

// built is a network for windows with the same memory layout.
type built struct {
	t        testing.TB
	declared []nn.Param
	seeds    nn.Seeds
	program  *xla.Program
	given    []any
}

// build returns a program that computes forecasts [B, S, n, q] and the gradients of a fixed combination of them with
// respect to all parameters.
func (w windows) build(t testing.TB, backend *xla.Backend, m sequence.Network, product equivariant.Product) *built {
	t.Helper()
	form, laid := w.lay(t, product)
	b := &built{t: t, declared: m.Params(w.sizes), seeds: w.seeds}
	s := w.sizes
	for _, x := range append([]*tensors.Tensor{
		host.Tensor(dtypes.Float64, w.features, len(w.graphs), s.Inputs, s.Nodes, s.Features)}, laid...) {
		b.given = append(b.given, x)
	}
	var err error
	b.program, err = xla.NewProgram(backend, "network", func(in []*Node) []*Node {
		params, rest := in[:len(b.declared)], in[len(b.declared):]
		graph := func(k int) *equivariant.Matrix {
			return form.Matrix(Squeeze(SliceAxis(rest[1], 1, AxisElem(k)), 1), rest[2:])
		}
		y := m.Forecast(w.seeds.Bind(b.declared, params), s, sequence.Inputs{Features: rest[0], Graph: graph})
		probe := Sin(ConvertDType(IotaFull(y.Graph(), y.Shape()), y.DType()))
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(probe, y)), params...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.program.Close)
	return b
}

// draw returns parameters, each moved a little so that none is zero.
func (b *built) draw(seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 9))
	params := make([][]float64, len(b.declared))
	for i, p := range nn.Draw(b.declared, dtypes.Float64, seed) {
		params[i] = host.Floats(p)
		for j := range params[i] {
			params[i][j] += 0.1 * rng.NormFloat64()
		}
	}
	return params
}

// call returns the forecasts, then the gradients.
func (b *built) call(params [][]float64) [][]float64 {
	b.t.Helper()
	var owned xla.Buffers
	defer owned.Free()
	var args []any
	for i, p := range params {
		args = append(args, owned.Own(host.Tensor(dtypes.Float64, p, b.seeds.Dims(b.declared[i].Dims...)...))[0])
	}
	out, err := b.program.Call(append(args, b.given...)...)
	if err != nil {
		b.t.Fatal(err)
	}
	owned.Own(out...)
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = host.Floats(x)
	}
	return values
}

// checkGradient compares gradients with central differences of the fixed combination; every parameter must have a
// nonzero gradient.
func (b *built) checkGradient(params [][]float64) {
	b.t.Helper()
	const step = 1e-5
	combined := func() (sum float64) {
		y := b.call(params)[0]
		for i, v := range y {
			sum += probe(i) * v
		}
		return sum
	}
	gradients := b.call(params)[1:]
	for i, g := range gradients {
		name, scale := b.declared[i].Name, floats.Norm(g, math.Inf(1))
		if scale == 0 {
			b.t.Errorf("%s has no gradient", name)
		}
		for j := range g {
			x := params[i][j]
			params[i][j] = x + step
			above := combined()
			params[i][j] = x - step
			slope := (above - combined()) / (2 * step)
			params[i][j] = x
			if d := slope - g[j]; !(max(d, -d) <= 1e-6*scale+1e-9) {
				b.t.Errorf("%s, entry %d: gradient %.10g, difference quotient %.10g", name, j, g[j], slope)
			}
		}
	}
}

func probe(i int) float64 { return math.Sin(float64(i)) }
