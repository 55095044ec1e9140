package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Convolution is the graph convolution of the published code, from In to Out features, for any message matrix M:
//
//	Y = N(a(Z)),  H = Y W^T + 1 b^T,  out = H + M H
//
// M acts on nodes and W on features, so they commute, and M acts on the narrower side:
// H + M H = (Y + M Y) W^T + (1 + M 1) b^T.
type Convolution struct {
	Name    string
	In, Out int
	// Norm is N; the zero value is the published norm of each row.
	Norm nn.Norm
	// Before is the activation a of the input; nil means none.
	Before *nn.Activation
}

func (c Convolution) norm() nn.RMSNorm { return c.Norm.Layer(c.Name+".norm", c.In) }
func (c Convolution) linear() nn.Linear {
	return nn.Linear{Name: c.Name + ".linear", In: c.In, Out: c.Out}
}

// Params declares Name.linear and, if Norm has parameters, Name.norm.
func (c Convolution) Params() []nn.Param { return append(c.linear().Params(), c.norm().Params()...) }

// Apply maps z [batch, n, In] to [batch, n, Out]; act is M x for x [batch, n, d] of any width d.
func (c Convolution) Apply(v nn.Values, z *Node, act func(x *Node) *Node) *Node {
	return c.ApplyResidual(v, z, func(x *Node) *Node { return Add(x, act(x)) })
}

// ApplyResidual is Apply for a function that returns x + M x.
func (c Convolution) ApplyResidual(v nn.Values, z *Node, residual func(x *Node) *Node) *Node {
	if c.Out <= c.In {
		return residual(c.Features(v, z))
	}
	wide := c.wide(v, z)
	weight, bias := v.Get(c.Name+".linear.weight"), v.Get(c.Name+".linear.bias")
	both := Concatenate([]*Node{weight, ExpandAxes(bias, -1)}, -1) // [Out, In+1]
	return v.Product(residual(wide), both, 1)
}

// Features returns H [batch, n, Out].
func (c Convolution) Features(v nn.Values, z *Node) *Node {
	return nn.Normalised(v, c.Before, c.norm(), c.linear(), z)
}

// wide returns Y with a column of ones, [batch, n, In+1].
func (c Convolution) wide(v nn.Values, z *Node) *Node {
	if c.Before != nil {
		z = c.Before.Apply(z)
	}
	y := c.norm().Apply(v, z)
	ones := OnesLike(Slice(y, AxisRange(), AxisRange(), AxisRange(0, 1)))
	return Concatenate([]*Node{y, ones}, -1)
}

// Combined is H with other outputs. pick combines the rows of [W, b], [Out, In+1], to [m, In+1], with a leading axis if
// there are several seeds. The result is [batch, n, m].
func (c Convolution) Combined(v nn.Values, z *Node, pick func(rows *Node) *Node) *Node {
	weight, bias := v.Get(c.Name+".linear.weight"), v.Get(c.Name+".linear.bias")
	return v.Product(c.wide(v, z), pick(Concatenate([]*Node{weight, ExpandAxes(bias, -1)}, -1)), 1)
}
