package equivariant

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// modulatedProblem is a fusion of all maps of modulated matrices.
type modulatedProblem struct {
	problem
	identities Identities
	params     map[string][]float64
}

const ofA, ofDerivative = "a", "da"

func (p modulatedProblem) declared() []nn.Param {
	params := p.identities.Params()
	for _, name := range []string{ofA, ofDerivative} {
		params = append(params, Modulation{Name: name, Size: p.identities.Size}.Params()...)
	}
	return params
}

// modulate draws identities for a problem, and lets some of its edges have weight 0 in A.
func modulate(rng *rand.Rand, p problem, kind IdentityKind) modulatedProblem {
	m := modulatedProblem{p, Identities{Name: "id", Kind: kind, Size: 3, Nodes: p.n}, make(map[string][]float64)}
	m.a = slices.Clone(p.a)
	for b := range m.a {
		m.a[b] = slices.Clone(p.a[b])
		for i := range m.a[b] {
			if p.da[b][i] != 0 && rng.Float64() < 0.3 { // still an edge
				m.a[b][i] = 0
			}
		}
	}
	for _, d := range m.declared() {
		for range d.Size() {
			m.params[d.Name] = append(m.params[d.Name], 0.6*rng.NormFloat64())
		}
	}
	return m
}

// linear is W x + b.
func (p modulatedProblem) linear(name string, x []float64) []float64 {
	y := slices.Clone(p.params[name+".bias"])
	for i := range y {
		for j, v := range x {
			y[i] += p.params[name+".weight"][i*len(x)+j] * v
		}
	}
	return y
}

func (p modulatedProblem) mlp(name string, x []float64) []float64 {
	for layer := range 3 {
		x = p.linear(fmt.Sprintf("%s.layers.%d", name, layer), x)
		for i := range x {
			if layer < 2 {
				x[i] = max(x[i], 0)
			}
		}
	}
	return x
}

func (p modulatedProblem) identity(u int) []float64 {
	switch p.identities.Kind {
	case IdentityTable:
		return p.params["id.table"][3*u : 3*u+3]
	case IdentityLinear:
		return p.linear("id", []float64{float64(u)})
	}
	return p.mlp("id", []float64{float64(u)})
}

// definition is M Z of the modulated matrices, dense, on the pattern of the problem edges.
func (p modulatedProblem) definition(edges modulatedProblem) []float64 {
	q := p.problem
	q.a, q.da = nil, nil
	for b := range p.a {
		a, da := make([]float64, p.n*p.n), make([]float64, p.n*p.n)
		for i := range a {
			if edges.a[b][i] == 0 && edges.da[b][i] == 0 {
				continue
			}
			both := append(slices.Clone(p.identity(i/p.n)), p.identity(i%p.n)...)
			a[i] = p.mlp(ofA, append([]float64{p.a[b][i]}, both...))[0]
			da[i] = p.mlp(ofDerivative, append([]float64{p.da[b][i]}, both...))[0]
		}
		q.a, q.da = append(q.a, a), append(q.da, da)
	}
	return q.definition()
}

// manyNodes is large enough that n² exceeds 8 numbers for each of a few edges.
const manyNodes = 100

// evaluate returns M Z, then the gradients of a fixed combination of its entries with respect to the declared
// parameters, Z, the map weights, and the entries of A and of A' on edges, sample after sample.
func (p modulatedProblem) evaluate(t *testing.T, backend *xla.Backend, product Product) [][]float64 {
	t.Helper()
	layout, rows := p.lay(t, product)
	tables, declared, batch, width := layout.tables(), p.declared(), len(p.a), layout.width()
	var inputs []any
	for _, row := range rows {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(row, batch, width))
	}
	for _, input := range p.inputs() {
		inputs = append(inputs, input)
	}
	for _, d := range declared {
		inputs = append(inputs, host.Tensor(dtypes.Float64, p.params[d.Name], d.Dims...))
	}
	for _, table := range tables {
		inputs = append(inputs, table)
	}
	out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
		v := nn.Bind(declared, in[4:4+len(declared)])
		phi := p.identities.Apply(v, p.n)
		modulated := func(name string, row *Node) *Matrix {
			return Modulation{Name: name, Size: p.identities.Size}.Apply(v, layout.Matrix(row, in[4+len(declared):]), phi)
		}
		pair := NewPair(modulated(ofA, in[0]), modulated(ofDerivative, in[1]))
		y := Fusion{Maps: All15()}.Apply(pair, 0, in[3], in[2])
		probe := Sin(ConvertDType(IotaFull(y.Graph(), y.Shape()), y.DType()))
		wanted := slices.Concat(in[4:4+len(declared)], in[2:4], in[:2])
		out := append([]*Node{y}, Gradient(ReduceAllSum(Mul(probe, y)), wanted...)...)
		for _, node := range y.Graph().Nodes() {
			if node.Type() == NodeTypeScatterSum {
				t.Errorf("the gradient scatters: %s", node)
			}
			if product == Sparse && p.n >= manyNodes && node.Shape().Size() >= p.n*p.n {
				t.Errorf("as large as the matrix: %s", node)
			}
		}
		return out
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = tensors.MustCopyFlatData[float64](x)
	}
	for side := range 2 { // a row is linear in the weights
		row := &values[len(values)-2+side]
		var onEdges []float64
		for b, pattern := range layout.patterns {
			for e := range pattern.Edges() {
				weights := make([]float64, pattern.Edges())
				weights[e] = 1
				slope := 0.0
				for i, v := range rowOf(layout, b, weights) {
					slope += v * (*row)[b*width+i]
				}
				onEdges = append(onEdges, slope)
			}
		}
		*row = onEdges
	}
	return values
}

