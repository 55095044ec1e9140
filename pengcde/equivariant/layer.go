package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Layer is the equivariant graph convolution: a [Convolution] whose message matrix is a [Fusion] with its own weights.
type Layer struct {
	Name    string
	In, Out int
	Norm    nn.Norm
	Before  *nn.Activation
	Fusion  Fusion
}

func (l Layer) convolution() Convolution {
	return Convolution{Name: l.Name, In: l.In, Out: l.Out, Norm: l.Norm, Before: l.Before}
}

// Params declares Name.maps of [Fusion.Dims], uniform on ±1/15, then the convolution. It panics on invalid maps.
func (l Layer) Params() []nn.Param {
	l.Fusion.derivative()
	params := []nn.Param{{Name: l.Name + ".maps", Dims: l.Fusion.Dims(), Init: nn.Uniform(1.0 / 15)}}
	return append(params, l.convolution().Params()...)
}

// Apply maps z [batch, n, In] to [batch, n, Out], with the parameters of one seed or of several.
func (l Layer) Apply(v nn.Values, p *Pair, z *Node) *Node {
	return l.convolution().ApplyResidual(v, z, l.Residual(v, p))
}

// Messages returns the function that multiplies x [batch, n, d] by the message matrix M.
func (l Layer) Messages(v nn.Values, p *Pair) func(x *Node) *Node {
	return func(x *Node) *Node { return l.Fusion.Apply(p, v.Seeds, v.Get(l.Name+".maps"), x) }
}

// Residual returns the function x + M x; on a CPU a kernel adds x.
func (l Layer) Residual(v nn.Values, p *Pair) func(x *Node) *Node {
	return func(x *Node) *Node { return l.Fusion.apply(p, v.Seeds, v.Get(l.Name+".maps"), x, true) }
}

// Side is Messages of only A (side 0) or only A' (side 1). p is a [NewSingle] of that matrix.
func (l Layer) Side(side int, v nn.Values, p *Pair) func(x *Node) *Node {
	single := l.Fusion
	single.Single, single.Derivative = true, nil
	if side == 1 {
		single.Maps = l.Fusion.derivative()
	}
	return func(x *Node) *Node {
		return single.Apply(p, v.Seeds, SliceAxis(v.Get(l.Name+".maps"), -1, AxisRange(side, side+1)), x)
	}
}
