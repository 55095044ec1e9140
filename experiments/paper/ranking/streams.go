package ranking

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/tgn"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// streamNetwork is a network that learns from a stream of events.
type streamNetwork interface {
	affinity.Forecaster
	Draw(seed uint64)
	Fit(ctx context.Context, past *affinity.Plan, c train.Config) (*train.Report, error)
	Parameters() int
	Close()
}

// streamRow is what a row has whose network learns from a stream of events. Settings are its identity.
type streamRow struct {
	settings map[string]any
	make     func(*xla.Backend, affinity.Task) (streamNetwork, error)
}

// by reports whether a protocol has the row: a network that learns from a stream has no use for windows.
func (r affinityRow) by(p Protocol) bool { return r.stream == nil || p != RandomWindows }

// learner returns the network as a learner of the study.
func (r *streamRow) learner(backend *xla.Backend, task affinity.Task) (experiments.Learner, error) {
	network, err := r.make(backend, task)
	if err != nil {
		return nil, err
	}
	return &streamLearner{network: network}, nil
}

// streamLearner trains on a plan, which is set before Fit, and not on windows.
type streamLearner struct {
	experiments.Learner // nil: nothing calls the methods that are not below
	network             streamNetwork
	past                *affinity.Plan
}

// Fit implements [experiments.Learner].
func (l *streamLearner) Fit(ctx context.Context, _, _ []dyngraph.Window, c train.Config) (*train.Report, error) {
	return l.network.Fit(ctx, l.past, c)
}

func (l *streamLearner) Parameters() int   { return l.network.Parameters() }
func (l *streamLearner) Reset(seed uint64) { l.network.Draw(seed) }
func (l *streamLearner) Close()            { l.network.Close() }

// streamNote explains these rows.
func (s affinitySize) streamNote() string {
	return fmt.Sprintf(prose.Text("streams"), s.memory, s.stream.AdamW.LearningRate, s.stream.Epochs)
}

// streams lists the rows of networks that learn from a stream of events.
func (s affinitySize) streams() (all []affinityRow) {
	for _, n := range []struct {
		id, note string
		config   tgn.Config
	}{{"jodie", "", tgn.JODIE()}, {"dyrep", "", tgn.DyRep()}, {"tgn", s.streamNote(), tgn.TGN()},
		{"tgnv2", "", tgn.TGNv2()}} {
		if s.without(n.id) {
			continue
		}
		c := n.config
		c.Width = s.memory
		all = append(all, affinityRow{Row: experiments.Row{ID: n.id, Name: catalogue.Must(n.id).Name, Note: n.note,
			Train: s.stream}, stream: &streamRow{map[string]any{"network": "affinity/tgn", "settings": c},
			func(backend *xla.Backend, task affinity.Task) (streamNetwork, error) {
				return tgn.New(backend, c, task)
			}}})
	}
	return all
}
