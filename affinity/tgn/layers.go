package tgn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// network holds the parts of a network for a task.
type network struct {
	Config
	task             affinity.Task
	clock            nn.Linear // of a time, before the cosine
	input, state     nn.Linear // of the cell: gates of a message and of a memory
	query, key       nn.Linear
	value, edge      nn.Linear // edge has no bias
	skip, projection nn.Linear
	hidden, out      nn.Linear // of the ranking
	dropout          func(x *Node, rate float64) *Node
}

func newNetwork(c Config, task affinity.Task) *network {
	w, gates := c.Width, 1
	if c.Updater == GRU {
		gates = 3
	}
	message := 3*w + 1
	if c.Identities {
		message += 2 * w
	}
	linear := func(name string, in, out int) nn.Linear { return nn.Linear{Name: name, In: in, Out: out} }
	return &network{Config: c, task: task, dropout: nn.KeepAll, clock: linear("time", 1, w),
		input: linear("updater.input", message, gates*w), state: linear("updater.state", w, gates*w),
		query: linear("attention.query", w, w), key: linear("attention.key", w, w), value: linear("attention.value", w, w),
		edge: linear("attention.edge", w+1, w), skip: linear("attention.skip", w, w), projection: linear("projection", 1, w),
		hidden: linear("ranking.hidden", w, w), out: linear("ranking.out", w, task.Classes)}
}

const identities = "identities"

// params declares the parameters of the parts that the settings use.
func (n *network) params() []nn.Param {
	params := nn.ParamsOf(n.clock)
	for _, p := range nn.ParamsOf(n.input, n.state) {
		p.Init = nn.Uniform(1 / math.Sqrt(float64(n.Width))) // of both, as in PyTorch
		params = append(params, p)
	}
	if n.Identities {
		params = append(params, nn.Param{Name: identities, Dims: []int{n.task.Nodes, n.Width}, Init: nn.Normal(1)})
	}
	if n.Embedding == Attention || n.EmbeddedMessages {
		params = append(params, nn.ParamsOf(n.query, n.key, n.value)...)
		params = append(params, n.edge.Params()[0])
		params = append(params, nn.ParamsOf(n.skip)...)
	}
	if n.Embedding == Projection {
		params = append(params, nn.ParamsOf(n.projection)...)
	}
	return append(params, nn.ParamsOf(n.hidden, n.out)...)
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
func (n *network) encode(v nn.Values, t *Node) *Node { return Cos(n.clock.Apply(v, t)) }

// update returns the memories [K, Width] with their messages. A node without a message gets a message of zeros, as
// published.
func (n *network) update(v nn.Values, p pending) *Node {
	parts := []*Node{p.memory, p.other, p.weight, n.encode(v, p.since)}
	if n.Identities {
		table := v.Get(identities)
		parts = append(parts, rows(table, p.node), rows(table, p.peer))
	}
	x := n.input.Apply(v, Mul(Concatenate(parts, -1), p.has))
	h := n.state.Apply(v, p.memory)
	if n.Updater == RNN {
		return Tanh(Add(x, h))
	}
	gate := func(of *Node, k int) *Node { return Slice(of, AxisRange(), AxisRange(k*n.Width, (k+1)*n.Width)) }
	reset, keep := Sigmoid(Add(gate(x, 0), gate(h, 0))), Sigmoid(Add(gate(x, 1), gate(h, 1)))
	fresh := Tanh(Add(gate(x, 2), Mul(reset, gate(h, 2))))
	return Add(fresh, Mul(keep, Sub(p.memory, fresh)))
}

// rows returns the rows of x [n, w] at indices [...]: [..., w].
func rows(x, indices *Node) *Node { return Gather(x, ExpandAxes(indices, -1)) }

// events are the newest events of Q nodes, as inputs of programs: up to Neighbours k of each.
type events struct {
	node         *Node // [Q], the row of each node
	peer         *Node // [Q, k], the row of the other node
	age, weight  *Node // [Q, k, 1]: from the event to the newest of the other node, and negative as published; its weight
	there, since *Node // [Q, k]: 1 where there is an event; [Q, 1]: from the question to the newest event, negative
}

const eventInputs = 6

func eventsOf(in []*Node) events {
	return events{node: in[0], peer: in[1], age: in[2], weight: in[3], there: in[4], since: in[5]}
}

// embedOf returns the embeddings [Q, Width] of nodes from memories [K, Width].
func (n *network) embedOf(v nn.Values, memory *Node, e events) *Node {
	if n.Embedding == Projection {
		x := rows(memory, e.node)
		return Mul(x, OnePlus(n.projection.Apply(v, e.since)))
	}
	return n.attend(v, memory, e)
}

// attend is the transformer convolution.
func (n *network) attend(v nn.Values, memory *Node, e events) *Node {
	q, width := e.peer.Shape().Dim(0), n.Width/n.Heads
	x, peers := rows(memory, e.node), rows(memory, e.peer)
	edge := v.Product(Concatenate([]*Node{n.encode(v, e.age), e.weight}, -1), v.Get(n.edge.Name+".weight"), 1)
	heads := func(y *Node) *Node { return Reshape(y, q, -1, n.Heads, width) } // [Q, k or 1, Heads, width]
	query := heads(n.query.Apply(v, x))
	keys, values := heads(Add(n.key.Apply(v, peers), edge)), heads(Add(n.value.Apply(v, peers), edge))
	score := DivScalar(ReduceSum(Mul(query, keys), -1), math.Sqrt(float64(width))) // [Q, k, Heads]
	there := ExpandAxes(e.there, -1)
	score = Add(score, MulScalar(OneMinus(there), -1e9))
	share := n.dropout(Mul(Softmax(score, 1), there), n.Dropout) // without events the shares are 0
	mixed := Reshape(ReduceSum(Mul(ExpandAxes(share, -1), values), 1), q, n.Width)
	return Add(mixed, n.skip.Apply(v, x))
}

// rank returns the scores [Q, Classes] of embeddings.
func (n *network) rank(v nn.Values, z *Node) *Node {
	return n.out.Apply(v, nn.ReLU(n.hidden.Apply(v, z)))
}

// loss is the sum over nodes of shares [Q, 1] times the cross-entropy of scores with targets [Q, Classes].
func loss(scores, targets, shares *Node) *Node {
	return Neg(ReduceAllSum(Mul(shares, Mul(targets, LogSoftmax(scores, -1)))))
}
