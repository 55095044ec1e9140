package pengcde_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// layered is a layer on a batch of two samples that differ only in their knots and snapshots.
type layered struct {
	backend *xla.Backend
	field   field.Field // nil for the default
	form    field.Form
	control []*tensors.Tensor
	z0      *tensors.Tensor // [2, n, 3]
	times   []float64
	steps   int
}

func newLayered(t *testing.T, backend *xla.Backend, product equivariant.Product, f field.Field) layered {
	t.Helper()
	first := observed.Windowed(t, fixture.Load(t, "pgt_peng"))
	second := first
	second.Knots = slices.Clone(first.Knots)
	second.Knots[1] += 0.25
	second.Snapshots = slices.Clone(first.Snapshots)
	for k, row := range second.Snapshots {
		second.Snapshots[k] = slices.Clone(row)
		for e := range row {
			second.Snapshots[k][e] = 0.3 * math.Sin(float64(2*e+5*k+1))
		}
	}
	control, form, err := field.NewControl(dtypes.Float64, product, []field.Sample{first, second})
	if err != nil {
		t.Fatal(err)
	}
	n := first.Pattern.Nodes
	z0 := make([]float64, 2*n*3)
	for i := range z0 {
		z0[i] = 0.3 * math.Cos(1.7*float64(i))
	}
	t1 := first.Knots[len(first.Knots)-1]
	return layered{backend, f, form, control, host.Tensor(dtypes.Float64, z0, 2, n, 3), []float64{0, 0.3 * t1, t1}, 3}
}

// inputs are the state and the control, as a graph takes them.
func (l layered) inputs() []any {
	inputs := []any{l.z0}
	for _, c := range l.control {
		inputs = append(inputs, c)
	}
	return inputs
}

// inGraph returns the states at times, and the gradient of their probe by z0 and the parameters.
func (l layered) inGraph(t *testing.T, store *model.Store, recompute int) [][]float64 {
	t.Helper()
	last := len(l.times) - 1
	out, err := model.CallOnceN(l.backend.Compute, store, func(scope *model.Scope, in []*Node) []*Node {
		builder := pengcde.Layer(scope, in[0], l.form, in[1:], l.times[0],
			l.times[last]).Steps(l.steps).Method(ode.Bosh3).Recompute(recompute)
		if l.field != nil {
			builder.Field(l.field)
		}
		z := builder.DoneAt(l.times...)
		by := []*Node{in[0]}
		for v := range scope.Store().IterVariables() {
			by = append(by, v.NodeValue(z.Graph()))
		}
		probe := Sin(AddScalar(ConvertDType(IotaFull(z.Graph(), z.Shape()), z.DType()), 0.4))
		return append([]*Node{z}, Gradient(ReduceAllSum(Mul(probe, z)), by...)...)
	}, l.inputs()...)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = host.Floats(x)
	}
	return values
}

