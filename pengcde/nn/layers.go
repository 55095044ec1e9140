package nn

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Layer is a part of a network that acts on the last axis.
type Layer interface {
	Params() []Param
	Apply(Values, *Node) *Node
}

// Linear is y = x W^T + b on the last axis: W [Out, In], b [Out].
type Linear struct {
	Name    string
	In, Out int
}

// Params declares Name.weight and Name.bias.
func (l Linear) Params() []Param {
	return []Param{
		{Name: l.Name + ".weight", Dims: []int{l.Out, l.In}, Init: fanIn(l.In)},
		{Name: l.Name + ".bias", Dims: []int{l.Out}, Init: fanIn(l.In)},
	}
}

// Apply maps x [..., In] to [..., Out].
func (l Linear) Apply(v Values, x *Node) *Node {
	y := v.Product(x, v.Get(l.Name+".weight"), 1) // [..., Out]
	return Add(y, v.Spread(v.Get(l.Name+".bias"), y))
}

// MLP is a perceptron with Depth hidden layers of width Width with ReLU, and a linear output layer; Depth is 0 to
// [MaxLayers].
type MLP struct {
	Name                  string
	In, Out, Width, Depth int
}

func (m MLP) layers() []Linear {
	if m.Depth < 0 || m.Depth > MaxLayers {
		panic(errs.New(ErrInput, "pengcde/nn: MLP %q of depth %d, want 0 to %d", m.Name, m.Depth, MaxLayers))
	}
	layers := make([]Linear, m.Depth+1)
	for i := range layers {
		layers[i] = Linear{Name: fmt.Sprintf("%s.layers.%d", m.Name, i), In: m.Width, Out: m.Width}
	}
	layers[0].In = m.In
	layers[m.Depth].Out = m.Out
	return layers
}

// Params declares the linear maps in order, named Name.layers.K.
func (m MLP) Params() []Param {
	return ParamsOf(m.layers()...)
}

// Apply maps x [..., In] to [..., Out].
func (m MLP) Apply(v Values, x *Node) *Node { return m.Continue(v, m.layers()[0].Apply(v, x)) }

// Continue is [MLP.Apply] without the first linear map, whose output x [..., Width] is given. It serves inputs that are
// cheaper to map in parts.
func (m MLP) Continue(v Values, x *Node) *Node {
	for _, l := range m.layers()[1:] {
		x = l.Apply(v, ReLU(x))
	}
	return x
}

// LayerNorm subtracts the mean of each row and divides by its standard deviation, sqrt(variance + 1e-5), then scales by
// gain and shifts by bias. For rows with one feature only the shift remains. J. L. Ba, J. R. Kiros, G. E. Hinton, Layer
// Normalization, 2016.
type LayerNorm struct {
	Name string
	Size int
}

// Params declares Name.weight (gain, 1 at start) and Name.bias (shift, 0 at start).
func (l LayerNorm) Params() []Param { return l.scale().Params() }

// Apply normalises x [..., Size] on the last axis.
func (l LayerNorm) Apply(v Values, x *Node) *Node {
	return l.scale().Apply(v, Sub(x, ReduceAndKeep(x, ReduceMean, -1)))
}

func (l LayerNorm) scale() RMSNorm { return RMSNorm{Name: l.Name, Size: l.Size} }
