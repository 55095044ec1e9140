package field

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// GNODE is the graph neural ordinary differential equation (GN-ODE). Its message matrix is the most recent snapshot:
//
//	dZ/dt = L_K(relu(... relu(L_1(Z)))),  L_k an [equivariant.Convolution] with M = A_j(t)
//
// where j(t) is the snapshot in force at the last knot up to t. M is constant between knots and never uses later data.
// A node hears only from the nodes that its edges lead to, see [Traits]. Node features do not control the state. The
// field jumps at knots where its graph does; steps should end there, see [Sample.Jumps].
//
// Reference: M. Poli, S. Massaroli, J. Park, A. Yamashita, H. Asama, J. Park, Graph Neural Ordinary Differential
// Equations, 2019.
type GNODE struct {
	// Hidden is the width of the state, and Layers the number of layers, at least 1.
	Hidden int `json:"Hidden,omitzero"`
	Layers int `json:"Layers,omitzero"`
	// Lag repeats a defect of the published code on synthetic graphs: it uses the snapshot before the one in force, so
	// the last snapshot is never used. Snapshots must be in the order in which they come into force.
	Lag   bool  `json:"Lag,omitzero"`
	Style Style `json:"Style,omitzero"`
}

// Sized implements [Sizer].
func (f GNODE) Sized(s Sizes) (Field, Sizes) {
	f.Hidden, f.Layers = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Layers, s.Layers)
	return f, Sizes{s.Nodes, s.Features, f.Hidden, f.Layers}
}

// Traits implements [Traiter].
func (f GNODE) Traits() Traits {
	return Traits{NoFeatures: true, Pairwise: true, Stops: Sample.Jumps, Jumps: true, OneWay: true, Seeds: true}
}

func (f GNODE) stack() stack { return newStack(f.Style, f.Hidden, f.Layers, 0) }

// Params declares the parameters of the layers, named field.layers.K, and the parameters that Style adds.
func (f GNODE) Params() []nn.Param { return f.stack().params(plainly) }

// Derivative implements [Field].
func (f GNODE) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	return f.respond(v, c.latest(t, f.Lag), z)
}

func (f GNODE) respond(v nn.Values, s signal, z *Node) *Node {
	return f.stack().shared(v, s, s.a, z)
}
