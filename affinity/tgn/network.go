package tgn

import (
	"context"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// Network is a temporal graph network, an [affinity.Trainer]. Make one with [New]; Close frees it. It is for one
// goroutine at a time.
type Network struct {
	layers  *layers
	backend *xla.Backend
	params  []*tensors.Tensor
	// Scores are the mean NDCG on validation after each epoch of the last training; none without validation questions.
	Scores []float64

	update, embed, rank, gradient *xla.Program
	state
	asked affinity.Task // by Reset
}

// New returns a network with initial parameters for a task.
func New(backend *xla.Backend, c Config, task affinity.Task) (*Network, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if task.Nodes < 1 || task.Classes < 1 {
		return nil, errs.New(ErrInput, "affinity/tgn: a task with %d nodes and %d classes, want 1 or more: take Task of "+
			"affinity.Data", task.Nodes, task.Classes)
	}
	n := &Network{layers: newLayers(c, task), backend: backend}
	declared := n.layers.params()
	if err := nn.Check(declared); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		to    **xla.Program
		name  string
		build func(in []*Node) []*Node
	}{{&n.update, "update", n.layers.buildUpdate}, {&n.embed, "embed", n.layers.buildEmbed},
		{&n.rank, "rank", n.layers.buildRank}, {&n.gradient, "gradient", n.layers.buildGradient}} {
		if *p.to, err = xla.NewProgram(backend, "tgn "+p.name, p.build); err != nil {
			n.Close()
			return nil, err
		}
	}
	n.params = nn.Draw(declared, c.dtype(), c.Seed)
	n.Reset(task)
	return n, nil
}

// Close frees programs and parameters.
func (n *Network) Close() {
	for _, p := range []*xla.Program{n.update, n.embed, n.rank, n.gradient} {
		if p != nil {
			p.Close()
		}
	}
	xla.Free(n.params...)
	n.params = nil
}

// split returns the parameters by name, and the other inputs.
func (l *layers) split(in []*Node) (nn.Values, []*Node) {
	declared := l.params()
	return nn.Bind(declared, in[:len(declared)]), in[len(declared):]
}

// buildUpdate builds new memories from parameters and pending messages.
func (l *layers) buildUpdate(in []*Node) []*Node {
	v, in := l.split(in)
	return []*Node{l.update(v, pendingOf(in))}
}

// buildEmbed builds embeddings, for messages.
func (l *layers) buildEmbed(in []*Node) []*Node {
	v, in := l.split(in)
	return []*Node{l.embedding(v, in)}
}

// buildRank builds scores.
func (l *layers) buildRank(in []*Node) []*Node {
	v, in := l.split(in)
	return []*Node{l.rank(v, l.embedding(v, in))}
}

func (l *layers) embedding(v nn.Values, in []*Node) *Node {
	return l.embedOf(v, l.update(v, pendingOf(in)), eventsOf(in[pendingInputs:]))
}

// buildGradient builds the loss and its gradient; targets and shares come last.
func (l *layers) buildGradient(in []*Node) []*Node {
	count := len(l.params())
	training := *l
	if l.Dropout > 0 {
		training.dropout = nn.Dropout(in[:count])
	}
	v, rest := training.split(in)
	at := pendingInputs + eventInputs
	total := loss(training.rank(v, training.embedding(v, rest[:at])), rest[at], rest[at+1])
	return append([]*Node{total}, Gradient(total, in[:count]...)...)
}

// Reset forgets all events. Observe and Forecast return an error if the task has another number of nodes or classes
// than the network was made for.
func (n *Network) Reset(task affinity.Task) {
	n.state, n.asked = newState(n.layers.Config, n.layers.task), task
}

// check returns an error for another task, or for nodes that the network does not have.
func (n *Network) check(nodes ...int32) error {
	if own := n.layers.task; n.asked.Nodes != own.Nodes || n.asked.Classes != own.Classes {
		return errs.New(ErrInput, "affinity/tgn: %d nodes and %d classes, the network was made for %d and %d: make another "+
			"of Task of the data", n.asked.Nodes, n.asked.Classes, own.Nodes, own.Classes)
	}
	for _, u := range nodes {
		if u < 0 || int(u) >= len(n.messages) {
			return errs.New(ErrInput, "affinity/tgn: node %d, want 0 to %d", u, len(n.messages)-1)
		}
	}
	return nil
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
		if err := n.check(e.Source, e.Destination); err != nil {
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
		if embedded, err = n.ask(n.embed, g.nodes, batch[len(batch)-1].Time); err != nil {
			return err
		}
	}
	updated, err := n.run(n.update, g.pending(n.layers))
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

// ask runs a program on nodes and their events, and returns a row for each node.
func (n *Network) ask(p *xla.Program, nodes []int32, at float64) ([]float64, error) {
	g := newGathered(&n.state)
	events := g.events(n.layers, nodes, at)
	return n.run(p, slices.Concat(g.pending(n.layers), events))
}

// run runs a program with the parameters, frees its inputs and returns the entries of its first output.
func (n *Network) run(p *xla.Program, in []*tensors.Tensor) ([]float64, error) {
	out, err := n.outputs(p, in)
	if err != nil {
		return nil, err
	}
	defer xla.Free(out...)
	return host.Floats(out[0]), nil
}

func (n *Network) outputs(p *xla.Program, in []*tensors.Tensor) ([]*tensors.Tensor, error) {
	defer xla.Free(in...)
	if n.params == nil {
		return nil, errs.New(ErrInput, "affinity/tgn: a closed network")
	}
	inputs := make([]any, 0, len(n.params)+len(in))
	for _, t := range slices.Concat(n.params, in) {
		inputs = append(inputs, t)
	}
	return p.Call(inputs...)
}

// Forecast writes scores for nodes.
func (n *Network) Forecast(_ context.Context, at float64, nodes []int32, scores []float64) error {
	if err := n.check(nodes...); err != nil {
		return err
	}
	made, err := n.ask(n.rank, nodes, at)
	if err == nil {
		copy(scores, made[:len(nodes)*n.layers.task.Classes])
	}
	return err
}
