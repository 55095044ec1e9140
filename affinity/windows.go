package affinity

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// WindowConfig says how to cut data into windows.
type WindowConfig struct {
	// Length is the number of snapshots of a window: all but the last are inputs, the last is forecast. The paper uses
	// 3 on tgbn-trade and 10 on tgbn-genre.
	Length int
	// Train and Validation are fractions of the windows, rounded down; both 0 means .6 and .2, as in the paper.
	Train, Validation float64
	// Seed shuffles the windows.
	Seed uint64
}

// window is a run of consecutive snapshots.
type window struct {
	part      Part
	snapshots []dyngraph.Snapshot
}

// Windows returns the protocol of the paper. It cuts snapshots of d.Step into windows that do not overlap, and shuffles
// and splits them. A question asks for the weights of the edges in the last snapshot of a window, for each node that
// has edges out, over all nodes. The rows of the other snapshots are the known labels. Nothing from other windows is
// known, but a model also trains on windows later than the test windows.
//
// Scores are not comparable to scores of [Data.Official]. The paper does not seed its shuffle, so its own split is not
// known. Errors wrap [dyngraph.ErrInvalid] or come from the stream.
func (d *Data) Windows(ctx context.Context, c WindowConfig) (*Plan, error) {
	if c.Train == 0 && c.Validation == 0 {
		c.Train, c.Validation = .6, .2
	}
	if c.Length < 2 {
		return nil, d.invalid("windows of %d snapshots, want 2 or more: the paper takes 3 on tgbn-trade and 10 on "+
			"tgbn-genre", c.Length)
	}
	snapshots, err := d.Events(ctx).Aggregate(d.Step)
	if err != nil {
		return nil, err
	}
	var all []window
	for ; len(snapshots) >= c.Length; snapshots = snapshots[c.Length:] {
		all = append(all, window{snapshots: snapshots[:c.Length]})
	}
	train, validation, test, err := dyngraph.Shuffle(all, c.Train, c.Validation, c.Seed)
	if err != nil {
		return nil, errs.In("affinity: "+d.Name, err)
	}
	p := &Plan{Task: Task{Nodes: d.Nodes, Classes: d.Nodes, Step: d.Step},
		Name: fmt.Sprintf("%s, random windows of %d snapshots, seed %d", d.Name, c.Length, c.Seed)}
	var windows []window
	for _, part := range []struct {
		name    Part
		windows []window
	}{{Train, train}, {Validation, validation}, {Test, test}} {
		for _, w := range part.windows {
			w.part = part.name
			if len(w.target().From) == 0 {
				return nil, d.invalid("nothing to forecast in the last snapshot of the window from %s to %s, which has no "+
					"edge: want a larger step", timeText(w.snapshots[0].Time), timeText(w.target().Time))
			}
			for _, s := range w.snapshots {
				labels := labelsOf(s)
				if err := labels.Validate(d.Nodes, d.Nodes); err != nil && len(labels.Nodes) > 0 {
					return nil, errs.In("affinity: "+d.Name+": snapshot of time "+timeText(s.Time), err)
				}
			}
			windows = append(windows, w)
			p.Questions = append(p.Questions, w.question())
		}
	}
	p.walk = func(ctx context.Context, tests bool, to Listener) error {
		for _, w := range windows {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("affinity: %s: %w", d.Name, err)
			}
			if w.part == Test && !tests {
				continue
			}
			if err := w.walk(p.Task, to); err != nil {
				return errs.In(fmt.Sprintf("affinity: %s, window from time %s on", d.Name, timeText(w.snapshots[0].Time)), err)
			}
		}
		return nil
	}
	return p, nil
}

func (w window) target() dyngraph.Snapshot { return w.snapshots[len(w.snapshots)-1] }
func (w window) question() Question        { return Question{w.target().Time, w.part} }

func (w window) walk(task Task, to Listener) error {
	to.Reset(task)
	for k := range len(w.snapshots) - 1 {
		var events []dyngraph.Event
		for event, err := range dyngraph.EventsOf(w.snapshots[k : k+1]) {
			if err != nil {
				return err
			}
			events = append(events, event)
		}
		if len(events) == 0 {
			continue
		}
		if err := to.Observe(events); err != nil {
			return err
		}
		if err := to.Learn(labelsOf(w.snapshots[k])); err != nil {
			return err
		}
	}
	return to.Ask(w.question(), labelsOf(w.target()))
}
