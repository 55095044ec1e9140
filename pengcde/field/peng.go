package field

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// PENG is the permutation equivariant field. It has Layers layers of [equivariant.Layer] with ReLU between them,
//
//	F(Z) = L_K(relu(... relu(L_1(Z)))),  L_k with a message matrix M_k of A(t) and A'(t).
//
// Without node features dZ/dt = F(Z), and F has width Hidden. With Features p > 0, F has width Hidden·p·2 and is
// contracted with the control X = (t, x_l) of each node u and feature l:
//
//	dz_um/dt = Σ_l (F_uml0 + F_uml1 dx_ul/dt)
//
// where the time channel is paired with every feature, as in the published code. If the time channel has its own clock
// ([Sample]), its derivative multiplies F in the first case and F_uml0 in the second.
//
// This is the published field, which is not a controlled differential equation: see [EveryLayer]. [Affine] is a
// controlled differential equation; its inner layers see only A:
//
//	dZ/dt = (H + M(A) H) dτ/dt + M'(A') H,  H = N(... act(L_1(Z))) W^T + b
//
// With node features A' acts only on the time channel's part of H, F_uml0 summed over l, so that dz/dt has no product
// of two derivatives.
type PENG struct {
	// Hidden is the width of the state, and Layers the number of layers, at least 1.
	Hidden int `json:"Hidden,omitzero"`
	Layers int `json:"Layers,omitzero"`
	// Features is the number of node features that drive the state; 0 means none.
	Features int `json:"Features,omitzero"`
	// Maps are the maps of A and A'; nil means [equivariant.Published8].
	Maps []equivariant.Map `json:"Maps,omitzero"`
	// DerivativeMaps are the maps of A' if they differ, see [equivariant.Published11]; nil means Maps.
	DerivativeMaps []equivariant.Map `json:"DerivativeMaps,omitzero"`
	// PerChannel measures A' per unit of the time channel; it matters if the channel has its own clock, see [Sample].
	PerChannel bool `json:"PerChannel,omitzero"`
	// Identities, with a size, let the entries of A and A' depend on their source and target: each entry is replaced by
	// its [equivariant.Modulation], with separate MLPs for A and for A'. The field then commutes with no relabelling of
	// the nodes.
	Identities equivariant.Identities `json:"Identities,omitzero"`
	// DerivativeIn selects the layers that see A'; the zero value is EveryLayer. With other values, layers that do not
	// see A' have no weights for it.
	DerivativeIn Layers `json:"DerivativeIn,omitzero"`
	// LocalScale scales maps that act on one node by [equivariant.Map.LocalScale].
	LocalScale bool  `json:"LocalScale,omitzero"`
	Style      Style `json:"Style,omitzero"`
	// Parity repeats a defect of the published code, see [equivariant.Fusion].
	Parity bool `json:"Parity,omitzero"`
}

// Sized implements [Sizer].
func (f PENG) Sized(s Sizes) (Field, Sizes) {
	f.Hidden, f.Layers, f.Features = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Layers, s.Layers), cmp.Or(f.Features, s.Features)
	f.Identities.Nodes = cmp.Or(f.Identities.Nodes, s.Nodes)
	return f, Sizes{f.Identities.Nodes, f.Features, f.Hidden, f.Layers}
}

// Traits implements [Traiter].
func (f PENG) Traits() Traits { return withIdentities(f.Identities).traits(f.PerChannel) }

func (f PENG) stack() stack { return newStack(f.Style, f.Hidden, f.Layers, f.Features) }

// Affine returns PENG with A' in the last layer and the style that trains: a controlled differential equation that is
// affine in A'. docs/equation.md has its mathematics, docs/which-settings.md the measurements.
func Affine() PENG { return PENG{DerivativeIn: LastLayer, LocalScale: true, Style: WellPosed()} }

// ScaleOf returns the factor by which the field multiplies a map, for n nodes.
func (f PENG) ScaleOf(m equivariant.Map, n int) float64 {
	return equivariant.Fusion{Local: f.LocalScale}.ScaleOf(m, n)
}

// layer returns a convolution with the maps of A and, if the layer sees A', of A'.
func (f PENG) layer(c equivariant.Convolution, outer bool) equivariant.Layer {
	fusion := equivariant.Fusion{Maps: f.Maps, Derivative: f.DerivativeMaps, Parity: f.Parity, Local: f.LocalScale,
		Single: !f.DerivativeIn.every() && !(outer && f.DerivativeIn == LastLayer)}
	if fusion.Maps == nil {
		fusion.Maps = equivariant.Published8()
	}
	return equivariant.Layer{Name: c.Name, In: c.In, Out: c.Out, Norm: c.Norm, Before: c.Before, Fusion: fusion}
}

// Params declares the parameters of the identities, if there are any, named field.identities, field.modulation and
// field.modulation_derivative, then of the layers, named field.layers.K, and the parameters that Style adds.
func (f PENG) Params() []nn.Param {
	f.DerivativeIn.check(f.PerChannel, f.Identities)
	matrices := 2
	if f.DerivativeIn == NoLayer {
		matrices = 1
	}
	declare := func(c equivariant.Convolution, outer bool) []nn.Param { return f.layer(c, outer).Params() }
	return append(withIdentities(f.Identities).params(matrices), f.stack().params(declare)...)
}

// Derivative implements [Field].
func (f PENG) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	return f.respond(v, c.at(t, f.Features), z)
}

func (f PENG) respond(v nn.Values, s signal, z *Node) *Node {
	var pair, last *equivariant.Pair // of the layers before the last, and of the last if it alone sees A'
	switch identities := withIdentities(f.Identities); f.DerivativeIn {
	case LastLayer:
		switch {
		case s.dx != nil:
			pair, last = equivariant.NewSingle(s.a), equivariant.NewSingle(s.da)
		case s.rate != nil:
			pair, last = equivariant.NewSingle(s.a), equivariant.NewPair(s.timed(), s.da)
		default:
			last = equivariant.NewPair(s.a, s.da)
			pair = last.First()
		}
	case NoLayer:
		s.a = identities.apply(v, s.a)[0]
		pair = equivariant.NewSingle(s.a)
	default:
		s = identities.both(v, s.perChannel(f.PerChannel))
		pair = equivariant.NewPair(s.a, s.da)
	}
	apply := func(c equivariant.Convolution, x *Node) *Node { return f.layer(c, false).Apply(v, pair, x) }
	return f.stack().respond(v, s, z, apply, f.outer(v, s, pair, last))
}

// outer returns a function that computes the messages of a layer that drives the state. The pairs are of the layers
// before it, and of the layer if it alone sees A'.
func (f PENG) outer(v nn.Values, s signal, pair, last *equivariant.Pair) func(c equivariant.Convolution) messages {
	if f.DerivativeIn != LastLayer {
		return func(c equivariant.Convolution) messages {
			return messages{residual: f.layer(c, true).Residual(v, pair)}
		}
	}
	return func(c equivariant.Convolution) messages {
		layer := f.layer(c, true)
		if s.dx == nil {
			return messages{both: layer.Messages(v, last), bothResidual: layer.Residual(v, last)}
		}
		ofA := layer.Side(0, v, pair)
		residual := func(x *Node) *Node { return Add(x, ofA(x)) }
		return messages{residual: residual, da: layer.Side(1, v, last)}
	}
}
