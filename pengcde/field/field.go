package field

import (
	"errors"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Field is a vector field with parameters. Files name one of one's own as [FileNamed] says.
type Field interface {
	// Params declares the learned parameters. Like Derivative it panics where the field's sizes, such as Hidden and
	// Layers, are impossible.
	Params() []nn.Param
	// Derivative builds dZ/dt [batch, n, hidden] at t [batch] float64 and z [batch, n, hidden], by [Control.At]. The
	// fields of this package also take the parameters of several seeds at once (see [nn.Seeds]), but not with identities.
	Derivative(v nn.Values, c *Control, t, z *Node) *Node
}

// Sizes are what a field is made for: the graph's nodes, the node features that drive the state (0 for none), the width
// of the state and the layers.
type Sizes struct{ Nodes, Features, Hidden, Layers int }

// Sizer is a [Field] whose sizes a model fills in: Sized returns the field with its sizes of 0 replaced by the given
// ones, and the sizes that result, so that a model finds contradictions. It is a method of the value, not of a pointer:
//
//	var _ field.Sizer = MyField{}
type Sizer interface {
	Sized(Sizes) (Field, Sizes)
}

// Traiter is a [Field] that has [Traits].
type Traiter interface{ Traits() Traits }

// Traits are what a model must know of a field beside its derivative, see [Traiter]. The zero value is for other fields.
type Traits struct {
	// NoFeatures says that node features do not drive the state, whatever the model has.
	NoFeatures bool
	// Pairwise says that the published code compares every node's forecast with every node's target, as Parity of a model
	// then does.
	Pairwise bool
	// States is the number of states of width Hidden that Z [batch, n, States·Hidden] holds side by side; 0 means 1. A
	// model encodes each by an encoder of its own, and reads out the last.
	States int
	// Stops are the knots of a sample that adaptive steps end on; nil means [Sample.Changes].
	Stops func(Sample) []float64
	// Jumps says that the field jumps at Stops, so that constant steps end there too.
	Jumps bool
	// EveryEdge says that entries of 0 on edges of the pattern count, as for an [equivariant.Modulation]. For other
	// fields a window may have a pattern of the edges alone that have a weight in one of its snapshots.
	EveryEdge bool
	// Seeds says that Derivative takes the parameters of several seeds at once, see [Field].
	Seeds bool
}

// Equation makes of a field what package ode solves, for controls of one form. Its args are the parameters, in the
// order in which they are returned, then all tensors of [NewControl]; so a solver's [ode.Config] has Parameters:
// len(params).
func Equation(f Field, form Form) (equation ode.Field, params []nn.Param) {
	piecewise, params := Piecewise(f, form)
	return func(t, z *Node, args []*Node) *Node { return piecewise(t, nil, z, args) }, params
}

// Piecewise is [Equation] for [ode.NewPiecewise]: at a knot the control is seen from the side that the step wants.
func Piecewise(f Field, form Form) (equation ode.Piecewise, params []nn.Param) {
	params = f.Params()
	return func(t, side, z *Node, args []*Node) *Node {
		if len(args) < len(params) {
			panic(invalid("%d args, want the %d parameters of the field, then the control", len(args), len(params)))
		}
		control := form.Control(args[len(params):])
		control.fits(z)
		return f.Derivative(form.Seeds.Bind(params, args), control.From(side), t, z)
	}, params
}

// ErrInput is wrapped by errors about fields and controls that cannot be, or do not fit each other: sizes, dtypes,
// shapes, clocks. Those about graphs wrap [dyngraph.ErrInvalid] beside it, those about knots and values the errors of
// package path.
var ErrInput = errors.New("invalid input")

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/field: %s", fmt.Sprintf(format, args...))
}
