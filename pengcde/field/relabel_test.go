package field_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// relabelling evaluates a field on a random graph with states, and on the same graph with relabelled nodes. The two are
// the samples of one batch, which also tests tables of graphs with different edges. Shapes are fixed, a directed ring
// with chords and a hub, so that each product compiles once.
type relabelling struct {
	field    field.Field
	declared []nn.Param
	backend  *xla.Backend
	programs map[field.Form]*xla.Program
}

const ringNodes, ringFeatures, ringHidden, ringKnots = 7, 2, 3, 4

func newRelabelling(t *testing.T, backend *xla.Backend, f field.Field) *relabelling {
	t.Helper()
	c := &relabelling{field: f, declared: f.Params(), backend: backend, programs: make(map[field.Form]*xla.Program)}
	t.Cleanup(func() {
		for _, p := range c.programs {
			p.Close()
		}
	})
	return c
}

// program returns the program for controls of a form.
func (c *relabelling) program(r *rapid.T, form field.Form) *xla.Program {
	if c.programs[form] == nil {
		equation, _ := field.Equation(c.field, form)
		p, err := xla.NewProgram(c.backend, "field", func(in []*Node) []*Node {
			return []*Node{equation(in[0], in[1],
				in[2:])}
		})
		if err != nil {
			r.Fatal(err)
		}
		c.programs[form] = p
	}
	return c.programs[form]
}

// drawing is a graph and its relabelling by order, at one time.
type drawing struct {
	order   []int
	time    float64
	samples [2]field.Sample
	z       []float64
	params  map[string][]float64
}

func (c *relabelling) draw(r *rapid.T) drawing {
	const n = ringNodes
	entries := func(what string, count int) []float64 {
		return rapid.SliceOfN(rapid.Float64Range(-1, 1), count, count).Draw(r, what)
	}
	d := drawing{order: rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}).Draw(r, "order"), params: make(map[string][]float64)}
	var from, to []int
	for u := range n {
		from, to = append(from, u, u, u), append(to, (u+1)%n, (u+3)%n, 0)
	}
	original, index := pattern(r, n, from, to)
	renamedPattern, newIndex := pattern(r, n, renamed(d.order, from), renamed(d.order, to))
	d.samples = [2]field.Sample{{Pattern: original}, {Pattern: renamedPattern}}
	d.time = float64(ringKnots-1) * rapid.Float64Range(-0.2, 1.2).Draw(r, "t")
	for k := range ringKnots {
		weights, features := entries("weights", len(from)), entries("features", n*ringFeatures)
		for i, of := range [][]int{index, newIndex} {
			row := make([]float64, d.samples[i].Pattern.Edges())
			for e, w := range weights {
				row[of[e]] = w
			}
			d.samples[i].Snapshots = append(d.samples[i].Snapshots, row)
			d.samples[i].Knots = append(d.samples[i].Knots, float64(k))
		}
		d.samples[0].Features = append(d.samples[0].Features, features)
		d.samples[1].Features = append(d.samples[1].Features, moved(d.order, features))
	}
	d.z = entries("z", n*ringHidden)
	for _, p := range c.declared {
		d.params[p.Name] = entries(p.Name, p.Size())
	}
	return d
}

// derivatives are dz/dt of the graph and of its relabelling.
func (c *relabelling) derivatives(r *rapid.T, d drawing, product equivariant.Product) (original, relabelled []float64) {
	var owned xla.Buffers
	defer owned.Free()
	control, form, err := field.NewControl(dtypes.Float64, product, d.samples[:])
	if err != nil {
		r.Fatal(err)
	}
	inputs := owned.Own(tensors.FromValue([]float64{d.time, d.time}),
		host.Tensor(dtypes.Float64, append(append([]float64{}, d.z...), moved(d.order, d.z)...), 2, ringNodes, ringHidden))
	for _, p := range c.declared {
		inputs = append(inputs, owned.Own(host.Tensor(dtypes.Float64, d.params[p.Name], p.Dims...))...)
	}
	inputs = append(inputs, owned.Own(control...)...)
	args := make([]any, len(inputs))
	for i, input := range inputs {
		args[i] = input
	}
	out, err := c.program(r, form).Call(args...)
	if err != nil {
		r.Fatal(err)
	}
	dz := host.Floats(owned.Own(out...)[0])
	return dz[:len(d.z)], dz[len(d.z):]
}

