package smallmodels

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// Diffusion is dz/dt = W (A(t) z + A'(t) z) - z, a field as an importer writes it.
type Diffusion struct{ Hidden int }

func (f Diffusion) mix() nn.Linear { return nn.Linear{Name: "field.mix", In: f.Hidden, Out: f.Hidden} }

// Params declares the learned parameters.
func (f Diffusion) Params() []nn.Param { return f.mix().Params() }

// Derivative builds dz/dt of z [batch, n, hidden] at t [batch].
func (f Diffusion) Derivative(v nn.Values, c *field.Control, t, z *Node) *Node {
	a, da, _ := c.At(t)
	return Sub(f.mix().Apply(v, Add(a.Apply(z), da.Apply(z))), z)
}

// Neighbours is h_k = tanh(W (x_k, A_k x_k, h_{k-1})) of each node, and a forecast V h, a network as an importer writes
// it.
type Neighbours struct{ Hidden int }

func (n Neighbours) layers(s sequence.Sizes) (step, out nn.Linear) {
	return nn.Linear{Name: "step", In: 2*s.Features + n.Hidden, Out: n.Hidden},
		nn.Linear{Name: "out", In: n.Hidden, Out: s.Outputs}
}

// Params declares the learned parameters.
func (n Neighbours) Params(s sequence.Sizes) []nn.Param {
	step, out := n.layers(s)
	return append(step.Params(), out.Params()...)
}

// Forecast builds the forecasts [batch, times, n, outputs] of observations [batch, T, n, features].
func (n Neighbours) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	step, out := n.layers(s)
	dims := in.Features.Shape().Dimensions
	h := BroadcastToDims(ScalarZero(in.Features.Graph(), in.Features.DType()), dims[0], dims[2], n.Hidden)
	var forecasts []*Node
	for k := range dims[1] {
		x := Squeeze(SliceAxis(in.Features, 1, AxisElem(k)), 1)
		h = Tanh(step.Apply(v, Concatenate([]*Node{x, in.Graph(k).Apply(x), h}, -1)))
		if s.PerTime || k == dims[1]-1 {
			forecasts = append(forecasts, out.Apply(v, h))
		}
	}
	return Stack(forecasts, 1)
}