// hub is a problem in which node 0 has an edge to or from all others, half of them both.
func hub(rng *rand.Rand, batch, n, d int) problem {
	p := draw(rng, batch, n, d, 0.1)
	for b := range p.a {
		for u := range n {
			p.a[b][u*n] = rng.NormFloat64()
			if u%2 == 0 {
				p.a[b][u] = rng.NormFloat64()
			}
		}
	}
	return p
}

func TestModulationIsTheDefinition(t *testing.T) {
	rng, plain := rand.New(rand.NewPCG(6, 1)), xlatest.Go(t)
	for name, c := range map[string]problem{
		"one node":       draw(rng, 1, 1, 1, 1),
		"no edges":       draw(rng, 2, 4, 3, 0),
		"few edges":      draw(rng, 3, 9, 2, 0.2),
		"hub":            hub(rng, 2, 25, 2),
		"complete graph": draw(rng, 1, 5, 2, 1),
		"many nodes":     draw(rng, 1, manyNodes, 2, 0.01),
	} {
		for i, kind := range identityKinds {
			backend := plain
			if name == "few edges" && kind == IdentityMLP {
				backend = xlatest.Backend(t)
			}
			p := modulate(rand.New(rand.NewPCG(6, uint64(10+i))), c, kind)
			want := p.definition(p)
			dense, sparse := p.evaluate(t, backend, Dense), p.evaluate(t, backend, Sparse)
			fixture.Close(t, name+", dense", dense[0], want, 1e-12)
			for i := range dense {
				fixture.Close(t, fmt.Sprintf("%s, %v, output %d: sparse against dense", name, kind, i), sparse[i], dense[i], 1e-12)
			}
		}
	}
}

// The gradient with respect to every parameter, state and edge weight agrees with central differences of the
// definition.
func TestModulationGradientAgainstDifferences(t *testing.T) {
	backend := xlatest.Go(t)
	for _, kind := range identityKinds {
		rng := rand.New(rand.NewPCG(6, 2))
		p := modulate(rng, draw(rng, 2, 6, 2, 0.4), kind)
		got := p.evaluate(t, backend, Sparse)
		moved := p
		moved.params = maps.Clone(p.params)
		// slopes returns the slopes of the value in each entry of x, which is part of moved. The value is piecewise
		// linear in each entry, so differences are exact unless a step crosses a kink.
		slopes := func(x []float64) []float64 {
			const h = 1e-6
			out := make([]float64, len(x))
			for i, was := range x {
				for _, side := range []float64{-1, 1} {
					x[i] = was + side*h
					for j, y := range moved.definition(p) {
						out[i] += side / (2 * h) * math.Sin(float64(j)) * y
					}
				}
				x[i] = was
			}
			return out
		}
		for k, d := range p.declared() {
			x := slices.Clone(p.params[d.Name])
			moved.params[d.Name] = x
			fixture.Close(t, fmt.Sprintf("%v, gradient of %s", kind, d.Name), got[1+k], slopes(x), 1e-6)
		}
		after := got[1+len(p.declared()):]
		moved.z, moved.w = slices.Clone(p.z), slices.Clone(p.w)
		fixture.Close(t, "gradient of Z", after[0], slopes(moved.z), 1e-6)
		fixture.Close(t, "gradient of the map weights", after[1], slopes(moved.w), 1e-6)
		moved.a, moved.da = slices.Clone(p.a), slices.Clone(p.da)
		for side, matrices := range [][][]float64{moved.a, moved.da} {
			var want []float64
			for b := range matrices {
				matrices[b] = slices.Clone(matrices[b])
				for i, slope := range slopes(matrices[b]) {
					if p.a[b][i] != 0 || p.da[b][i] != 0 {
						want = append(want, slope)
					} else if !(math.Abs(slope) <= 1e-6) {
						t.Errorf("entry %d without an edge has slope %g", i, slope)
					}
				}
			}
			fixture.Close(t, fmt.Sprintf("%v, gradient of edge weights, side %d", kind, side), after[2+side], want, 1e-6)
		}
	}
}

// Each slot leads to a slot that leads back, and only edges are marked.
func TestReverseEdges(t *testing.T) {
	p := hub(rand.New(rand.NewPCG(6, 3)), 2, 20, 1)
	layout, _ := p.lay(t, Sparse)
	b := layout.buckets
	size := b.entries / 2
	for s := range b.reverse {
		marked := 0
		for i, reverse := range b.reverse[s] {
			if back := b.reverse[s][int(reverse)-s*size]; int(back) != s*size+i {
				t.Fatalf("sample %d: slot %d leads to %d, which leads to %d", s, i, reverse, back)
			}
			if b.isEdge[s][i] {
				marked++
			}
		}
		if edges := layout.patterns[s].Edges(); marked != edges {
			t.Errorf("sample %d: %d edges marked, of %d", s, marked, edges)
		}
	}
}

func TestIdentitiesErrors(t *testing.T) {
	for name, i := range map[string]Identities{
		"unknown kind":         {Kind: "hash", Size: 1},
		"negative size":        {Size: -1},
		"huge size":            {Size: 1 << 40},
		"table without number": {Kind: IdentityTable, Size: 2},
	} {
		if err := i.Check(); !errors.Is(err, ErrIdentities) {
			t.Errorf("%s: %v, want ErrIdentities", name, err)
		}
	}
	if err := (Identities{}).Check(); err != nil {
		t.Errorf("no identities: %v", err)
	}
}
