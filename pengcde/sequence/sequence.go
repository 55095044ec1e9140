// Package sequence defines the interface of networks that process the observations of a window in discrete steps, such
// as recurrent or convolutional networks, in place of a differential equation. A [Network] builds its forecasts from
// the [Inputs] of a batch. Package rivals has networks. pengcde.Config.Network takes a network, and trains, saves and
// plans it like any other model.
package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Sizes are the sizes that a network is built for.
type Sizes struct {
	// Nodes n is the number of nodes, Features p the number of features of a node at an observation, and Outputs q the
	// number of outputs of a node at a forecast time.
	Nodes, Features, Outputs int
	// Inputs is the number T of observations; 0 means any number, which a network refuses if its parameters depend on
	// it.
	Inputs int
	// PerTime requests a forecast at each observation, instead of only at the last.
	PerTime bool
}

// Times returns the number S of forecast times for T observations.
func (s Sizes) Times(inputs int) int {
	if s.PerTime {
		return inputs
	}
	return 1
}

// Inputs holds the observations of a batch of B windows while a graph is built.
type Inputs struct {
	// Times [B, T] are measured from the first observation. Features are [B, T, n, p] without missing values. Both have
	// the float type of the model.
	Times, Features *Node
	// Present [B, T, n, 1] is 1 for nodes that are present at an observation, else 0; nil if all are. Features of absent
	// nodes are 0, they have no edges, and their forecasts do not count.
	Present *Node
	// Graph returns the matrix A of an observation, 0 to T-1, separate for each window and normalised according to the
	// model's configuration. Its pattern may omit edges without a weight in the window.
	Graph func(observation int) *equivariant.Matrix
	// Dropout zeroes entries of x at the given rate in training and scales the others by 1/(1-rate); it draws a new
	// mask for each batch. In forecasts it returns x.
	Dropout func(x *Node, rate float64) *Node
}

// Frozen returns the states after an observation, [B, n, d]: next for present nodes and the states before it for absent
// ones.
func (in Inputs) Frozen(observation int, before, next *Node) *Node {
	if in.Present == nil {
		return next
	}
	present := Squeeze(SliceAxis(in.Present, 1, AxisElem(observation)), 1) // [B, n, 1]
	return Add(before, Mul(present, Sub(next, before)))
}

// Network is a network with parameters. Both methods panic on impossible options or sizes, with an error that explains
// them. It may also be a [Normaliser], [NonNegative] and a [Resolver].
type Network interface {
	// Params declares the learned parameters.
	Params(Sizes) []nn.Param
	// Forecast builds the forecasts [B, S, n, q].
	Forecast(v nn.Values, s Sizes, in Inputs) *Node
}

// Normaliser is a [Network] with a default normalisation of its matrices, in place of the normalised Laplacian. The
// configuration overrides it.
type Normaliser interface{ Normalise() dyngraph.Normalisation }

// NonNegative is a [Network] that reports whether entries of its matrices must be 0 or more; windows with negative
// entries are then refused.
type NonNegative interface{ NonNegative() bool }

// Resolver is a [Network] that returns itself with the defaults of zero options written out, for comparison and
// storage.
type Resolver interface{ Resolved(Sizes) Network }
