package tokens

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// encoder reads the events of Q nodes.
type encoder interface {
	Params() []nn.Param
	// apply returns the embeddings [Q, Width].
	apply(v nn.Values, e events, drop func(*Node) *Node) *Node
}

// layers are the parts of a network for a task.
type layers struct {
	Config
	task    affinity.Task
	encoder encoder
	head    ranker.Head
}

func newLayers(c Config, task affinity.Task) *layers {
	l := &layers{Config: c, task: task, head: ranker.NewHead(c.Width, task.Classes)}
	switch c.Encoder {
	case Mixer:
		l.encoder = newGraphMixer(c)
	case Transformer:
		l.encoder = newTCL(c)
	case Patches:
		l.encoder = newDyGFormer(c)
	case Hops:
		l.encoder = newTGAT(c)
	case Walks:
		l.encoder = newCAWN(c)
	}
	return l
}

// outputOf is the last map of most encoders.
func outputOf(c Config, width int) nn.Linear {
	return nn.Linear{Name: "output", In: width, Out: c.Width}
}

// identities are the features of nodes.
const identities = "identities"

func (l *layers) params() (params []nn.Param) {
	if l.Identities {
		params = append(params, nn.Param{Name: identities, Dims: []int{l.task.Nodes, l.Width}, Init: nn.Normal(1)})
	}
	return append(append(params, l.encoder.Params()...), l.head.Params()...)
}

// scores returns the scores [Q, Classes] of nodes.
func (l *layers) scores(v nn.Values, in []*Node, dropout ranker.Dropout) *Node {
	drop := func(x *Node) *Node { return dropout(x, l.Dropout) }
	return l.head.Apply(v, l.encoder.apply(v, eventsOf(in), drop))
}

// events are the newest events of Q nodes, as inputs of programs: Neighbours k of each, in order of time.
type events struct {
	node        *Node // [Q]
	peer        *Node // [Q, k]
	age, weight *Node // [Q, k, 1]: from the event to the question; its weight
	there       *Node // [Q, k]: 1 where there is an event, else all entries of it are 0
	// earlier are the events before each of the events of its other node, with k as the first axis behind Q; nil unless
	// the encoder is Hops. Its ages are to the event. The age of an empty slot is the time itself there and here, as
	// published.
	earlier *events
}

func eventsOf(in []*Node) events {
	e := events{node: in[0], peer: in[1], age: in[2], weight: in[3], there: in[4]}
	if len(in) > 5 {
		e.earlier = &events{peer: in[5], age: in[6], weight: in[7], there: in[8]}
	}
	return e
}

// withNode puts the node itself before its events, as an event of weight 0 at the question: k+1 events.
func (e events) withNode() events {
	zero := ZerosLike(Slice(e.age, AxisRange(), AxisElem(0)))
	first := func(x, rest *Node) *Node { return Concatenate([]*Node{x, rest}, 1) }
	return events{node: e.node, peer: first(ExpandAxes(e.node, -1), e.peer), age: first(zero, e.age),
		weight: first(zero, e.weight), there: first(OnePlus(Squeeze(zero, -1)), e.there)}
}
