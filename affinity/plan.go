package affinity

import (
	"context"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Part is the use of a question: training, validation or test.
type Part string

const (
	Train      Part = "train"
	Validation Part = "validation"
	Test       Part = "test"
)

// Question asks for the affinities of nodes at a time.
type Question struct {
	Time float64
	Part Part
}

// Plan is a protocol applied to data: the questions, and the events and labels known at each. Make one with
// [Data.Official], [Data.Rotation] or [Data.Windows].
type Plan struct {
	Task
	// Name names the data and the protocol, for tables.
	Name      string
	Questions []Question

	walk func(ctx context.Context, tests bool, to Listener) error
}

// Listener receives events, labels and questions in order. Slices passed to it are valid until the method returns,
// except the slices of labels, which it may keep.
type Listener interface {
	// Reset is called first, and before each window of a plan of windows. Nothing is known then.
	Reset(task Task)
	// Observe receives the next events.
	Observe(events []dyngraph.Event) error
	// Learn receives labels that are known from now on.
	Learn(labels Labels) error
	// Ask receives a question with its answer. The answer is not known yet. If it ever becomes known, Learn receives it
	// next.
	Ask(q Question, answer Labels) error
}

// Walk passes the whole plan to the listener.
func (p *Plan) Walk(ctx context.Context, to Listener) error {
	if p.walk == nil {
		return invalid("a Plan without data: make one with Data.Official, Data.Rotation or Data.Windows")
	}
	return p.walk(ctx, true, to)
}

// Past returns the plan without its test questions, and without events and labels known only at these. A [Trainer]
// trains on it.
func (p *Plan) Past() *Plan {
	past := *p
	past.Questions = slices.DeleteFunc(slices.Clone(p.Questions), func(q Question) bool { return q.Part == Test })
	if p.walk == nil {
		return &past
	}
	past.walk = func(ctx context.Context, _ bool, to Listener) error { return p.walk(ctx, false, to) }
	return &past
}
