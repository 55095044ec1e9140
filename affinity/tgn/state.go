package tgn

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// state is what events left behind.
type state struct {
	width    int
	memories []float64 // [nodes, width]
	messages []message // by node
	recent   *ranker.Recent
}

// message is the newest event of a node, which its memory has not taken up.
type message struct {
	has          bool
	peer         int32
	time, weight float64
	since        float64   // from the event before, or from time 0
	embedded     []float64 // embedding of the peer, if messages have one
}

func newState(c Config, task affinity.Task) state {
	return state{c.Width, make([]float64, task.Nodes*c.Width), make([]message, task.Nodes),
		ranker.NewRecent(task.Nodes, c.Neighbours)}
}

func (s *state) memory(u int32) []float64 { return s.memories[int(u)*s.width : (int(u)+1)*s.width] }

// keep stores the updated memories of gathered nodes.
func (s *state) keep(g *gathered, updated []float64) {
	for i, u := range g.nodes {
		copy(s.memory(u), updated[i*s.width:])
	}
}

// leave leaves the message of an event at a node. Of several events of a batch the last one counts.
func (s *state) leave(at, peer int32, e dyngraph.Event, g *gathered, embedded []float64) {
	m := message{has: true, peer: peer, time: e.Time, weight: e.Weight, since: e.Time - g.before[g.rows[at]]}
	if embedded != nil {
		row := g.rows[peer] * s.width
		m.embedded = slices.Clone(embedded[row : row+s.width]) // not the whole batch
	}
	s.messages[at] = m
}

// gathered are nodes whose memories a program needs, in rows.
type gathered struct {
	*state
	nodes  []int32
	rows   map[int32]int
	before []float64 // by row: time of the newest event when the node was gathered, or 0
}

func newGathered(s *state) *gathered { return &gathered{state: s, rows: make(map[int32]int)} }

// row returns the row of a node.
func (g *gathered) row(u int32) int {
	row, found := g.rows[u]
	if !found {
		row = len(g.nodes)
		g.rows[u], g.nodes, g.before = row, append(g.nodes, u), append(g.before, g.messages[u].time)
	}
	return row
}

// pending returns the inputs of [pendingOf].
func (g *gathered) pending(n *Network) []*tensors.Tensor {
	k, w := ranker.Padded(len(g.nodes)), g.width
	memory, other := make([]float64, k*w), make([]float64, k*w)
	weight, since, has := make([]float64, k), make([]float64, k), make([]float64, k)
	node, peer := make([]int32, k), make([]int32, k)
	for i, u := range g.nodes {
		copy(memory[i*w:], g.memory(u))
		m := g.messages[u]
		if node[i] = u; !m.has {
			continue
		}
		weight[i], since[i], has[i], peer[i] = m.weight, m.since, 1, m.peer
		if m.embedded != nil {
			copy(other[i*w:], m.embedded)
		} else {
			copy(other[i*w:], g.memory(m.peer))
		}
	}
	column := func(x []float64, dims ...int) *tensors.Tensor {
		return n.core.Tensor(x, append([]int{k}, dims...)...)
	}
	return []*tensors.Tensor{column(memory, w), column(other, w), column(weight, 1), column(since, 1), column(has, 1),
		tensors.FromValue(node), tensors.FromValue(peer)}
}

// events returns the inputs of [eventsOf] for nodes at a time. It gathers them and the other nodes of their events, so
// it comes before pending.
func (g *gathered) events(n *Network, nodes []int32, at float64) []*tensors.Tensor {
	q, k := ranker.Padded(len(nodes)), n.layers.Neighbours
	age, weight, there := make([]float64, q*k), make([]float64, q*k), make([]float64, q*k)
	node, peer, since := make([]int32, q), make([]int32, q*k), make([]float64, q)
	for i, u := range nodes {
		node[i] = int32(g.row(u))
		since[i] = g.messages[u].time - at
		g.recent.Each(u, func(j int, c ranker.Contact) {
			slot := i*k + j
			peer[slot] = int32(g.row(c.Other))
			age[slot], weight[slot], there[slot] = g.messages[c.Other].time-c.Time, c.Weight, 1
		})
	}
	real := n.core.Tensor
	return []*tensors.Tensor{tensors.FromValue(node), tensors.FromFlatDataAndDimensions(peer, q, k), real(age, q, k, 1),
		real(weight, q, k, 1), real(there, q, k), real(since, q, 1)}
}
