package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Convolution is the graph convolution of the published code, from In to Out features, for any message matrix M:
//
//	Y = RMSNorm(Z),  H = Y W^T + 1 b^T,  out = H + M H
//
// M acts on nodes and W on features, so they commute, and M acts on the narrower side:
// H + M H = (Y + M Y) W^T + (1 + M 1) b^T.
type Convolution struct {
	Name    string
	In, Out int
}

func (c Convolution) norm() nn.RMSNorm { return nn.RMSNorm{Name: c.Name + ".norm", Size: c.In} }
func (c Convolution) linear() nn.Linear {
	return nn.Linear{Name: c.Name + ".linear", In: c.In, Out: c.Out}
}

// Params declares Name.linear and Name.norm.
func (c Convolution) Params() []nn.Param { return append(c.linear().Params(), c.norm().Params()...) }

// Apply maps z [batch, n, In] to [batch, n, Out]; act is M x for x [batch, n, d] of any width d.
func (c Convolution) Apply(v nn.Values, z *Node, act func(x *Node) *Node) *Node {
	if c.Out <= c.In {
		h := nn.Normalised(v, c.norm(), c.linear(), z)
		return Add(h, act(h))
	}
	y := c.norm().Apply(v, z)
	ones := OnesLike(Slice(y, AxisRange(), AxisRange(), AxisRange(0, 1)))
	wide := Concatenate([]*Node{y, ones}, -1)
	wide = Add(wide, act(wide)) // [batch, n, In+1]
	weight, bias := v.Get(c.Name+".linear.weight"), v.Get(c.Name+".linear.bias")
	both := Concatenate([]*Node{weight, ExpandAxes(bias, -1)}, -1) // [Out, In+1]
	return v.Product(wide, both, 1)
}
