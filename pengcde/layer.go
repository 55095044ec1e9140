package pengcde

import (
	"hash/fnv"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

const (
	// ParamLayerSteps is the hyperparameter of a GoMLX scope for the number of solver steps of [Layer]; the default is
	// 10 (int).
	ParamLayerSteps = "pengcde_steps"
	// ParamLayerDepth is the hyperparameter for the number of layers in the vector field; the default is 2 (int).
	ParamLayerDepth = "pengcde_layers"
)

// LayerBuilder configures a [Layer]; its methods return it again, and Done builds it.
type LayerBuilder struct {
	scope   *model.Scope
	z0      *Node
	form    field.Form
	control []*Node
	times   []float64
	field   field.Field
	solve   ode.InGraph
	depth   int
	seed    uint64
}

// Layer makes a graph controlled differential equation a layer of a GoMLX model,
//
//	dZ/dt = f(Z, A(t), A'(t)) dX/dt,  Z(t0) = z0
//
// from node states z0 [batch, n, hidden] at t0 to those at t1. The parameters of f are variables of the scope, so
// GoMLX's trainers, optimisers and checkpoints treat them as any others, and [graph.Gradient] passes through to z0. The
// control are the tensors of [field.NewControl] as nodes, in their order and in the float type of z0: inputs of the
// model. The form is what NewControl says they are. t0 and t1 are on its knots' axis.
//
//	z := pengcde.Layer(scope, z0, form, control, 0, 5).Steps(40).Done() // [batch, n, hidden]
//
// The solver takes a fixed number of constant steps, unrolled in the graph, for GoMLX 0.28 has no gradient of a loop
// (While) inside a graph: the time to compile grows with the number of steps. [Model] compiles one step alone, and has
// steps whose size adapts.
//
// The backward pass computes each step again from the state at its start, so memory grows with the number of steps by
// one state a step, not by all that a step computes; see [LayerBuilder.Recompute]. The sparse product (see package
// equivariant) holds on to the entries of A(t) in addition.
//
// Like all functions that build graphs, Done panics on bad input, with an error that wraps [ErrInput], [nn.ErrInput],
// [ode.ErrInput] or [field.ErrInput].
//
// [graph.Gradient]: https://pkg.go.dev/github.com/gomlx/gomlx/core/graph#Gradient
func Layer(scope *model.Scope, z0 *Node, form field.Form, control []*Node, t0, t1 float64) *LayerBuilder {
	return &LayerBuilder{scope: scope, z0: z0, form: form, control: control, times: []float64{t0, t1},
		depth: model.GetParamOr(scope, ParamLayerDepth, 2),
		solve: ode.InGraph{Method: ode.Tsit5, Steps: model.GetParamOr(scope, ParamLayerSteps, 10), Recompute: 1}}
}

// Steps sets the number of constant steps from t0 to t1; the default is the hyperparameter [ParamLayerSteps].
func (l *LayerBuilder) Steps(n int) *LayerBuilder {
	l.solve.Steps = n
	return l
}

// Method sets the Runge-Kutta method; the default is [ode.Tsit5], with 6 evaluations of the field a step.
func (l *LayerBuilder) Method(m *ode.Method) *LayerBuilder {
	l.solve.Method = m
	return l
}

// Recompute sets after how many steps the forward pass keeps a state, from which the backward pass computes those steps
// again; the default is 1. With 0 nothing is computed again, and all is kept. See [ode.InGraph].
func (l *LayerBuilder) Recompute(steps int) *LayerBuilder {
	l.solve.Recompute = steps
	return l
}

// Field sets the vector field; the default is [field.PENG] with as many layers as the hyperparameter [ParamLayerDepth]
// says, driven by all the node features that the control has. Hidden, Layers and Nodes of f that are 0 are taken from
// the state and that hyperparameter; Features that are 0 mean none.
func (l *LayerBuilder) Field(f field.Field) *LayerBuilder {
	l.field = f
	return l
}

// Seed changes the initial parameters. They are drawn from it and the path of the scope, so that layers in different
// scopes differ, by the published initialisation and not by the initialiser of the scope.
func (l *LayerBuilder) Seed(seed uint64) *LayerBuilder {
	l.seed = seed
	return l
}

// Done makes the variables, in sub-scope "pengcde", and returns the state at t1, [batch, n, hidden].
func (l *LayerBuilder) Done() *Node {
	derivative, params := l.prepare()
	return l.solve.End(derivative, l.z0, l.times[0], l.times[1], append(params, l.control...)...)
}

// DoneAt is Done with the states at given times from t0 to t1, in order: [batch, times, n, hidden].
func (l *LayerBuilder) DoneAt(times ...float64) *Node {
	if len(times) == 0 {
		panic(errs.New(ErrInput, "pengcde: Layer got no times for its states, want at least one"))
	}
	all := append(append([]float64{l.times[0]}, times...), l.times[1])
	derivative, params := l.prepare()
	states := l.solve.Solve(derivative, l.z0, all, append(params, l.control...)...)
	return Slice(states, AxisRange(), AxisRange(1, len(all)-1))
}

// prepare checks the input and makes the field and the nodes of its parameters.
func (l *LayerBuilder) prepare() (ode.Field, []*Node) {
	if l.z0.Rank() != 3 || !l.z0.DType().IsFloat() {
		panic(errs.New(ErrInput, "pengcde: Layer got the state %s, want floats [batch, n, hidden]", l.z0.Shape()))
	}
	f := l.field
	if f == nil {
		f = field.PENG{Features: l.form.Features}
	}
	if own, ok := f.(field.Sizer); ok {
		f, _ = own.Sized(field.Sizes{Nodes: l.z0.Shape().Dim(1), Hidden: l.z0.Shape().Dim(-1) / states(f),
			Layers: l.depth})
	}
	derivative, declared := field.Equation(f, l.form)
	return derivative, l.variables(declared)
}

// variables makes the variables of the declared parameters and returns their nodes.
func (l *LayerBuilder) variables(declared []nn.Param) []*Node {
	scope := l.scope.In("pengcde")
	hash := fnv.New64a()
	hash.Write([]byte(scope.Scope()))
	dtype := l.z0.DType()
	drawn := nn.Draw(declared, dtype, l.seed^hash.Sum64())
	nodes := make([]*Node, len(declared))
	for i, p := range declared {
		initial := func(g *Graph, _ shapes.Shape) *Node { return ConstTensor(g, drawn[i]) }
		variable := scope.WithInitializer(initial).VariableWithShape(p.Name, shapes.Make(dtype, p.Dims...))
		nodes[i] = variable.NodeValue(l.z0.Graph())
	}
	return nodes
}
