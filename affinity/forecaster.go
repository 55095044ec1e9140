package affinity

import (
	"context"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Forecaster scores the classes of nodes from the events and labels it has received. Its zero value is ready after
// Reset. In strict time it never receives an event or labels at or after the time of a question.
type Forecaster interface {
	// Reset discards everything except trained parameters.
	Reset(task Task)
	// Observe and Learn are the methods of [Listener].
	Observe(events []dyngraph.Event) error
	Learn(labels Labels) error
	// Forecast writes the scores of the affinities at a time, [len(nodes)*task.Classes] row-major by node, 0 before the
	// call. Only the order of a node's scores counts. It may be called several times for the same time, with different
	// nodes.
	Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error
}

// Trainer is a forecaster with parameters.
type Trainer interface {
	Forecaster
	// Train fits the parameters to the answers of past: the plan without its test questions, and without any event or
	// labels unknown at its last question. It may walk through past any number of times. [Score] returns its score on
	// validation.
	Train(ctx context.Context, past *Plan) error
}

// LabelsOnly is a [Listener] that reports whether it learns only from labels. Events are then not read, which on large
// data takes nearly all the time. A type that embeds such a listener and observes events inherits the method
// LabelsOnly, and must override it to return false.
type LabelsOnly interface{ LabelsOnly() bool }

func readsLabelsOnly(to any) bool {
	l, ok := to.(LabelsOnly)
	return ok && l.LabelsOnly()
}

// labelsOnly is embedded in listeners that learn only from labels.
type labelsOnly struct{}

// Observe ignores events.
func (labelsOnly) Observe([]dyngraph.Event) error { return nil }

// LabelsOnly implements [LabelsOnly].
func (labelsOnly) LabelsOnly() bool { return true }
