package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Layer is the equivariant graph convolution: a [Convolution] whose message matrix is a [Fusion] with weights of its
// own.
type Layer struct {
	Name    string
	In, Out int
	Fusion  Fusion
}

func (l Layer) convolution() Convolution { return Convolution{Name: l.Name, In: l.In, Out: l.Out} }

// Params declares Name.maps [maps, 2], uniform on ±1/15, then the convolution. It panics on maps that cannot be.
func (l Layer) Params() []nn.Param {
	l.Fusion.derivative()
	params := []nn.Param{{Name: l.Name + ".maps", Dims: []int{len(l.Fusion.Maps), 2}, Init: nn.Uniform(1.0 / 15)}}
	return append(params, l.convolution().Params()...)
}

// Apply maps z [batch, n, In] to [batch, n, Out], with the parameters of one seed or of several.
func (l Layer) Apply(v nn.Values, p *Pair, z *Node) *Node {
	return l.convolution().Apply(v, z, func(x *Node) *Node { return l.Fusion.Apply(p, v.Seeds, v.Get(l.Name+".maps"), x) })
}
