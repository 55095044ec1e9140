package field

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// stack is what the fields on graphs share: convolutions with ReLU between them, the last of the width that
// [signal.contract] takes.
type stack []equivariant.Convolution

// newStack panics on sizes that no field has.
func newStack(hidden, layers, features int) stack {
	if hidden < 1 || hidden > nn.MaxWidth || layers < 1 || layers > nn.MaxLayers || features < 0 ||
		features > nn.MaxWidth {
		panic(invalid("a field with Hidden %d, Layers %d, Features %d, want 1 to %d, 1 to %d and 0 to %d",
			hidden, layers, features, nn.MaxWidth, nn.MaxLayers, nn.MaxWidth))
	}
	s := make(stack, layers)
	for k := range s {
		s[k] = equivariant.Convolution{Name: fmt.Sprintf("field.layers.%d", k), In: hidden, Out: hidden}
	}
	if features > 0 {
		s[layers-1].Out = hidden * features * 2
	}
	return s
}

// params declares those of the convolutions, named field.layers.K.
func (s stack) params() []nn.Param {
	var params []nn.Param
	for _, c := range s {
		params = append(params, c.Params()...)
	}
	return params
}

// apply passes z through the layers, given by their index. It panics where z is not as wide as the first takes.
func (s stack) apply(z *Node, layer func(k int, x *Node) *Node) *Node {
	if got := z.Shape().Dim(-1); got != s[0].In {
		panic(invalid("states of width %d, want the field's Hidden %d", got, s[0].In))
	}
	for k := range s {
		if k > 0 {
			z = nn.ReLU(z)
		}
		z = layer(k, z)
	}
	return z
}

// shared is apply with the same message matrix in all layers.
func (s stack) shared(v nn.Values, m *equivariant.Matrix, z *Node) *Node {
	return s.apply(z, func(k int, x *Node) *Node { return s[k].Apply(v, x, m.Apply) })
}