// Relabelling the nodes of a graph relabels dz/dt: f(P Z, P A P^T) = P f(Z, A).
func TestFieldCommutesWithRelabelling(t *testing.T) {
	plain := xlatest.Go(t)
	for name, f := range every(ringNodes, ringFeatures) {
		if _, tied := f.(field.PreMult); tied || strings.Contains(name, "identities") || strings.Contains(name, "rows") {
			continue
		}
		for _, product := range bothProducts {
			t.Run(fmt.Sprintf("%s/%v", name, product), func(t *testing.T) {
				backend := plain
				if name == "PENG, features" {
					backend = xlatest.Backend(t)
				}
				c := newRelabelling(t, backend, f)
				rapid.Check(t, func(r *rapid.T) {
					d := c.draw(r)
					original, relabelled := c.derivatives(r, d, product)
					fixture.Close(t, "dz/dt of the relabelled graph", relabelled, moved(d.order, original), 1e-11)
				})
			})
		}
	}
}

// Sparse and dense products give the same dz/dt for any graph and any values.
func TestSparseIsDenseForAnyGraph(t *testing.T) {
	backend := xlatest.Go(t)
	for name, f := range every(ringNodes, ringFeatures) {
		t.Run(name, func(t *testing.T) {
			c := newRelabelling(t, backend, f)
			rapid.Check(t, func(r *rapid.T) {
				d := c.draw(r)
				var dz [2][2][]float64
				for i, product := range bothProducts {
					dz[i][0], dz[i][1] = c.derivatives(r, d, product)
				}
				for side := range dz[0] {
					fixture.Close(t, "sparse against dense", dz[1][side], dz[0][side], 1e-12)
				}
			})
		})
	}
}

// Pre-Mult is tied to its nodes: relabelling them relabels dz/dt only if W_1 and W_2 are relabelled too.
func TestPreMultCommutesOnlyWithItsMatrices(t *testing.T) {
	for _, product := range bothProducts {
		c := newRelabelling(t, xlatest.Go(t), field.PreMult{Hidden: ringHidden, Layers: 2, Nodes: ringNodes,
			Features: ringFeatures})
		differ := false
		rapid.Check(t, func(r *rapid.T) {
			d := c.draw(r)
			original, withSameW := c.derivatives(r, d, product)
			for _, p := range c.declared {
				if strings.Contains(p.Name, ".fusion_") {
					rows := moved(d.order, d.params[p.Name])
					w := make([]float64, len(rows))
					for i := range ringNodes {
						copy(w[i*ringNodes:], moved(d.order, rows[i*ringNodes:(i+1)*ringNodes]))
					}
					d.params[p.Name] = w
				}
			}
			_, relabelled := c.derivatives(r, d, product)
			want := moved(d.order, original)
			fixture.Close(t, "dz/dt with relabelled matrices", relabelled, want, 1e-11)
			differ = differ || floats.Distance(withSameW, want, math.Inf(1)) > 0.1*floats.Norm(want, math.Inf(1))
		})
		if !differ {
			t.Error("dz/dt commutes with relabelling although the matrices stay")
		}
	}
}

// pattern makes the pattern of edges that may repeat; it also returns where each went.
func pattern(r *rapid.T, n int, from, to []int) (*dyngraph.Pattern, []int) {
	p, index, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		r.Fatal(err)
	}
	return p, index
}

func renamed(order, nodes []int) []int {
	out := make([]int, len(nodes))
	for i, u := range nodes {
		out[i] = order[u]
	}
	return out
}

// moved moves row u of x to row order[u].
func moved(order []int, x []float64) []float64 {
	width := len(x) / len(order)
	out := make([]float64, len(x))
	for u, to := range order {
		copy(out[to*width:(to+1)*width], x[u*width:])
	}
	return out
}
