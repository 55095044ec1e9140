package field

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Constant is dz/dt = b with one learned vector shared by all nodes: the baseline that sees no graph.
type Constant struct {
	// Hidden is the width of the state.
	Hidden int `json:"Hidden,omitzero"`
}

// Sized implements [Sizer].
func (f Constant) Sized(s Sizes) (Field, Sizes) {
	f.Hidden = cmp.Or(f.Hidden, s.Hidden)
	return f, Sizes{s.Nodes, s.Features, f.Hidden, s.Layers}
}

// Traits implements [Traiter].
func (f Constant) Traits() Traits {
	return Traits{NoFeatures: true, NoGraph: true, Pairwise: true, Seeds: true,
		Stops: func(Sample) []float64 { return nil }}
}

// Params declares field.bias, uniform on ±1.
func (f Constant) Params() []nn.Param {
	if f.Hidden < 1 || f.Hidden > nn.MaxWidth {
		panic(invalid("a field with Hidden %d, want 1 to %d", f.Hidden, nn.MaxWidth))
	}
	return []nn.Param{{Name: "field.bias", Dims: []int{f.Hidden}, Init: nn.Uniform(1)}}
}

// Derivative implements [Field].
func (f Constant) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	return f.respond(v, signal{rate: c.Rate(t)}, z)
}

func (f Constant) respond(v nn.Values, s signal, z *Node) *Node {
	return s.contract(BroadcastToDims(v.Spread(v.Get("field.bias"), z), z.Shape().Dimensions...))
}
