package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Layer is the equivariant graph convolution of the published code, from In to Out features:
//
//	Y = RMSNorm(Z),  H = Y W^T + 1 b^T,  out = H + M H
//
// Maps act on nodes and W on features, so they commute, and M acts on the narrower side:
// H + M H = (Y + M Y) W^T + (1 + M 1) b^T.
type Layer struct {
	Name    string
	In, Out int
	Fusion  Fusion
}

func (l Layer) norm() nn.RMSNorm  { return nn.RMSNorm{Name: l.Name + ".norm", Size: l.In} }
func (l Layer) linear() nn.Linear { return nn.Linear{Name: l.Name + ".linear", In: l.In, Out: l.Out} }

// Params declares Name.maps [maps, 2], uniform on ±1/15, then Name.linear and Name.norm.
func (l Layer) Params() []nn.Param {
	params := []nn.Param{{Name: l.Name + ".maps", Dims: []int{len(l.Fusion.Maps), 2}, Init: nn.Uniform(1.0 / 15)}}
	return append(append(params, l.linear().Params()...), l.norm().Params()...)
}

// Apply maps z [batch, n, In] to [batch, n, Out].
func (l Layer) Apply(v nn.Values, p *Pair, z *Node) *Node {
	return l.convolve(v, z, func(x *Node) *Node { return l.Fusion.Apply(p, v.Get(l.Name+".maps"), x) })
}

// convolve is Apply for any message matrix, given by its action on [batch, n, d].
func (l Layer) convolve(v nn.Values, z *Node, act func(*Node) *Node) *Node {
	y := l.norm().Apply(v, z)
	if l.Out <= l.In {
		h := l.linear().Apply(v, y)
		return Add(h, act(h))
	}
	ones := OnesLike(Slice(y, AxisRange(), AxisRange(), AxisRange(0, 1)))
	wide := Concatenate([]*Node{y, ones}, -1)
	wide = Add(wide, act(wide)) // [batch, n, In+1]
	weight, bias := v.Get(l.Name+".linear.weight"), v.Get(l.Name+".linear.bias")
	both := Concatenate([]*Node{weight, ExpandAxes(bias, -1)}, -1) // [Out, In+1]
	return DotGeneral(wide, []int{2}, nil, both, []int{1}, nil)
}
