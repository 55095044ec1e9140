package field

import (
	"cmp"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// PreMult is the graph neural controlled differential equation with the general linear fusion: in each layer learned
// matrices W_1, W_2 [n, n] multiply A and A' from the left,
//
//	F(Z) = L_K(relu(... relu(L_1(Z)))),  L_k an [equivariant.Convolution] with M_k = W_1k A(t) + W_2k A'(t).
//
// F drives the state as in [PENG]. It is tied to one set of n nodes: relabelling the nodes relabels dZ/dt only if the
// rows and columns of W_1 and W_2 are relabelled too. M Z = W_1 (A Z) + W_2 (A' Z), so A stays sparse, but there are 2
// n² parameters and O(n² d) operations for each layer.
type PreMult struct {
	// Hidden is the width of the state, Layers the number of layers, at least 1, and Nodes the number n of nodes.
	Hidden int `json:"Hidden,omitzero"`
	Layers int `json:"Layers,omitzero"`
	Nodes  int `json:"Nodes,omitzero"`
	// Features is the number of node features that drive the state; 0 means none.
	Features int `json:"Features,omitzero"`
	// Parity draws the entries of W_1 and W_2 from U(0, 1), as the published code does: their norm is then about n/2 at
	// the start, and grows with the graph. The default is U(-1/n, 1/n).
	Parity bool `json:"Parity,omitzero"`
	// PerChannel measures A' per unit of the time channel; it matters if the channel has its own clock, see [Sample].
	PerChannel bool `json:"PerChannel,omitzero"`
	// Identities, with a size, let the entries of A and A' depend on their source and target: each entry is replaced by
	// its [equivariant.Modulation], with separate MLPs for A and for A'. The field then commutes with no relabelling of
	// the nodes.
	Identities equivariant.Identities `json:"Identities,omitzero"`
}

// Sized implements [Sizer].
func (f PreMult) Sized(s Sizes) (Field, Sizes) {
	f.Hidden, f.Layers, f.Features = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Layers, s.Layers), cmp.Or(f.Features, s.Features)
	f.Nodes = cmp.Or(f.Nodes, s.Nodes)
	f.Identities.Nodes = cmp.Or(f.Identities.Nodes, f.Nodes)
	return f, Sizes{f.Nodes, f.Features, f.Hidden, f.Layers}
}

// Traits implements [Traiter].
func (f PreMult) Traits() Traits { return withIdentities(f.Identities).traits(f.PerChannel) }

func (f PreMult) stack() stack { return newStack(Style{}, f.Hidden, f.Layers, f.Features) }

// Params declares the parameters of the identities as in [PENG.Params], then for each layer field.layers.K.fusion_1 and
// fusion_2 [n, n] and the parameters of the convolution.
func (f PreMult) Params() []nn.Param {
	if f.Nodes < 1 || f.Nodes > dyngraph.MaxNodes {
		panic(invalid("a field with Nodes %d, want the number of nodes of the graph, 1 to %d", f.Nodes, dyngraph.MaxNodes))
	}
	draw := nn.Uniform(1 / float64(f.Nodes))
	if f.Parity {
		draw = (*rand.Rand).Float64
	}
	params := withIdentities(f.Identities).params(2)
	for _, c := range f.stack().layers {
		for _, name := range []string{".fusion_1", ".fusion_2"} {
			params = append(params, nn.Param{Name: c.Name + name, Dims: []int{f.Nodes, f.Nodes}, Init: draw})
		}
		params = append(params, c.Params()...)
	}
	return params
}

// Derivative implements [Field].
func (f PreMult) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	if n := z.Shape().Dim(1); n != f.Nodes {
		panic(invalid("states of %d nodes, want the %d of the field's Nodes", n, f.Nodes))
	}
	return f.respond(v, c.at(t, f.Features), z)
}

func (f PreMult) respond(v nn.Values, s signal, z *Node) *Node {
	s = withIdentities(f.Identities).both(v, s.perChannel(f.PerChannel))
	residual := func(c equivariant.Convolution) func(x *Node) *Node {
		return func(x *Node) *Node {
			return Add(x, Add(v.Mix(v.Get(c.Name+".fusion_1"), s.a.Apply(x)), v.Mix(v.Get(c.Name+".fusion_2"), s.da.Apply(x))))
		}
	}
	return f.stack().respond(v, s, z,
		func(c equivariant.Convolution, x *Node) *Node { return c.ApplyResidual(v, x, residual(c)) },
		func(c equivariant.Convolution) messages { return messages{residual: residual(c)} })
}
