// Package sequence says what a network is that goes through the observations of a window in discrete steps, such as a
// recurrent or a convolutional one, in place of a differential equation: a [Network] builds its forecasts from the
// [Inputs] of a batch. Networks are in package rivals; pengcde.Config.Network takes one, and trains, saves and plans
// it like any other model.
package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Sizes are what a network is made for.
type Sizes struct {
	// Nodes n, Features p of a node at an observation, Outputs q of a node at a forecast time.
	Nodes, Features, Outputs int
	// Inputs is the number T of observations; 0 for any, which a network whose parameters depend on it refuses.
	Inputs int
	// PerTime asks for a forecast at each observation, in place of one at the last.
	PerTime bool
}

// Times is the number S of forecast times for T observations.
func (s Sizes) Times(inputs int) int {
	if s.PerTime {
		return inputs
	}
	return 1
}

// Inputs are the observations of a batch of B windows, while a graph is built.
type Inputs struct {
	// Times [B, T] are counted from the first observation, Features are [B, T, n, p] without missing values; both are of
	// the model's float type.
	Times, Features *Node
	// Graph is the matrix A of an observation 0 to T-1, of each window its own, normalised as the model's configuration
	// says. Its pattern may have only the edges with a weight in the window.
	Graph func(observation int) *equivariant.Matrix
	// Dropout zeroes entries of x at the given rate in training, by a mask drawn anew for each batch, and scales the
	// others by 1/(1-rate); in forecasts it is x.
	Dropout func(x *Node, rate float64) *Node
}

// Network is a network with parameters. Both methods panic where its options or the sizes cannot be, with an error that
// says so. It may be a [Normaliser], [NonNegative] and a [Resolver] too.
type Network interface {
	// Params declares the learned parameters.
	Params(Sizes) []nn.Param
	// Forecast builds the forecasts [B, S, n, q].
	Forecast(v nn.Values, s Sizes, in Inputs) *Node
}

// Normaliser is a [Network] that says how it wants its matrices where the configuration does not, in place of the
// normalised Laplacian.
type Normaliser interface{ Normalise() dyngraph.Normalisation }

// NonNegative is a [Network] that says whether entries of its matrices must be 0 or more: windows with others are refused.
type NonNegative interface{ NonNegative() bool }

// Resolver is a [Network] that writes out the defaults that its zero options stand for, to be compared and stored.
type Resolver interface{ Resolved(Sizes) Network }
