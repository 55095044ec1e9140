package sequence

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Recurrent is a [Network] that proceeds from observation to observation, with a state for each node that starts at 0.
// If it forecasts at each observation, or classifies a window, a model compiles only a few steps and repeats them over
// the observations; its Forecast is [RollOut]. Sizes.PerTime is true in both cases: the class is the output of the step
// at the last observation.
type Recurrent interface {
	Network
	// State returns the width of a node's state.
	State(Sizes) int
	// Step builds the next state [B, n, State] and the forecast [B, n, q] at an observation, from its features [B, n,
	// p], its graph, and the previous state.
	Step(v nn.Values, s Sizes, graph *equivariant.Matrix, features, state *Node) (next, forecast *Node)
}

// RollOut builds the forecasts [B, S, n, q] of a recurrent network from all its steps in order.
func RollOut(r Recurrent, v nn.Values, s Sizes, in Inputs) *Node {
	dims := in.Features.Shape().Dimensions
	state := Zeros(in.Features.Graph(), shapes.Make(in.Features.DType(), dims[0], dims[2], r.State(s)))
	forecasts, _ := Steps(r, v, s, in, state)
	if !s.PerTime {
		forecasts = SliceAxis(forecasts, 1, AxisElem(-1))
	}
	return forecasts
}

// Steps builds the steps of a network through all inputs from a state [B, n, State]. It returns the forecast at each,
// [B, T, n, q], and the last state. A step does not change the states of absent nodes.
func Steps(r Recurrent, v nn.Values, s Sizes, in Inputs, state *Node) (forecasts, last *Node) {
	each := make([]*Node, in.Features.Shape().Dim(1))
	for t := range each {
		next, forecast := r.Step(v, s, in.Graph(t), Squeeze(SliceAxis(in.Features, 1, AxisElem(t)), 1), state)
		state, each[t] = in.Frozen(t, state, next), forecast
	}
	return Stack(each, 1), state
}
