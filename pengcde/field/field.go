package field

import (
	"errors"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Field is a vector field with parameters.
type Field interface {
	// Params declares what is learned. Like Derivative it panics where the field's sizes, such as Hidden and Layers, cannot be.
	Params() []nn.Param
	// Derivative builds dZ/dt [batch, n, hidden] at t [batch] float64 and z [batch, n, hidden], by [Control.At]. Those of
	// this package also take the parameters of several seeds at once (see [nn.Seeds]), but not with identities.
	Derivative(v nn.Values, c *Control, t, z *Node) *Node
}

// Equation makes of a field what package ode solves, for controls of one form. Its args are the parameters, in the order in
// which they are returned, then all tensors of [NewControl]; so a solver's [ode.Config] has Parameters: len(params).
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
		return f.Derivative(form.Seeds.Bind(params, args), form.bind(args[len(params):]).From(side), t, z)
	}, params
}

// ErrInput is wrapped by errors about fields and controls that cannot be, or do not fit each other: sizes, dtypes, shapes,
// clocks. Those about graphs wrap [dyngraph.ErrInvalid] beside it, those about knots and values the errors of package path.
var ErrInput = errors.New("invalid input")

func invalid(format string, args ...any) error {
	return fmt.Errorf("pengcde/field: %s: %w", fmt.Sprintf(format, args...), ErrInput)
}