// bySolver computes the same with ode.Solver and the parameters of a store that a layer has filled.
func (l layered) bySolver(t *testing.T, store *model.Store) [][]float64 {
	t.Helper()
	f := l.field
	if f == nil {
		features := l.control[4].Shape().Dim(-1)
		f = field.PENG{Hidden: 3, Layers: 2, Features: features}
	}
	derivative, declared := field.Equation(f, l.form)
	last := len(l.times) - 1
	solver, err := ode.New(l.backend, derivative, ode.Config{Method: ode.Bosh3, Parameters: len(declared),
		StepSize: ode.Constant{Step: (l.times[last] - l.times[0]) / float64(l.steps)}})
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	var args []*tensors.Tensor
	for _, p := range declared {
		args = append(args, store.GetVariable("/pengcde/"+p.Name).MustValue())
	}
	ctx := context.Background()
	solution, err := solver.Solve(ctx, l.z0, [][]float64{l.times}, append(args, l.control...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer solution.Close()
	probe := make([]float64, solution.Z.Size())
	for i := range probe {
		probe[i] = math.Sin(float64(i) + 0.4)
	}
	pulled, err := solution.Pullback(ctx, host.Tensor(dtypes.Float64, probe, solution.Z.Shape().Dimensions...))
	if err != nil {
		t.Fatal(err)
	}
	defer pulled.Free()
	values := [][]float64{host.Floats(solution.Z), host.Floats(pulled.Z0)}
	for i := range declared {
		values = append(values, host.Floats(pulled.Args[i]))
	}
	return values
}

func (l layered) check(t *testing.T, recomputes ...int) {
	t.Helper()
	store := model.NewStore()
	defer store.Finalize()
	got := make([][][]float64, len(recomputes))
	for i, recompute := range recomputes {
		got[i] = l.inGraph(t, store, recompute)
	}
	want := l.bySolver(t, store)
	for i, recompute := range recomputes {
		name := fmt.Sprintf("recompute %d: ", recompute)
		fixture.Close(t, name+"states", got[i][0], want[0], 1e-12)
		for j := range want[1:] {
			fixture.Close(t, fmt.Sprintf("%sgradient %d", name, j), got[i][1+j], want[1+j], 1e-10)
		}
	}
}

func TestLayerIsSolverAndPullback(t *testing.T) {
	backend := xlatest.Go(t)
	sample := observed.Windowed(t, fixture.Load(t, "pgt_peng"))
	n := sample.Pattern.Nodes
	p := len(sample.Features[0]) / n
	for name, f := range map[string]field.Field{
		"default":  nil,
		"PENG15":   field.PENG{Hidden: 3, Layers: 1, Maps: equivariant.All15()},
		"Original": field.Original{Hidden: 3, Layers: 2, Features: p},
		"PreMult":  field.PreMult{Hidden: 3, Layers: 2, Nodes: n},
		"GNODE":    field.GNODE{Hidden: 3, Layers: 2},
		"Constant": field.Constant{Hidden: 3},
	} {
		for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
			t.Run(fmt.Sprint(name, "/", product), func(t *testing.T) {
				newLayered(t, backend, product, f).check(t, 0, 1, 2)
			})
		}
	}
}

// The same on the backend that users have.
func TestLayerOnBackend(t *testing.T) {
	l := newLayered(t, xlatest.Backend(t), equivariant.Sparse, field.Adjacency{Hidden: 3, Layers: 1})
	l.steps = 2
	l.check(t, 1)
}

// Layers in different scopes and with different seeds start differently, and the hyperparameters are read.
func TestLayerVariables(t *testing.T) {
	l := newLayered(t, xlatest.Go(t), equivariant.Dense, nil)
	store := model.NewStore()
	defer store.Finalize()
	store.RootScope().SetParams(map[string]any{pengcde.ParamLayerDepth: 1, pengcde.ParamLayerSteps: 2})
	out, err := model.CallOnceN(l.backend.Compute, store, func(scope *model.Scope, in []*Node) []*Node {
		layer := func(name string) *pengcde.LayerBuilder {
			return pengcde.Layer(scope.In("%s", name), in[0], l.form, in[1:], 0, 1)
		}
		return []*Node{layer("a").Done(), layer("b").Done(), layer("c").Seed(1).Done(),
			layer("d").Field(field.Constant{Hidden: 3}).Done()}
	}, l.inputs()...)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	for i := range out {
		if !out[i].Shape().Equal(l.z0.Shape()) {
			t.Errorf("layer %d gives %s, want the state's %s", i, out[i].Shape(), l.z0.Shape())
		}
		for j := range i {
			if slices.Equal(host.Floats(out[i]), host.Floats(out[j])) {
				t.Errorf("layers %d and %d give the same", i, j)
			}
		}
	}
	depth := 0
	for v := range store.IterVariables() {
		if v.Scope() == "/a/pengcde" {
			depth++
		}
	}
	features := l.control[4].Shape().Dim(-1)
	if want := len(field.PENG{Hidden: 3, Layers: 1, Features: features}.Params()); depth != want {
		t.Errorf("%d variables, want the %d of one layer", depth, want)
	}
}

func TestLayerBadInput(t *testing.T) {
	l := newLayered(t, xlatest.Go(t), equivariant.Dense, nil)
	for _, c := range []struct {
		name  string
		build func(scope *model.Scope, z0 *Node, control []*Node) *Node
		want  string
	}{
		{"rank", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, Squeeze(Slice(z0, AxisElem(0)), 0), l.form, control, 0, 1).Done()
		}, "pengcde: Layer got the state"},
		{"control cut", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, z0, l.form, control[:4], 0, 1).Done()
		}, "a control without all tensors"},
		{"float type", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, ConvertDType(z0, dtypes.Float32), l.form, control, 0, 1).Done()
		}, "float type of the states"},
		{"batch", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, Slice(z0, AxisElem(0)), l.form, control, 0, 1).Done()
		}, "states of shape"},
		{"no times", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, z0, l.form, control, 0, 1).DoneAt()
		}, "got no times"},
		{"time outside", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, z0, l.form, control, 0, 1).DoneAt(2)
		}, "save time 2 of sample 0 is 1"},
		{"no steps", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, z0, l.form, control, 0, 1).Steps(0).Done()
		}, "has Steps 0"},
		{"width of the field", func(s *model.Scope, z0 *Node, control []*Node) *Node {
			return pengcde.Layer(s, z0, l.form, control, 0, 1).Field(field.Adjacency{Hidden: 4, Layers: 1}).Done()
		}, "states of width"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := model.NewStore()
			defer store.Finalize()
			_, err := model.CallOnceN(l.backend.Compute, store, func(scope *model.Scope, in []*Node) []*Node {
				return []*Node{c.build(scope, in[0], in[1:])}
			}, l.inputs()...)
			if !errors.Is(err, pengcde.ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an ErrInput that contains %q", err, c.want)
			}
		})
	}
}
