package field

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Field is a vector field with parameters. Files name a custom field as described in [FileNamed].
type Field interface {
	// Params declares the learned parameters. Like Derivative it panics on impossible sizes of the field, such as
	// Hidden and Layers.
	Params() []nn.Param
	// Derivative builds dZ/dt [batch, n, hidden] at t [batch] float64 and z [batch, n, hidden], using [Control.At]. States
	// of absent nodes are 0 in z; their dZ/dt does not count. The fields of this package also accept the parameters of
	// several seeds at once (see [nn.Seeds]), except with identities.
	Derivative(v nn.Values, c *Control, t, z *Node) *Node
}

// Sizes are the sizes that a field is built for: the number of nodes, the number of node features that drive the state
// (0 for none), the width of the state and the number of layers.
type Sizes struct{ Nodes, Features, Hidden, Layers int }

// Sizer is a [Field] whose sizes a model fills in. Sized returns the field with its zero sizes replaced by the given
// sizes. It also returns the resulting sizes, so that a model detects contradictions. Sized must be a method of the
// value, not of a pointer:
//
//	var _ field.Sizer = MyField{}
type Sizer interface {
	Sized(Sizes) (Field, Sizes)
}

// Traiter is a [Field] that has [Traits].
type Traiter interface{ Traits() Traits }

// Traits describe properties of a field that a model must know besides its derivative, see [Traiter]. Fields without
// the method have the zero value.
type Traits struct {
	// NoFeatures reports that node features do not drive the state, even if the model has features.
	NoFeatures bool
	// Pairwise reports that the published code compares every node's forecast with every node's target. A model with
	// Parity then does the same.
	Pairwise bool
	// States is the number of states of width Hidden that Z [batch, n, States·Hidden] holds side by side; 0 means 1. A
	// model encodes each with a separate encoder, and reads out the last.
	States int
	// Stops returns the knots of a sample that adaptive steps end on; nil means [Sample.Changes].
	Stops func(Sample) []float64
	// Jumps reports that the field jumps at Stops, so that constant steps end there too.
	Jumps bool
	// EveryEdge reports that entries of 0 on edges of the pattern matter, as for an [equivariant.Modulation]. For other
	// fields the pattern of a window may contain only the edges that have a weight in one of its snapshots.
	EveryEdge bool
	// PerChannel reports that A' is divided by the rate of the time channel, so that a path on which time stands still,
	// see [Axis], gives no finite derivative.
	PerChannel bool
	// OneWay reports that the message matrix has A without its transpose, so that a node hears only from the nodes that
	// its edges lead to.
	OneWay bool
	// NoGraph reports that Derivative reads no graph.
	NoGraph bool
	// Seeds reports that Derivative accepts the parameters of several seeds at once, see [Field].
	Seeds bool
}

// Equation returns a field in the form that package ode solves, for controls of one form. Its args are the parameters,
// in the order of params, then all tensors of [NewControl]; so set Parameters: len(params) in [ode.Config].
func Equation(f Field, form Form) (equation ode.Field, params []nn.Param) {
	piecewise, params := Piecewise(f, form)
	return func(t, z *Node, args []*Node) *Node { return piecewise(t, nil, z, args) }, params
}

// Piecewise is [Equation] for [ode.NewPiecewise]: at a knot the control is evaluated from the side that the step
// requests.
func Piecewise(f Field, form Form) (equation ode.Piecewise, params []nn.Param) {
	params = f.Params()
	return func(t, side, z *Node, args []*Node) *Node {
		if len(args) < len(params) {
			panic(invalid("%d args, want the %d parameters of the field, then the control", len(args), len(params)))
		}
		control := form.Control(args[len(params):])
		control.fits(z)
		control = control.From(side)
		present := control.presentAt(t)
		dz := f.Derivative(form.Seeds.Bind(params, args), control, t, equivariant.Mask(present, z))
		return equivariant.Mask(present, dz)
	}, params
}

// ErrInput is wrapped by errors about fields and controls that are impossible or do not fit each other: sizes, dtypes,
// shapes, clocks. Errors about graphs also wrap [dyngraph.ErrInvalid]; errors about knots and values also wrap the
// errors of package path.
var ErrInput = errs.ErrInput

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/field: %s", fmt.Sprintf(format, args...))
}
