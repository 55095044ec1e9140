package affinity

import (
	"context"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Forecaster scores the classes of nodes from what it was told. Its zero value is for use after Reset. In strict time
// it is never told of an event or of labels at or after the time that it is asked about.
type Forecaster interface {
	// Reset forgets everything but what was trained.
	Reset(task Task)
	// Observe and Learn are the methods of [Listener].
	Observe(events []dyngraph.Event) error
	Learn(labels Labels) error
	// Forecast writes scores, [len(nodes)*task.Classes] row-major by node and 0 before, of the affinities at a time. Only
	// the order of a node's scores counts. It may be asked about the same time several times, for some nodes each.
	Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error
}

// Trainer is a forecaster with parameters.
type Trainer interface {
	Forecaster
	// Train fits the parameters to the answers of past: the plan without its test questions, and without any event or
	// labels that are not known by its last question. It walks through past as often as it wants, and [Score] tells it
	// how good it is on validation.
	Train(ctx context.Context, past *Plan) error
}

// LabelsOnly is a [Listener] that says whether it learns from labels alone: events are then not read for it, which on
// large data takes nearly all time. A type that embeds one and observes events has the method LabelsOnly too, and is to
// say false by its own.
type LabelsOnly interface{ LabelsOnly() bool }

func readsLabelsOnly(to any) bool {
	l, ok := to.(LabelsOnly)
	return ok && l.LabelsOnly()
}

// labelsOnly is embedded in listeners that learn from labels alone.
type labelsOnly struct{}

// Observe ignores events.
func (labelsOnly) Observe([]dyngraph.Event) error { return nil }

// LabelsOnly implements [LabelsOnly].
func (labelsOnly) LabelsOnly() bool { return true }
