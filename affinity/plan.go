package affinity

import (
	"context"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Part says what a question is for.
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

// Listener is told what happens, in order. Slices that it is handed are good until it returns, but for the slices of
// labels, which it may keep.
type Listener interface {
	// Reset comes first, and before each window of a plan of windows: nothing is known.
	Reset(task Task)
	// Observe tells of the next events.
	Observe(events []dyngraph.Event) error
	// Learn tells of labels that are known from here on.
	Learn(labels Labels) error
	// Ask is a question with its answer; the answer is not known yet, and is learned next where it ever is.
	Ask(q Question, answer Labels) error
}

// Walk tells everything to the listener.
func (p *Plan) Walk(ctx context.Context, to Listener) error {
	if p.walk == nil {
		return invalid("a Plan without data: make one with Data.Official, Data.Rotation or Data.Windows")
	}
	return p.walk(ctx, true, to)
}

// Past returns the plan without its test questions, and without events and labels known only at these: a [Trainer] is
// trained on it.
func (p *Plan) Past() *Plan {
	past := *p
	past.Questions = slices.DeleteFunc(slices.Clone(p.Questions), func(q Question) bool { return q.Part == Test })
	if p.walk == nil {
		return &past
	}
	past.walk = func(ctx context.Context, _ bool, to Listener) error { return p.walk(ctx, false, to) }
	return &past
}
