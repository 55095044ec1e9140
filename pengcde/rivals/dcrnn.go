package rivals

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// DCRNN is the diffusion convolutional recurrent network. Its encoder runs Layers stacked recurrent cells over the
// observations, each with the graph of its observation. Its decoder runs the same number of cells for one step. The
// decoder's input is the last features; its cells start from the encoder's last states and use the last graph. A linear
// map of the output is the forecast. For a forecast at each observation, or for the class of a window at the last
// observation, there is no decoder: the linear map takes the state of the encoder's last cell there.
//
// The cells are gated recurrent units. Their linear maps take features and states x [n, d] of a node and the diffusion
// of x on the graph: the powers (D_o^-1 A)^k x and (D_i^-1 A^T)^k x of the random walks along and against the edges, k
// = 1 to Order, with D_o and D_i the sums of weights from and to a node. The network normalises the weights itself:
// leave Config.Normalise empty, which means [dyngraph.Raw] here, or use [dyngraph.Log]. The weights must be 0 or more.
// A node without edges in a direction gets 0 from it.
//
// Y. Li, R. Yu, C. Shahabi, Y. Liu, Diffusion Convolutional Recurrent Neural Network: Data-Driven Traffic Forecasting,
// ICLR 2018. Parameters depend on neither the number of nodes nor the number of observations.
type DCRNN struct {
	// Hidden is the width of a cell's state; 0 means 16. Layers 0 means 2, Order 0 means 3.
	Hidden int `json:"Hidden,omitempty"`
	Layers int `json:"Layers,omitempty"`
	Order  int `json:"Order,omitempty"`
	// Published diffuses like the code of the PENG-CDE paper: only along the edges, with unnormalised weights, by the
	// recursion x, A x, 2 A (A x) - x, ... A node then hears only from the nodes that its edges lead to. Raw weights far
	// above 1 saturate its gates.
	Published bool `json:"Published,omitempty"`
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

// Resolved implements [sequence.Resolver].
func (d DCRNN) Resolved(s sequence.Sizes) sequence.Network { return d.withDefaults(s) }

// Normalise returns [dyngraph.Raw].
func (DCRNN) Normalise() dyngraph.Normalisation { return dyngraph.Raw }

// NonNegative reports true except with Published: weights are divided by their sums.
func (d DCRNN) NonNegative() bool { return !d.Published }

// cells returns the cells of the encoder or of the decoder.
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

// Params declares the parameters of the cells encoder.K and, for one forecast, decoder.K, and of projection.
func (d DCRNN) Params(s sequence.Sizes) []nn.Param {
	d = d.withDefaults(s)
	cells := d.cells("encoder", s)
	if !s.PerTime {
		cells = append(cells, d.cells("decoder", s)...)
	}
	return append(nn.ParamsOf(cells...), d.projection(s).Params()...)
}

// Forecast builds the forecasts [B, S, n, q].
func (d DCRNN) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	if s.PerTime {
		return sequence.RollOut(d, v, s, in)
	}
	d = d.withDefaults(s)
	shape := in.Features.Shape()
	shape = shapes.Make(shape.DType, shape.Dim(0), s.Nodes, d.Hidden)
	states := slices.Repeat([]*Node{Zeros(in.Features.Graph(), shape)}, d.Layers)
	var x *Node // [B, n, p], then [B, n, hidden]
	var seen walk
	for t := range in.Features.Shape().Dim(1) {
		x, seen = Squeeze(SliceAxis(in.Features, 1, AxisElem(t)), 1), newWalk(in.Graph(t), d.Order, d.Published)
		for i, next := range d.encode(v, s, seen, x, states) {
			states[i] = in.Frozen(t, states[i], next)
		}
	}
	for i, cell := range d.cells("decoder", s) {
		x = cell.Step(v, seen, x, states[i])
	}
	return d.projection(s).Apply(v, ExpandAxes(x, 1))
}

// encode builds the next states of the encoder's cells, [B, n, Hidden] each, from features x and the previous states.
func (d DCRNN) encode(v nn.Values, s sequence.Sizes, seen walk, x *Node, states []*Node) []*Node {
	next := make([]*Node, d.Layers)
	for i, cell := range d.cells("encoder", s) {
		next[i] = cell.Step(v, seen, x, states[i])
		x = next[i]
	}
	return next
}

// State implements [sequence.Recurrent]. The encoder's states are concatenated.
func (d DCRNN) State(s sequence.Sizes) int {
	d = d.withDefaults(s)
	return d.Layers * d.Hidden
}

// Step implements [sequence.Recurrent].
func (d DCRNN) Step(v nn.Values, s sequence.Sizes, graph *equivariant.Matrix, x, state *Node) (next, forecast *Node) {
	d = d.withDefaults(s)
	states := Split(state, -1, d.Layers)
	states = d.encode(v, s, newWalk(graph, d.Order, d.Published), x, states)
	return Concatenate(states, -1), d.projection(s).Apply(v, states[d.Layers-1])
}
