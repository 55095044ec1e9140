package field

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Field is a vector field with parameters.
type Field interface {
	// Params declares what is learned. Like Derivative it panics where the field's sizes, such as Hidden and Layers, cannot be.
	Params() []nn.Param
	// Derivative builds dZ/dt [batch, n, hidden] at t [batch] float64 and z [batch, n, hidden].
	Derivative(v nn.Values, c *Control, t, z *Node) *Node
}
