package ranker

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// History keeps all events of each node, for networks that ask what a node's events were at an earlier time, or draw
// some of them.
type History struct{ contacts [][]Contact }

// NewHistory returns a store for nodes 0 to nodes-1. Insert panics for another node.
func NewHistory(nodes int) *History { return &History{make([][]Contact, nodes)} }

// Insert adds an event to both of its nodes. Events come in order of time.
func (h *History) Insert(e dyngraph.Event) {
	h.contacts[e.Source] = append(h.contacts[e.Source], Contact{e.Destination, e.Time, e.Weight})
	h.contacts[e.Destination] = append(h.contacts[e.Destination], Contact{e.Source, e.Time, e.Weight})
}

// Newest returns at most a number of newest events of a node, the oldest first.
func (h *History) Newest(node int32, most int) []Contact { return newest(h.contacts[node], most) }

// Before is [History.Newest] of the events before a time.
func (h *History) Before(node int32, at float64, most int) []Contact {
	all := h.contacts[node]
	return newest(all[:sort.Search(len(all), func(i int) bool { return all[i].Time >= at })], most)
}

// Draw draws a number of events of a node with replacement, each with a probability proportional to exp(decay t) at
// time t. They are in order of time; there are none of a node without events.
func (h *History) Draw(node int32, count int, decay float64, random *rand.Rand) []Contact {
	all := h.contacts[node]
	if len(all) == 0 {
		return nil
	}
	last, total, sums := all[len(all)-1].Time, 0.0, make([]float64, len(all))
	for i, c := range all {
		total += math.Exp(decay * (c.Time - last))
		sums[i] = total
	}
	indices := make([]int, count)
	for k := range indices {
		at := random.Float64() * total
		indices[k] = min(sort.Search(len(all), func(i int) bool { return sums[i] > at }), len(all)-1)
	}
	slices.Sort(indices)
	drawn := make([]Contact, count)
	for k, i := range indices {
		drawn[k] = all[i]
	}
	return drawn
}

func newest(contacts []Contact, most int) []Contact { return contacts[max(0, len(contacts)-most):] }
