// Package head has the last part of a model: it reads forecasts off the states and compares them with targets.
//
// A [Head] has parameters, takes arrays of a batch, makes forecasts of the states and compares them by a loss. There
// are five: [Nodes], [Summed] and [Class] for the graph, [Ranking] for affinities of nodes, and [Corrected], a linear
// autoregression that the states correct.
//
// For a head of your own embed one of them, mostly [Nodes], and write the methods in which yours differs: see the
// example OwnHead of package pengcde.
package head

import (
	"errors"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ErrInput is wrapped by errors about options and windows that do not fit a head.
var ErrInput = errors.New("invalid input")

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/head: "+format, args...)
}

// Head reads forecasts off states, and compares them with targets. In shapes, B is the number of samples, S the number
// of times at which a solve saves states, n the number of nodes and q the number of outputs.
type Head interface {
	// Sized returns the head for a model of these sizes, and an error where its options do not fit them.
	Sized(Sizes) (Head, error)
	// Params declares the parameters.
	Params() []nn.Param
	// Inputs names the arrays of [Head.Batch]: forecasts are made of those seen, the loss compares with those met. Names
	// at the end of a list may be missing in a batch.
	Inputs() (seen, met []string)
	// Forecast builds forecasts, mostly [B, S, n, q], of the states z [B, S, n, states*Width]; of a network in discrete
	// steps z [B, S, n, q] are its forecasts. In holds the seen arrays alone.
	Forecast(v nn.Values, z *Node, in Inputs) *Node
	// Loss compares forecasts y with the arrays met. It builds the loss, [] or for parameters of several seeds [seeds],
	// and a penalty that training adds to it, nil for none.
	Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node)

	// Check says whether forecasts can be made of a valid window.
	Check(w dyngraph.Window) error
	// Sample takes what the head needs of a window, with or without what it is trained by.
	Sample(w dyngraph.Window, training bool) (Sample, error)
	// Batch makes the arrays of samples that have been saved at as many times.
	Batch(samples []Sample, saves int) (seen, met []Array, err error)
	// Rows are the forecasts of a window, [times][rows][outputs], from one sample's of [Head.Forecast], row-major.
	Rows(w dyngraph.Window, flat []float64) [][][]float64
	// Traits say how batches may be computed.
	Traits() Traits
}

// Starter is a Head that gives some of its parameters values that fit windows, before a training.
type Starter interface {
	Head
	// Start returns the values by the names of the parameters; an error where the head cannot be trained on windows. Check
	// says whether the model takes a window, and is to be called before that is read.
	Start(training []dyngraph.Window, check func(dyngraph.Window) error) (map[string][]float64, error)
}

// Traits say what batches of a head are like.
type Traits struct {
	// LastInput says that there are forecasts at a window's last input alone.
	LastInput bool
	// EachTime says that there are forecasts at every snapshot of whole series.
	EachTime bool
	// Whole keeps batches in one piece and on the whole graph: no groups, several seeds or edges of a window's own.
	Whole bool
}

// Inputs are the arrays of a batch by name, while a graph is built.
type Inputs map[string]*Node

// Bind gives nodes their names.
func Bind(names []string, nodes []*Node) Inputs {
	in := make(Inputs, len(nodes))
	for i, node := range nodes {
		in[names[i]] = node
	}
	return in
}

// Array is an array of a batch, row-major, of floats or of integers.
type Array struct {
	Floats []float64
	Ints   []int32
	Dims   []int
}

// Sample is what a head takes of one window; fields that it does not need are left empty.
type Sample struct {
	// Times, from the window's first input on, are those that forecasts are compared at.
	Times []float64
	// Weights are the weights of Times in the loss; nil means 0.
	Weights []float64
	// Targets are row-major, equally many at each of Times, with NaN where not observed.
	Targets []float64
	// Regressors are what a linear part takes.
	Regressors []float64
	// Affinities are the rows that logits are compared with, and Known the affinities that they are added to.
	Affinities, Known *dyngraph.Affinities
}
