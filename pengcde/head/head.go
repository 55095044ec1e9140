// Package head implements the last part of a model: it computes forecasts from the states and compares them with
// targets.
//
// A [Head] has parameters, prepares arrays of a batch, computes forecasts from the states and compares them in a loss.
// There are five heads: [Nodes] for each node, [Summed] and [Class] for the graph, [Ranking] for affinities of nodes,
// and [Corrected], a linear autoregression that the states correct.
//
// For a custom head, embed one of them, usually [Nodes], and write Sized and the methods that differ: see the example
// OwnHead of package pengcde.
package head

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ErrInput is wrapped by errors about options and windows that do not fit a head.
var ErrInput = errs.ErrInput

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/head: "+format, args...)
}

// Head computes forecasts from states and compares them with targets. In shapes, B is the number of samples, S the
// number of times at which a solve saves states, n the number of nodes and q the number of outputs.
type Head interface {
	// Sized returns the head for a model of these sizes, and an error if its options do not fit them.
	Sized(Sizes) (Head, error)
	// Params declares the parameters.
	Params() []nn.Param
	// Inputs names the arrays of [Head.Batch]. Forecast receives the arrays in seen; Loss receives the arrays in targets.
	// Names at the end of a list may be missing in a batch.
	Inputs() (seen, targets []string)
	// Forecast builds forecasts, usually [B, S, n, q], from the states z [B, S, n, states*Width]. For a network in
	// discrete steps z [B, S, n, q] are its forecasts. In holds only the arrays in seen.
	Forecast(v nn.Values, z *Node, in Inputs) *Node
	// Loss builds the loss of forecasts y with respect to the arrays in targets. The loss is a scalar [], or [seeds] for
	// parameters of several seeds. The penalty is added to the loss in training; nil means none.
	Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node)

	// Check returns an error if forecasts of a valid window are impossible.
	Check(w dyngraph.Window) error
	// Sample reads the data that the head needs from a window; training says whether to read the targets too.
	Sample(w dyngraph.Window, training bool) (Sample, error)
	// Batch returns the arrays of samples that all have the given number of save times.
	Batch(samples []Sample, saves int) (seen, targets []Array, err error)
	// Forecasts returns the forecasts of a window at times. Values are one sample's output of [Head.Forecast],
	// row-major; the result may keep or change them.
	Forecasts(w dyngraph.Window, times, values []float64) dyngraph.Forecasts
	// Traits returns how batches may be computed.
	Traits() Traits
}

// Starter is a Head that sets some of its parameters before training, to values that fit the training windows.
type Starter interface {
	Head
	// Start returns the values by parameter name, and an error if the head cannot be trained on the windows. Call
	// check, which returns an error if the model cannot take a window, before reading a window.
	Start(training []dyngraph.Window, check func(dyngraph.Window) error) (map[string][]float64, error)
}

// Traits describe the requirements of a head on batches.
type Traits struct {
	// LastInput reports that there are forecasts only at a window's last input.
	LastInput bool
	// EachTime reports that there are forecasts at every snapshot of whole series.
	EachTime bool
	// Whole keeps batches undivided and on the whole graph: no groups, no several seeds at once, and no removal of the
	// edges without weight in a window.
	Whole bool
	// OfGraph reports that a forecast is of the graph, in one row, and not NaN where a node is absent.
	OfGraph bool
}

// Inputs maps the names of a batch's arrays to their nodes while a graph is built.
type Inputs map[string]*Node

// Bind returns the nodes by name.
func Bind(names []string, nodes []*Node) Inputs {
	in := make(Inputs, len(nodes))
	for i, node := range nodes {
		in[names[i]] = node
	}
	return in
}

// Array is an array of a batch, row-major, with either floats or integers.
type Array struct {
	Floats []float64
	Ints   []int32
	Dims   []int
}

// Sample is the data that a head reads from one window; fields that it does not need are empty.
type Sample struct {
	// Times are the times at which forecasts are compared, from 0 at the window's first input.
	Times []float64
	// Weights are the weights of Times in the loss; nil means 0.
	Weights []float64
	// Targets are row-major, equally many at each of Times, with NaN for targets that were not observed.
	Targets []float64
	// Regressors are the inputs of a linear part.
	Regressors []float64
	// Affinities are the rows that logits are compared with. Prior are the logits that these are added to.
	Affinities, Prior *dyngraph.Affinities
}
