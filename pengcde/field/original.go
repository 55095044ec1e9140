package field

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Original is the field of the original graph neural controlled differential equation (GN-CDE). Its message matrix is
// the sum of the adjacency and its derivative, the same in all layers:
//
//	F(Z) = L_K(relu(... relu(L_1(Z)))),  L_k an [equivariant.Convolution] with M = A(t) + A'(t).
//
// A node hears only from the nodes that its edges lead to, see [Traits]. F drives the state as in [PENG]. A and A' have
// different units, so the field depends on the unit of time unless PerChannel is set. With DerivativeIn LastLayer, M is
// A(t) before the last layer.
//
// Reference: T. Qin, B. Walker, T. Lyons, H. Yan, H. Li, Learning Dynamic Graph Embeddings with Neural Controlled
// Differential Equations, 2023.
type Original struct {
	// Hidden is the width of the state, and Layers the number of layers, at least 1.
	Hidden int `json:"Hidden,omitzero"`
	Layers int `json:"Layers,omitzero"`
	// Features is the number of node features that drive the state; 0 means none.
	Features int `json:"Features,omitzero"`
	// PerChannel measures A' per unit of the time channel; it matters if the channel has its own clock, see [Sample].
	PerChannel bool `json:"PerChannel,omitzero"`
	// DerivativeIn selects the layers that have A' in their message matrix; the zero value is EveryLayer.
	DerivativeIn Layers `json:"DerivativeIn,omitzero"`
	Style        Style  `json:"Style,omitzero"`
	// Identities, with a size, let the entries of A + A' depend on their source and target: each entry is replaced by
	// its [equivariant.Modulation]. The field then commutes with no relabelling of the nodes.
	Identities equivariant.Identities `json:"Identities,omitzero"`
}

// Sized implements [Sizer].
func (f Original) Sized(s Sizes) (Field, Sizes) {
	f.Hidden, f.Layers, f.Features = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Layers, s.Layers), cmp.Or(f.Features, s.Features)
	f.Identities.Nodes = cmp.Or(f.Identities.Nodes, s.Nodes)
	return f, Sizes{f.Identities.Nodes, f.Features, f.Hidden, f.Layers}
}

// Traits implements [Traiter].
func (f Original) Traits() Traits {
	t := withIdentities(f.Identities).traits(f.PerChannel)
	t.OneWay = true
	return t
}

func (f Original) stack() stack { return newStack(f.Style, f.Hidden, f.Layers, f.Features) }

// Params declares the parameters of the identities, if there are any, named field.identities and field.modulation, and
// of the layers, named field.layers.K.
func (f Original) Params() []nn.Param {
	f.DerivativeIn.check(f.PerChannel, f.Identities)
	return append(withIdentities(f.Identities).params(1), f.stack().params(plainly)...)
}

// Derivative implements [Field].
func (f Original) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	return f.respond(v, c.at(t, f.Features), z)
}

func (f Original) respond(v nn.Values, s signal, z *Node) *Node {
	sum := func(a *equivariant.Matrix) *equivariant.Matrix { return a.With(Add(a.Rows, s.da.Rows)) }
	switch {
	case f.DerivativeIn.every():
		s = s.perChannel(f.PerChannel)
		return f.stack().shared(v, s, withIdentities(f.Identities).apply(v, sum(s.a))[0], z)
	case f.DerivativeIn == NoLayer:
		return f.stack().shared(v, s, withIdentities(f.Identities).apply(v, s.a)[0], z)
	}
	both := sum(s.timed())
	m := messages{residual: s.a.Residual, da: s.da.Apply, both: both.Apply, bothResidual: both.Residual}
	return f.stack().respond(v, s, z,
		func(c equivariant.Convolution, x *Node) *Node { return c.ApplyResidual(v, x, s.a.Residual) },
		func(equivariant.Convolution) messages { return m })
}
