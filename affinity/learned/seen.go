package learned

import (
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// seen stores the last snapshots that a listener has received, and passes events and labels to the prior.
type seen struct {
	inputs int
	prior  Prior // nil unless the model corrects one
	step   float64
	first  float64 // time of the first event, NaN before it
	over   []*dyngraph.Snapshot
	open   int // number of the current snapshot, counted from the first
	events []dyngraph.Event
}

func (s *seen) reset(task affinity.Task) {
	*s = seen{inputs: s.inputs, prior: s.prior, step: task.Step, first: math.NaN()}
	if s.prior != nil {
		s.prior.Reset(task)
	}
}

// number returns the number of the snapshot that contains a time.
func (s *seen) number(t float64) int { return int(dyngraph.StepOf(s.first, s.step, t)) }

// Observe takes events in order of time.
func (s *seen) Observe(events []dyngraph.Event) error {
	if s.prior != nil {
		if err := s.prior.Observe(events); err != nil {
			return err
		}
	}
	for _, event := range events {
		if math.IsNaN(s.first) {
			s.first = event.Time
		}
		if err := s.pass(event.Time); err != nil {
			return err
		}
		s.events = append(s.events, event)
	}
	return nil
}

// Learn receives labels.
func (s *seen) Learn(labels affinity.Labels) error {
	if s.prior == nil {
		return nil
	}
	return s.prior.Learn(labels)
}

// logits returns the prior logits of nodes, nil if there is no prior.
func (s *seen) logits(nodes []int32) *dyngraph.Affinities {
	if s.prior == nil {
		return nil
	}
	return s.prior.Prior(nodes)
}

// pass completes the snapshots that end by a time.
func (s *seen) pass(t float64) error {
	now := s.number(t)
	if now <= s.open {
		return nil
	}
	one, err := s.sum()
	if err != nil {
		return err
	}
	s.over = append(s.over, one)
	for k := max(s.open+1, now-s.inputs); k < now; k++ {
		s.over = append(s.over, &dyngraph.Snapshot{Time: s.first + float64(k)*s.step})
	}
	s.over = s.over[max(0, len(s.over)-s.inputs):]
	s.open, s.events = now, s.events[:0]
	return nil
}

// sum returns the current snapshot.
func (s *seen) sum() (*dyngraph.Snapshot, error) {
	begin := s.first + float64(s.open)*s.step
	one := &dyngraph.Snapshot{Time: begin}
	if len(s.events) == 0 {
		return one, nil
	}
	all := dyngraph.Events(func(yield func(dyngraph.Event, error) bool) {
		for _, event := range s.events {
			if !yield(event, nil) {
				return
			}
		}
	})
	snapshots, err := all.Aggregate(2 * s.step) // one snapshot of all events
	if err != nil {
		return nil, err
	}
	*one = snapshots[0]
	one.Time = begin
	return one, nil
}

// last returns the newest snapshots that a question at a time may know, in the number that the model sees: the complete
// snapshots, and in parity time the current one, which contains events at that time. It returns nil if there is none.
func (s *seen) last(t float64) ([]*dyngraph.Snapshot, error) {
	if math.IsNaN(s.first) {
		return nil, nil
	}
	if err := s.pass(t); err != nil {
		return nil, err
	}
	snapshots := slices.Clone(s.over)
	if len(s.events) > 0 && s.events[len(s.events)-1].Time >= t {
		open, err := s.sum()
		if err != nil {
			return nil, err
		}
		snapshots = append(snapshots, open)
	}
	if len(snapshots) == 0 {
		return nil, nil
	}
	snapshots = snapshots[max(0, len(snapshots)-s.inputs):]
	for len(snapshots) < s.inputs {
		snapshots = append([]*dyngraph.Snapshot{snapshots[0]}, snapshots...)
	}
	return snapshots, nil
}
