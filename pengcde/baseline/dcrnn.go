package baseline

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// DCRNN is the diffusion convolutional recurrent network: an encoder of Layers recurrent cells stacked over the
// observations, each with the graph of its own observation, then a decoder of as many cells for one step. The decoder's
// input is the last features, its cells begin with the encoder's last states and see the last graph; a linear map leads
// to the forecast. Asked for a forecast at each observation, the decoder takes that step from each of them: the forecast
// at an observation is what the network forecasts from the observations up to it.
//
// The cells are gated recurrent units whose linear maps see, beside features and states x [n, d] of a node, how they
// diffuse on the graph: the powers (D_o^-1 A)^k x and (D_i^-1 A^T)^k x of the random walks along and against the edges, k
// = 1 to Order, with D_o and D_i the sums of weights from and to a node. It normalises the weights itself: give it those
// of the graph, which are to be 0 or more, with Normalise dyngraph.Raw or dyngraph.Log. A node without edges in a
// direction hears nothing from it.
//
// Y. Li, R. Yu, C. Shahabi, Y. Liu, Diffusion Convolutional Recurrent Neural Network: Data-Driven Traffic Forecasting,
// ICLR 2018. Parameters depend on neither the number of nodes nor that of observations.
type DCRNN struct {
	// Hidden is the width of a cell's state, 0 for 16; Layers 0 for 2; Order 0 for 3.
	Hidden, Layers, Order int `json:",omitempty"`
	// Published diffuses as the code of the PENG-CDE paper does: along the edges alone, on the weights as they are, by the
	// recursion x, A x, 2 A (A x) - x, ... Raw weights far above 1 saturate its gates.
	Published bool `json:",omitempty"`
}

func (d DCRNN) withDefaults(s sequence.Sizes) DCRNN {
	checkSizes("DCRNN", s)
	d.Hidden, d.Layers, d.Order = cmp.Or(d.Hidden, 16), cmp.Or(d.Layers, 2), cmp.Or(d.Order, 3)
	if d.Hidden < 0 || d.Hidden > nn.MaxWidth || d.Layers < 0 || d.Layers > nn.MaxLayers || d.Order < 0 ||
		d.Order > nn.MaxLayers {
		panic(invalid("DCRNN of hidden %d, layers %d, order %d, want 1 to %d, 1 to %d and 1 to %d, or 0 for the defaults",
			d.Hidden, d.Layers, d.Order, nn.MaxWidth, nn.MaxLayers, nn.MaxLayers))
	}
	return d
}

// cells are those of the encoder or decoder.
func (d DCRNN) cells(name string, s sequence.Sizes) []diffusionGRU {
	cells := make([]diffusionGRU, d.Layers)
	for i := range cells {
		cells[i] = diffusionGRU{Name: fmt.Sprintf("%s.%d", name, i), In: d.Hidden, Hidden: d.Hidden, Terms: d.Order + 1}
		if !d.Published {
			cells[i].Terms = 2*d.Order + 1
		}
	}
	cells[0].In = s.Features
	return cells
}

func (d DCRNN) projection(s sequence.Sizes) nn.Linear {
	return nn.Linear{Name: "projection", In: d.Hidden, Out: s.Outputs}
}

// Params declares those of the cells encoder.K and decoder.K, and projection.
func (d DCRNN) Params(s sequence.Sizes) []nn.Param {
	d = d.withDefaults(s)
	var params []nn.Param
	for _, name := range []string{"encoder", "decoder"} {
		for _, cell := range d.cells(name, s) {
			params = append(params, cell.Params()...)
		}
	}
	return append(params, d.projection(s).Params()...)
}

// Forecast builds the forecasts [B, S, n, q].
func (d DCRNN) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	d = d.withDefaults(s)
	encoder, decoder := d.cells("encoder", s), d.cells("decoder", s)
	inputs := in.Features.Shape().Dim(1)
	states := make([]*Node, d.Layers)
	var forecasts []*Node
	for t := range inputs {
		features := Squeeze(SliceAxis(in.Features, 1, AxisElem(t)), 1) // [B, n, p]
		if t == 0 {
			shape := features.Shape().Clone()
			shape.Dimensions[2] = d.Hidden
			for i := range states {
				states[i] = Zeros(features.Graph(), shape)
			}
		}
		walk := newWalk(in.Graph(t), d.Order, d.Published)
		x := features
		for i, cell := range encoder {
			states[i] = cell.Step(v, walk, x, states[i])
			x = states[i]
		}
		if !s.PerTime && t < inputs-1 {
			continue
		}
		x = features
		for i, cell := range decoder {
			x = cell.Step(v, walk, x, states[i])
		}
		forecasts = append(forecasts, d.projection(s).Apply(v, x))
	}
	return Stack(forecasts, 1)
}
