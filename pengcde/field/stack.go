package field

import (
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// stack holds the layers of a field on graphs and the additions of [Style]. Layers are convolutions; all but the first
// follow an activation, and the last has the width that [signal.contract] takes.
type stack struct {
	layers []equivariant.Convolution
	style  Style
}

// newStack returns the stack for the given sizes. It panics on sizes and styles that no field accepts.
func newStack(style Style, hidden, layers, features int) stack {
	if hidden < 1 || hidden > nn.MaxWidth || layers < 1 || layers > nn.MaxLayers || features < 0 ||
		features > nn.MaxWidth {
		panic(invalid("a field with Hidden %d, Layers %d, Features %d, want 1 to %d, 1 to %d and 0 to %d",
			hidden, layers, features, nn.MaxWidth, nn.MaxLayers, nn.MaxWidth))
	}
	if err := style.Activation.Check(); err != nil {
		panic(err)
	}
	s := stack{make([]equivariant.Convolution, layers), style}
	for k := range s.layers {
		s.layers[k] = equivariant.Convolution{Name: fmt.Sprintf("field.layers.%d", k), In: hidden, Out: hidden,
			Norm: style.Norm}
		if k > 0 {
			s.layers[k].Before = &style.Activation
		}
	}
	if features > 0 {
		s.layers[layers-1].Out = hidden * features * 2
	}
	return s
}

// last returns the layer whose output drives the state.
func (s stack) last() equivariant.Convolution { return s.layers[len(s.layers)-1] }

// linear returns the linear part that Style.Linear adds.
func (s stack) linear() equivariant.Convolution {
	return equivariant.Convolution{Name: "field.linear", In: s.last().In, Out: s.last().Out,
		Norm: nn.Norm{Over: nn.NoNorm}}
}

const feedbackName = "field.feedback"

// feedbackStart is the initial parameter of the feedback, a rate of 0.13.
const feedbackStart = -2

// params declares the parameters of the convolutions by the given function, the parameters of the linear part,
// field.linear, and field.feedback [Hidden].
func (s stack) params(declare func(c equivariant.Convolution, outer bool) []nn.Param) []nn.Param {
	var params []nn.Param
	for k, c := range s.layers {
		params = append(params, declare(c, k == len(s.layers)-1)...)
	}
	if s.style.Linear {
		params = append(params, fromZero(declare(s.linear(), true))...)
	}
	if s.style.Feedback {
		params = append(params, nn.Param{Name: feedbackName, Dims: []int{s.layers[0].In}, Init: nn.Fill(feedbackStart)})
	}
	return params
}

// fromZero makes weight and bias of the linear part start at zero. With random values, a part without a norm makes
// states grow along the whole series, and the first gradients with them.
func fromZero(params []nn.Param) []nn.Param {
	for i := range params {
		if !strings.HasSuffix(params[i].Name, ".maps") {
			params[i].Init = nn.Fill(0)
		}
	}
	return params
}

// plainly declares a convolution whose message matrix has no parameters.
func plainly(c equivariant.Convolution, _ bool) []nn.Param { return c.Params() }

// messages multiply by the message matrices of a layer that drives the state. Their argument is x [batch, n, d] with
// any d.
type messages struct {
	// residual returns x + M x for the message matrix M of A or, in a field that is not affine in A', of A and A'.
	residual func(x *Node) *Node
	// da multiplies by the message matrix of A'. both and bothResidual are M x and x + M x for the sum of the two, with
	// A times the rate of the time channel. They are nil if the field is not affine in A'. A field with node features
	// uses residual and da; a field without uses both and bothResidual.
	da, both, bothResidual func(x *Node) *Node
}

// respond returns dZ/dt of the layers for z. It panics if z has a width other than the first layer takes. inner applies
// the layers before the last; outer returns the messages of a layer that drives the state.
func (s stack) respond(v nn.Values, signal signal, z *Node, inner func(c equivariant.Convolution, x *Node) *Node,
	outer func(c equivariant.Convolution) messages) *Node {
	if got := z.Shape().Dim(-1); got != s.layers[0].In {
		panic(invalid("states of width %d, want the field's Hidden %d", got, s.layers[0].In))
	}
	x := z
	for _, c := range s.layers[:len(s.layers)-1] {
		x = equivariant.Mask(signal.present, inner(c, x))
	}
	dz := signal.drive(v, s.last(), outer(s.last()), x)
	if s.style.Linear {
		dz = Add(dz, signal.drive(v, s.linear(), outer(s.linear()), z))
	}
	if s.style.Feedback {
		rate := Mul(v.Spread(Log1P(Exp(v.Get(feedbackName))), z), signal.speed(z))
		dz = Sub(dz, Mul(rate, z))
	}
	return dz
}

// shared is respond with the same message matrix in all layers.
func (s stack) shared(v nn.Values, signal signal, m *equivariant.Matrix, z *Node) *Node {
	return s.respond(v, signal, z,
		func(c equivariant.Convolution, x *Node) *Node { return c.ApplyResidual(v, x, m.Residual) },
		func(equivariant.Convolution) messages { return messages{residual: m.Residual} })
}

// drive returns the contribution of a layer to dZ/dt: H + M H times the derivative of the control. Separate messages of
// A' act on the time channel's part of H and are not multiplied by the rate, since A' already contains the rate of the
// change.
func (s signal) drive(v nn.Values, c equivariant.Convolution, m messages, x *Node) *Node {
	switch {
	case m.da == nil && m.both == nil:
		return s.contract(c.ApplyResidual(v, x, m.residual))
	case s.dx == nil:
		h := c.Features(v, x)
		if s.rate == nil {
			return m.bothResidual(h)
		}
		return Add(Mul(h, s.speed(h)), m.both(h))
	}
	p := s.dx.Shape().Dim(2)
	ofTime := c.Combined(v, x, func(rows *Node) *Node { // [Hidden·p·2, In+1], feature and channel fastest
		rows = Reshape(rows, v.Dims(c.Out/(2*p), p, 2, c.In+1)...)
		return ReduceSum(Squeeze(SliceAxis(rows, -2, AxisElem(0)), -2), -2)
	})
	return Add(s.contract(c.ApplyResidual(v, x, m.residual)), m.da(ofTime))
}
