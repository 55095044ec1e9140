package field

import (
	"fmt"

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
// where the time channel, whose derivative is 1, stands beside every feature, as in the published code.
type PENG struct {
	// Hidden is the width of the state, Layers at least 1.
	Hidden, Layers int
	// Features is the number of node features that drive the state; 0 for none.
	Features int
	// Maps mix A and A'; nil means [equivariant.Published8].
	Maps []equivariant.Map
	// Parity repeats a defect of the published code, see [equivariant.Fusion].
	Parity bool
}

func (f PENG) layers() []equivariant.Layer {
	maps := f.Maps
	if maps == nil {
		maps = equivariant.Published8()
	}
	layers := make([]equivariant.Layer, f.Layers)
	for k := range layers {
		layers[k] = equivariant.Layer{Name: fmt.Sprintf("field.layers.%d", k), In: f.Hidden, Out: f.Hidden,
			Fusion: equivariant.Fusion{Maps: maps, Parity: f.Parity}}
	}
	if f.Features > 0 {
		layers[f.Layers-1].Out = f.Hidden * f.Features * 2
	}
	return layers
}

// Params declares those of the layers, named field.layers.K.
func (f PENG) Params() []nn.Param {
	var params []nn.Param
	for _, l := range f.layers() {
		params = append(params, l.Params()...)
	}
	return params
}

// Derivative implements [Field].
func (f PENG) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	n := z.Shape().Dimensions[1]
	pair, dx := c.at(t, n, f.Features)
	x := z
	for k, l := range f.layers() {
		if k > 0 {
			x = nn.ReLU(x)
		}
		x = l.Apply(v, pair, x)
	}
	if f.Features == 0 {
		return x
	}
	channels := Stack([]*Node{OnesLike(dx), dx}, -1) // [batch, n, p, 2]
	drive := Reshape(channels, -1, n, 2*f.Features)
	return DotGeneral(Reshape(x, -1, n, f.Hidden, 2*f.Features), []int{3}, []int{0, 1}, drive, []int{2}, []int{0, 1})
}
