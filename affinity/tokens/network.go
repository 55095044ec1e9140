package tokens

import (
	"context"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Network reads the newest events of a node, and is an [affinity.Trainer]. Make one with [New]; Close frees it. It is
// for one goroutine at a time.
type Network struct {
	layers  *layers
	core    *ranker.Ranker
	recent  *ranker.Recent
	history *ranker.History // in place of recent for Hops and for events that are drawn
	seed    uint64          // of events that are drawn
}

// New returns a network with initial parameters for a task.
func New(backend *xla.Backend, c Config, task affinity.Task) (*Network, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	l := newLayers(c, task)
	core, err := ranker.New(backend, "affinity/tokens", task, l.params(), c.Float64, c.Seed)
	if err != nil {
		return nil, err
	}
	n := &Network{layers: l, core: core, seed: c.Seed}
	if err := core.Rank(l.scores, n.events, c.activations()); err != nil {
		core.Close()
		return nil, err
	}
	n.Reset(task)
	return n, nil
}

// Close frees programs and parameters.
func (n *Network) Close() { n.core.Close() }

// Reset forgets all events. Observe and Forecast return an error if the task has another number of nodes or classes
// than the network was made for.
func (n *Network) Reset(task affinity.Task) {
	n.core.Reset(task)
	if n.layers.Encoder == Hops || n.layers.Decay > 0 {
		n.history = ranker.NewHistory(n.layers.task.Nodes)
	} else {
		n.recent = ranker.NewRecent(n.layers.task.Nodes, n.layers.Neighbours)
	}
}

// Learn ignores labels, which only train.
func (n *Network) Learn(affinity.Labels) error { return nil }

// Observe keeps the newest events of each node, or all.
func (n *Network) Observe(events []dyngraph.Event) error {
	for _, e := range events {
		if err := n.core.Check(e.Source, e.Destination); err != nil {
			return err
		}
		if n.history != nil {
			n.history.Insert(e)
		} else {
			n.recent.Insert(e)
		}
	}
	return nil
}

// Forecast writes scores for nodes.
func (n *Network) Forecast(_ context.Context, at float64, nodes []int32, scores []float64) error {
	return n.core.Forecast(at, nodes, scores)
}

// Train draws new parameters and fits them by Config.Training.
func (n *Network) Train(ctx context.Context, past *affinity.Plan) error {
	n.Draw(n.layers.Seed)
	_, err := n.Fit(ctx, past, n.layers.Training)
	return err
}

// Draw draws new parameters; the seed also draws the events of [Walks].
func (n *Network) Draw(seed uint64) {
	n.seed = seed
	n.core.Draw(seed)
}

// Parameters returns the number of learnable entries.
func (n *Network) Parameters() int { return n.core.Size() }

// Fit trains the parameters with an optimiser step for each training question, by the cross-entropy with the answer.
// The validation loss of an epoch is 1 less the mean NDCG of its validation questions; without any the last parameters
// are kept. c.BatchSize and c.Checkpoint have no effect.
func (n *Network) Fit(ctx context.Context, past *affinity.Plan, c train.Config) (*train.Report, error) {
	return n.core.Fit(ctx, n, past, c)
}

var _ affinity.Trainer = (*Network)(nil)
