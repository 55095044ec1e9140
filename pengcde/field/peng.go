package field

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// PENG is the permutation equivariant field: Layers of [equivariant.Layer] with ReLU between them,
//
//	F(Z) = L_K(relu(... relu(L_1(Z)))),  L_k with a message matrix M_k of A(t) and A'(t).
//
// Without node features dZ/dt = F(Z), F of width Hidden. With Features p > 0, F has width Hidden·p·2 and is contracted
// with the control X = (t, x_l) of each node u and feature l:
//
//	dz_um/dt = Σ_l (F_uml0 + F_uml1 dx_ul/dt)
//
// where the time channel stands beside every feature, as in the published code. Where the time channel runs on a clock
// of its own ([Sample]), its derivative multiplies F in the first case and F_uml0 in the second.
type PENG struct {
	// Hidden is the width of the state, Layers at least 1.
	Hidden int `json:"Hidden,omitzero"`
	Layers int `json:"Layers,omitzero"`
	// Features is the number of node features that drive the state; 0 for none.
	Features int `json:"Features,omitzero"`
	// Maps mix A and A'; nil means [equivariant.Published8].
	Maps []equivariant.Map `json:"Maps,omitzero"`
	// DerivativeMaps are those of A' where they differ, see [equivariant.Published11]; nil means Maps.
	DerivativeMaps []equivariant.Map `json:"DerivativeMaps,omitzero"`
	// PerChannel takes A' per unit of the time channel; it matters where that runs on a clock of its own, see [Sample].
	PerChannel bool `json:"PerChannel,omitzero"`
	// Identities, with a size, let the entries of A and A' depend on their source and target: each is replaced by its
	// [equivariant.Modulation], with MLPs of their own for A and for A'. The field then commutes with no relabelling of
	// the nodes.
	Identities equivariant.Identities `json:"Identities,omitzero"`
	// Parity repeats a defect of the published code, see [equivariant.Fusion].
	Parity bool `json:"Parity,omitzero"`
}

// Sized implements what [Sizes] says.
func (f PENG) Sized(s Sizes) (Field, Sizes) {
	f.Hidden, f.Layers, f.Features = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Layers, s.Layers), cmp.Or(f.Features, s.Features)
	f.Identities.Nodes = cmp.Or(f.Identities.Nodes, s.Nodes)
	return f, Sizes{f.Identities.Nodes, f.Features, f.Hidden, f.Layers}
}

// Traits implements what [Traits] says.
func (f PENG) Traits() Traits { return withIdentities(f.Identities).traits() }

func (f PENG) stack() stack { return newStack(f.Hidden, f.Layers, f.Features) }

func (f PENG) layer(c equivariant.Convolution) equivariant.Layer {
	fusion := equivariant.Fusion{Maps: f.Maps, Derivative: f.DerivativeMaps, Parity: f.Parity}
	if fusion.Maps == nil {
		fusion.Maps = equivariant.Published8()
	}
	return equivariant.Layer{Name: c.Name, In: c.In, Out: c.Out, Fusion: fusion}
}

// Params declares those of the layers, named field.layers.K, behind those of identities where there are any:
// field.identities, field.modulation and field.modulation_derivative.
func (f PENG) Params() []nn.Param {
	params := withIdentities(f.Identities).params(2)
	for _, c := range f.stack() {
		params = append(params, f.layer(c).Params()...)
	}
	return params
}

// Derivative implements [Field].
func (f PENG) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	return f.respond(v, c.at(t, f.Features), z)
}

func (f PENG) respond(v nn.Values, s signal, z *Node) *Node {
	s = withIdentities(f.Identities).both(v, s.perChannel(f.PerChannel))
	pair, layers := equivariant.NewPair(s.a, s.da), f.stack()
	return s.contract(layers.apply(z, func(k int, x *Node) *Node { return f.layer(layers[k]).Apply(v, pair, x) }))
}
