package graphs

import (
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Events change a graph: at each event every ordered pair (i, j) of nodes, i = j too, loses its edge with probability
// Drop and then gains one with probability Add, each pair on its own. So a graph becomes directed and gets self-loops.
// Time and memory are O(edges), since pairs that nothing happens to are skipped over.
type Events struct {
	// The zero Events have 0.02 and 0.001. Where one is set both are taken as they are. Add gives Add n² edges an
	// event: for large graphs let it fall as 1/n.
	Drop, Add float64
}

// Apply lets count events happen to a graph one after the other. It returns the union pattern and the weights
// [count+1][edges], 1 or 0, of the graph as given and after each event, as [dyngraph.Normalisation.Apply] takes them.
func (e Events) Apply(graph *dyngraph.Pattern, count int, rng *rand.Rand) (*dyngraph.Pattern, [][]float64, error) {
	if e == (Events{}) {
		e = Events{Drop: 0.02, Add: 0.001}
	}
	if err := checkPattern(graph); err != nil {
		return nil, nil, err
	}
	if err := checkProbabilities("events", e.Drop, e.Add); err != nil {
		return nil, nil, err
	}
	if count < 0 {
		return nil, nil, invalid("%d events, want 0 or more", count)
	}
	n, events := float64(graph.Nodes), float64(count)
	if err := checkSize("snapshots of a graph", (events+1)*(float64(graph.Edges())+events*e.Add*n*n)); err != nil {
		return nil, nil, err
	}
	history := []*dyngraph.Pattern{graph}
	pattern := graph
	for k := range count {
		kept, added := e.happen(history[k], rng)
		history, pattern = append(history, union(kept, added)), union(pattern, added)
	}
	snapshots := make([][]float64, len(history))
	for k, snapshot := range history {
		snapshots[k] = indicator(pattern, snapshot)
	}
	return pattern, snapshots, nil
}

// happen draws which edges one more event keeps, and the pairs that it joins, kept or not.
func (e Events) happen(p *dyngraph.Pattern, rng *rand.Rand) (kept, added *dyngraph.Pattern) {
	kept = noEdges(p.Nodes, p.Edges())
	keep := func(from, to int64) { // all edges but that at to
		kept.From, kept.To = append(kept.From, p.From[from:to]...), append(kept.To, p.To[from:to]...)
	}
	next := int64(0)
	for dropped := range successes(e.Drop, int64(p.Edges()), rng) {
		keep(next, dropped)
		next = dropped + 1
	}
	keep(next, int64(p.Edges()))

	n := int64(p.Nodes)
	added = noEdges(p.Nodes, 0)
	for pair := range successes(e.Add, n*n, rng) {
		added.From, added.To = append(added.From, int32(pair/n)), append(added.To, int32(pair%n))
	}
	return kept, added
}

// noEdges is a pattern without edges, with capacity for some.
func noEdges(nodes, edges int) *dyngraph.Pattern {
	return &dyngraph.Pattern{Nodes: nodes, From: make([]int32, 0, edges), To: make([]int32, 0, edges)}
}

// union merges two patterns of the same nodes.
func union(a, b *dyngraph.Pattern) *dyngraph.Pattern {
	u := noEdges(a.Nodes, a.Edges()+b.Edges())
	i, j := 0, 0
	for i < a.Edges() && j < b.Edges() {
		order := compare(a, i, b, j)
		if order <= 0 {
			u.From, u.To = append(u.From, a.From[i]), append(u.To, a.To[i])
			i++
		} else {
			u.From, u.To = append(u.From, b.From[j]), append(u.To, b.To[j])
		}
		if order >= 0 {
			j++
		}
	}
	u.From, u.To = append(u.From, a.From[i:]...), append(u.To, a.To[i:]...)
	u.From, u.To = append(u.From, b.From[j:]...), append(u.To, b.To[j:]...)
	return u
}

// indicator is 1 at the edges of p that its subset has, else 0.
func indicator(p, subset *dyngraph.Pattern) []float64 {
	weights := make([]float64, p.Edges())
	e := 0
	for k := range subset.From {
		for compare(p, e, subset, k) != 0 {
			e++
		}
		weights[e] = 1
	}
	return weights
}

// compare orders edge i of a and edge j of b by (from, to).
func compare(a *dyngraph.Pattern, i int, b *dyngraph.Pattern, j int) int {
	if order := int(a.From[i]) - int(b.From[j]); order != 0 {
		return order
	}
	return int(a.To[i]) - int(b.To[j])
}
