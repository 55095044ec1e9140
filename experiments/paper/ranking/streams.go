package ranking

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/tgn"
	"github.com/peng-cde/pengcde-go/affinity/tokens"
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

// streams lists the rows of networks that learn from a stream of events.
func (s affinitySize) streams() (all []affinityRow) {
	add := func(id, note string, training train.Config, settings map[string]any,
		create func(*xla.Backend, affinity.Task) (streamNetwork, error)) {
		if !s.without(id) {
			all = append(all, affinityRow{Row: experiments.Row{ID: id, Name: catalogue.Must(id).Name, Note: note,
				Train: training}, stream: &streamRow{settings, create}})
		}
	}
	memory := func(id, note string, c tgn.Config) {
		c.Width = s.memory
		add(id, note, s.memoryTraining, map[string]any{"network": "affinity/tgn", "settings": c},
			func(backend *xla.Backend, task affinity.Task) (streamNetwork, error) {
				return tgn.New(backend, c, task)
			})
	}
	sequence := func(id, note string, c tokens.Config) {
		c.Width, c.TimeWidth = s.tokens, min(s.tokens, 100)
		if c.Encoder == tokens.Patches {
			c.Channel = s.channel
		}
		add(id, note, s.tokenTraining, map[string]any{"network": "affinity/tokens", "settings": c},
			func(backend *xla.Backend, task affinity.Task) (streamNetwork, error) {
				return tokens.New(backend, c, task)
			})
	}
	memory("jodie", "", tgn.JODIE())
	memory("dyrep", "", tgn.DyRep())
	memory("tgn", fmt.Sprintf(prose.Text("memories"), s.memory, s.memoryTraining.AdamW.LearningRate,
		s.memoryTraining.Epochs), tgn.TGN())
	memory("tgnv2", "", tgn.TGNv2())
	sequence("tgat", "", tokens.TGAT())
	sequence("cawn", "", tokens.CAWN())
	sequence("graphmixer", fmt.Sprintf(prose.Text("tokens"), s.tokens, s.channel,
		s.tokenTraining.AdamW.LearningRate, s.tokenTraining.Epochs), tokens.GraphMixer())
	sequence("tcl", "", tokens.TCL())
	sequence("dygformer", "", tokens.DyGFormer())
	return all
}
