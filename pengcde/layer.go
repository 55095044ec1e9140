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

// LayerBuilder configures a [Layer]. Its methods return the builder, and Done builds the layer.
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

// Layer adds a graph controlled differential equation as a layer of a GoMLX model,
//
//	dZ/dt = f(Z, A(t), A'(t)) dX/dt,  Z(t0) = z0
//
// which maps node states z0 [batch, n, hidden] at t0 to the states at t1. The parameters of f are variables of the
// scope, so GoMLX's trainers, optimisers and checkpoints treat them like any others. [graph.Gradient] passes through
// the layer to z0. The control holds the tensors of [field.NewControl] as nodes, in the same order and in the float
// type of z0; they are inputs of the model. The form is the one that NewControl returns. t0 and t1 are on the axis of
// its knots.
//
//	z := pengcde.Layer(scope, z0, form, control, 0, 5).Steps(40).Done() // [batch, n, hidden]
//
// The solver takes a fixed number of constant steps, unrolled in the graph, because GoMLX 0.28 has no gradient of a
// loop (While) inside a graph. The compile time grows with the number of steps. [Model] compiles only one step, and has
// adaptive steps.
//
// The backward pass recomputes each step from the state at its start. Memory grows with the number of steps by one
// state a step, not by all intermediate results of a step; see [LayerBuilder.Recompute]. The sparse product (see
// package equivariant) also keeps the entries of A(t).
//
// Like all functions that build graphs, Done panics on bad input. The error wraps [ErrInput], [nn.ErrInput],
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

// Method sets the Runge-Kutta method; the default is [ode.Tsit5], with 6 evaluations of the field for each step.
func (l *LayerBuilder) Method(m *ode.Method) *LayerBuilder {
	l.solve.Method = m
	return l
}

// Recompute sets the number of steps between the states that the forward pass keeps. The backward pass recomputes the
// steps in between. The default is 1. With 0 everything is kept and nothing is recomputed. See [ode.InGraph].
func (l *LayerBuilder) Recompute(steps int) *LayerBuilder {
	l.solve.Recompute = steps
	return l
}

// Field sets the vector field. The default is [field.PENG], driven by all node features of the control, with the number
// of layers given by the hyperparameter [ParamLayerDepth]. Hidden, Layers and Nodes of f that are 0 are taken from the
// state and that hyperparameter; Features 0 means none.
func (l *LayerBuilder) Field(f field.Field) *LayerBuilder {
	l.field = f
	return l
}

// Seed sets the seed of the initial parameters. They are drawn from the seed and the path of the scope, so layers in
// different scopes differ. They follow the published initialisation, not the initialiser of the scope.
func (l *LayerBuilder) Seed(seed uint64) *LayerBuilder {
	l.seed = seed
	return l
}

// Done creates the variables, in sub-scope "pengcde", and returns the state at t1, [batch, n, hidden].
func (l *LayerBuilder) Done() *Node {
	derivative, params := l.prepare()
	return l.solve.End(derivative, l.z0, l.times[0], l.times[1], append(params, l.control...)...)
}

// DoneAt is like Done, but returns the states at the given times from t0 to t1, in order: [batch, times, n, hidden].
func (l *LayerBuilder) DoneAt(times ...float64) *Node {
	if len(times) == 0 {
		panic(errs.New(ErrInput, "pengcde: Layer got no times for its states, want at least one"))
	}
	all := append(append([]float64{l.times[0]}, times...), l.times[1])
	derivative, params := l.prepare()
	states := l.solve.Solve(derivative, l.z0, all, append(params, l.control...)...)
	return Slice(states, AxisRange(), AxisRange(1, len(all)-1))
}

// prepare checks the input and returns the field and the nodes of its parameters.
func (l *LayerBuilder) prepare() (ode.Field, []*Node) {
	if l.z0.Rank() != 3 || !l.z0.DType().IsFloat() {
		panic(errs.New(ErrInput, "pengcde: Layer got the state %s, want floats [batch, n, hidden]", l.z0.Shape()))
	}
	if l.form.Present {
		panic(errs.New(ErrInput, "pengcde: Layer got a control with nodes that appear or leave, and its constant steps do "+
			"not end there: train a Model, or leave Sample.Present nil"))
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

// variables creates the variables of the declared parameters and returns their nodes.
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
