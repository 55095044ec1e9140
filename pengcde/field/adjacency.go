package field

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Adjacency is the graph neural controlled differential equation whose message matrix is only the adjacency:
//
//	F(Z) = L_K(relu(... relu(L_1(Z)))),  L_k an [equivariant.Convolution] with M = A(t).
//
// A node hears only from the nodes that its edges lead to, see [Traits]. F drives the state as in [PENG]. The
// derivative of the control enters only through the time channel and the features, so the solution does not depend on
// the clock.
type Adjacency struct {
	// Hidden is the width of the state, and Layers the number of layers, at least 1.
	Hidden int `json:"Hidden,omitzero"`
	Layers int `json:"Layers,omitzero"`
	// Features is the number of node features that drive the state; 0 means none.
	Features int   `json:"Features,omitzero"`
	Style    Style `json:"Style,omitzero"`
}

// Sized implements [Sizer].
func (f Adjacency) Sized(s Sizes) (Field, Sizes) {
	f.Hidden, f.Layers, f.Features = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Layers, s.Layers), cmp.Or(f.Features, s.Features)
	return f, Sizes{s.Nodes, f.Features, f.Hidden, f.Layers}
}

// Traits implements [Traiter].
func (f Adjacency) Traits() Traits { return Traits{OneWay: true, Seeds: true} }

func (f Adjacency) stack() stack { return newStack(f.Style, f.Hidden, f.Layers, f.Features) }

// Params declares the parameters of the layers, named field.layers.K, and the parameters that Style adds.
func (f Adjacency) Params() []nn.Param { return f.stack().params(plainly) }

// Derivative implements [Field].
func (f Adjacency) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	return f.respond(v, c.at(t, f.Features), z)
}

func (f Adjacency) respond(v nn.Values, s signal, z *Node) *Node {
	return f.stack().shared(v, s, s.a, z)
}
