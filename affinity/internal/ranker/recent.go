package ranker

import "github.com/peng-cde/pengcde-go/dyngraph"

// Recent keeps the newest events of each node: inserting an event takes the same time for all nodes, and memory is
// bounded by their number. A node's events never include one that was not inserted yet.
type Recent struct {
	most  int
	rings []ring // by node
}

// Contact is an event as one of its nodes sees it.
type Contact struct {
	Other        int32
	Time, Weight float64
}

// ring holds contacts, the oldest at an index once it is full.
type ring struct {
	contacts []Contact
	oldest   int
}

// NewRecent returns a store for nodes 0 to nodes-1 that keeps the given number of events of each, at least 1. Insert
// panics for another node.
func NewRecent(nodes, most int) *Recent { return &Recent{most, make([]ring, nodes)} }

// Insert adds an event to both of its nodes. Events come in order of time.
func (r *Recent) Insert(e dyngraph.Event) {
	r.add(e.Source, Contact{e.Destination, e.Time, e.Weight})
	r.add(e.Destination, Contact{e.Source, e.Time, e.Weight})
}

func (r *Recent) add(node int32, c Contact) {
	ring := &r.rings[node]
	if len(ring.contacts) < r.most {
		ring.contacts = append(ring.contacts, c)
		return
	}
	ring.contacts[ring.oldest] = c
	ring.oldest = (ring.oldest + 1) % r.most
}

// Count returns the number of events of a node that are kept.
func (r *Recent) Count(node int32) int { return len(r.rings[node].contacts) }

// Each calls f for the events of a node, the oldest first.
func (r *Recent) Each(node int32, f func(i int, c Contact)) {
	ring := r.rings[node]
	for i := range ring.contacts {
		f(i, ring.contacts[(ring.oldest+i)%len(ring.contacts)])
	}
}
