package learned

import (
	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// example is a question with the snapshots and prior logits of its time, and with its answer if it is known.
type example struct {
	part      affinity.Part
	snapshots []*dyngraph.Snapshot
	prior     *dyngraph.Affinities // nil unless the model corrects it
	answer    *dyngraph.Affinities
}

// examples is a listener that stores the questions of a plan.
type examples struct {
	seen
	all []example
}

// Reset starts again, but keeps the examples.
func (e *examples) Reset(task affinity.Task) { e.seen.reset(task) }

// Ask stores a question, except a question before the first snapshot is complete.
func (e *examples) Ask(q affinity.Question, answer affinity.Labels) error {
	snapshots, err := e.last(q.Time)
	if err != nil || snapshots == nil {
		return err
	}
	e.all = append(e.all, example{part: q.Part, snapshots: snapshots, prior: e.logits(answer.Nodes),
		answer: &answer.Affinities})
	return nil
}

// snapshots returns the distinct snapshots of all examples.
func (e *examples) snapshots() (all []*dyngraph.Snapshot) {
	found := make(map[*dyngraph.Snapshot]bool)
	for _, one := range e.all {
		for _, s := range one.snapshots {
			if !found[s] {
				found[s] = true
				all = append(all, s)
			}
		}
	}
	return all
}

// window returns the example as a window of its own series: the inputs, and a snapshot that is not seen.
func (e example) window(task affinity.Task, p *pattern) (dyngraph.Window, error) {
	inputs := len(e.snapshots)
	s := &dyngraph.Series{Name: "affinity", Pattern: p.Pattern, FeatureSize: 1, Classes: task.Classes,
		Affinities: make([]*dyngraph.Affinities, inputs+1)}
	for k := range inputs + 1 {
		s.Times, s.Features = append(s.Times, float64(k)), append(s.Features, p.ones)
		if k < inputs {
			s.Weights = append(s.Weights, p.weights(e.snapshots[k]))
		}
	}
	s.Weights = append(s.Weights, s.Weights[inputs-1])
	s.Affinities[inputs] = e.answer
	if e.prior != nil {
		s.Prior = make([]*dyngraph.Affinities, inputs+1)
		s.Prior[inputs-1] = e.prior
	}
	return dyngraph.Window{Series: s, Length: inputs + 1}, s.Validate()
}
