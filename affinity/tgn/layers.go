package tgn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// layers are the parts of a network for a task.
type layers struct {
	Config
	task             affinity.Task
	clock, number    nn.Linear // of a time and of a node's number, before the cosine
	input, state     nn.Linear // of the cell: gates of a message and of a memory
	query, key       nn.Linear
	value, edge      nn.Linear // edge has no bias
	skip, projection nn.Linear
	head             ranker.Head
}

func newLayers(c Config, task affinity.Task) *layers {
	w, gates := c.Width, 1
	if c.Updater == GRU {
		gates = 3
	}
	message := 3*w + 1
	if c.SourceTarget {
		message += 2 * w
	}
	linear := func(name string, in, out int) nn.Linear { return nn.Linear{Name: name, In: in, Out: out} }
	return &layers{Config: c, task: task, clock: linear("time", 1, w), number: linear("number", 1, w),
		input: linear("updater.input", message, gates*w), state: linear("updater.state", w, gates*w),
		query: linear("attention.query", w, w), key: linear("attention.key", w, w), value: linear("attention.value", w, w),
		edge: linear("attention.edge", w+1, w), skip: linear("attention.skip", w, w), projection: linear("projection", 1, w),
		head: ranker.NewHead(w, task.Classes)}
}

// params declares the parameters of the parts that the settings use.
func (l *layers) params() []nn.Param {
	params := nn.ParamsOf(l.clock)
	for _, p := range nn.ParamsOf(l.input, l.state) {
		p.Init = nn.Uniform(1 / math.Sqrt(float64(l.Width))) // of both, as in PyTorch
		params = append(params, p)
	}
	if l.SourceTarget {
		params = append(params, nn.ParamsOf(l.number)...)
	}
	if l.Embedding == Attention {
		params = append(params, nn.ParamsOf(l.query, l.key, l.value)...)
		params = append(params, l.edge.Params()[0])
		params = append(params, nn.ParamsOf(l.skip)...)
	}
	if l.Embedding == Projection {
		params = append(params, nn.ParamsOf(l.projection)...)
	}
	return append(params, l.head.Params()...)
}

// pending are nodes with the messages that their memories have not taken up, as inputs of programs: K of each.
type pending struct {
	memory, other *Node // [K, Width]
	weight, since *Node // [K, 1]: of the event; from the event before to this one
	has           *Node // [K, 1]: 1 for a node with a message, 0 for one without any event
	node, peer    *Node // [K], integers
}

const pendingInputs = 7

func pendingOf(in []*Node) pending {
	return pending{memory: in[0], other: in[1], weight: in[2], since: in[3], has: in[4], node: in[5], peer: in[6]}
}

// encode returns the encoding [..., Width] of times [..., 1].
func (l *layers) encode(v nn.Values, t *Node) *Node { return Cos(l.clock.Apply(v, t)) }

// identify returns the encoding [K, Width] of the numbers [K] of nodes.
func (l *layers) identify(v nn.Values, node *Node, dtype dtypes.DType) *Node {
	return Cos(l.number.Apply(v, ConvertDType(ExpandAxes(node, -1), dtype)))
}

// update returns the memories [K, Width] with their messages. A node without a message gets a message of zeros, as
// published.
func (l *layers) update(v nn.Values, p pending) *Node {
	parts := []*Node{p.memory, p.other, p.weight, l.encode(v, p.since)}
	if l.SourceTarget {
		dtype := p.memory.DType()
		parts = append(parts, l.identify(v, p.node, dtype), l.identify(v, p.peer, dtype))
	}
	x := l.input.Apply(v, Mul(Concatenate(parts, -1), p.has))
	h := l.state.Apply(v, p.memory)
	if l.Updater == RNN {
		return Tanh(Add(x, h))
	}
	gate := func(of *Node, k int) *Node { return Slice(of, AxisRange(), AxisRange(k*l.Width, (k+1)*l.Width)) }
	reset, keep := Sigmoid(Add(gate(x, 0), gate(h, 0))), Sigmoid(Add(gate(x, 1), gate(h, 1)))
	fresh := Tanh(Add(gate(x, 2), Mul(reset, gate(h, 2))))
	return Add(fresh, Mul(keep, Sub(p.memory, fresh)))
}

// events are the newest events of Q nodes, as inputs of programs: up to Neighbours k of each.
type events struct {
	node         *Node // [Q], the row of each node
	peer         *Node // [Q, k], the row of the other node
	age, weight  *Node // [Q, k, 1]: from the event to the newest of the other node, and negative as published; its weight
	there, since *Node // [Q, k]: 1 where there is an event; [Q, 1]: from the question to the newest event, negative
}

func eventsOf(in []*Node) events {
	return events{node: in[0], peer: in[1], age: in[2], weight: in[3], there: in[4], since: in[5]}
}

// embedOf returns the embeddings [Q, Width] of nodes from memories [K, Width].
func (l *layers) embedOf(v nn.Values, memory *Node, e events, dropout ranker.Dropout) *Node {
	if l.Embedding == Projection {
		x := ranker.Rows(memory, e.node)
		return Mul(x, OnePlus(l.projection.Apply(v, e.since)))
	}
	return l.attend(v, memory, e, dropout)
}

// attend is the transformer convolution.
func (l *layers) attend(v nn.Values, memory *Node, e events, dropout ranker.Dropout) *Node {
	q, width := e.peer.Shape().Dim(0), l.Width/l.Heads
	x, peers := ranker.Rows(memory, e.node), ranker.Rows(memory, e.peer)
	edge := v.Product(Concatenate([]*Node{l.encode(v, e.age), e.weight}, -1), v.Get(l.edge.Name+".weight"), 1)
	heads := func(y *Node) *Node { return Reshape(y, q, -1, l.Heads, width) } // [Q, k or 1, Heads, width]
	query := heads(l.query.Apply(v, x))
	keys, values := heads(Add(l.key.Apply(v, peers), edge)), heads(Add(l.value.Apply(v, peers), edge))
	score := DivScalar(ReduceSum(Mul(query, keys), -1), math.Sqrt(float64(width))) // [Q, k, Heads]
	there := ExpandAxes(e.there, -1)
	score = Add(score, MulScalar(OneMinus(there), -1e9))
	share := dropout(Mul(Softmax(score, 1), there), l.Dropout) // without events the shares are 0
	mixed := Reshape(ReduceSum(Mul(ExpandAxes(share, -1), values), 1), q, l.Width)
	return Add(mixed, l.skip.Apply(v, x))
}
