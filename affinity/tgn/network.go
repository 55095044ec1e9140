package tgn

import (
	"context"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// Network is a temporal graph network, an [affinity.Trainer]. Make one with [New]; Close frees it. It is for one
// goroutine at a time.
type Network struct {
	layers        *layers
	core          *ranker.Ranker
	update, embed *xla.Program
	state
}

// New returns a network with initial parameters for a task.
func New(backend *xla.Backend, c Config, task affinity.Task) (*Network, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	l := newLayers(c, task)
	core, err := ranker.New(backend, "affinity/tgn", task, l.params(), c.Float64, c.Seed)
	if err != nil {
		return nil, err
	}
	n := &Network{layers: l, core: core, state: newState(c, task)}
	if n.update, err = core.Program("update", l.buildUpdate); err == nil {
		n.embed, err = core.Program("embed", l.buildEmbed)
	}
	if err == nil {
		err = core.Rank(l.buildRank, n.inputs, c.activations())
	}
	if err != nil {
		core.Close()
		return nil, err
	}
	return n, nil
}

// Close frees programs and parameters.
func (n *Network) Close() { n.core.Close() }

// buildUpdate builds new memories from pending messages.
func (l *layers) buildUpdate(v nn.Values, in []*Node, _ ranker.Dropout) *Node {
	return l.update(v, pendingOf(in))
}

// buildEmbed builds embeddings.
func (l *layers) buildEmbed(v nn.Values, in []*Node, dropout ranker.Dropout) *Node {
	return l.embedOf(v, l.update(v, pendingOf(in)), eventsOf(in[pendingInputs:]), dropout)
}

// buildRank builds scores.
func (l *layers) buildRank(v nn.Values, in []*Node, dropout ranker.Dropout) *Node {
	return l.head.Apply(v, l.buildEmbed(v, in, dropout))
}

// Reset forgets all events. Observe and Forecast return an error if the task has another number of nodes or classes
// than the network was made for.
func (n *Network) Reset(task affinity.Task) {
	n.core.Reset(task)
	n.state = newState(n.layers.Config, n.layers.task)
}

// Learn ignores labels, which only train.
func (n *Network) Learn(affinity.Labels) error { return nil }

// Observe updates memories and leaves messages, for each Batch of events.
func (n *Network) Observe(all []dyngraph.Event) error {
	for batch := range slices.Chunk(all, n.layers.Batch) {
		if err := n.observe(batch); err != nil {
			return err
		}
	}
	return nil
}

func (n *Network) observe(batch []dyngraph.Event) error {
	for _, e := range batch {
		if err := n.core.Check(e.Source, e.Destination); err != nil {
			return err
		}
	}
	g := newGathered(&n.state)
	for _, e := range batch {
		g.row(e.Source)
		g.row(e.Destination)
	}
	var embedded []float64
	if n.layers.EmbeddedMessages {
		var err error
		if embedded, err = n.core.Run(n.embed, n.inputs(g.nodes, batch[len(batch)-1].Time, 0)); err != nil {
			return err
		}
	}
	updated, err := n.core.Run(n.update, g.pending(n))
	if err != nil {
		return err
	}
	n.keep(g, updated)
	for _, e := range batch {
		n.leave(e.Source, e.Destination, e, g, embedded)
		n.leave(e.Destination, e.Source, e, g, embedded)
		n.recent.Insert(e)
	}
	return nil
}

// inputs returns the inputs of programs about nodes and their events at a time.
func (n *Network) inputs(nodes []int32, at float64, _ int) []*tensors.Tensor {
	g := newGathered(&n.state)
	events := g.events(n, nodes, at)
	return slices.Concat(g.pending(n), events)
}

// Forecast writes scores for nodes.
func (n *Network) Forecast(_ context.Context, at float64, nodes []int32, scores []float64) error {
	return n.core.Forecast(at, nodes, scores)
}
