package graphs

import (
	"math/rand/v2"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Events change a graph: at each event every ordered pair (i, j) of nodes, i = j too, loses its edge with probability
// Drop and then gains one with probability Add, each pair on its own. So a graph becomes directed and gets self-loops.
// Time and memory are O(edges), since pairs without a change are skipped.
type Events struct {
	// The zero Events have 0.02 and 0.001. If one is set, both are used as given. Add creates Add n² edges per event:
	// for large graphs choose it proportional to 1/n.
	Drop, Add float64
}

// Apply applies count events to a graph, one after the other. It returns the union pattern and the weights
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
	nodes := int64(graph.Nodes)
	present := make([]int64, graph.Edges()) // pairs of nodes, counted row by row
	for edge, from := range graph.From {
		present[edge] = int64(from)*nodes + int64(graph.To[edge])
	}
	history, all := [][]int64{present}, present
	for range count {
		kept, next := make([]int64, 0, len(present)), int64(0)
		for dropped := range successes(e.Drop, int64(len(present)), rng) {
			kept = append(kept, present[next:dropped]...)
			next = dropped + 1
		}
		kept = append(kept, present[next:]...)
		added := slices.Collect(successes(e.Add, nodes*nodes, rng))
		present, all = union(kept, added), union(all, added)
		history = append(history, present)
	}
	pattern := &dyngraph.Pattern{Nodes: graph.Nodes, From: make([]int32, len(all)), To: make([]int32, len(all))}
	for edge, pair := range all {
		pattern.From[edge], pattern.To[edge] = int32(pair/nodes), int32(pair%nodes)
	}
	snapshots := make([][]float64, len(history))
	for k, snapshot := range history {
		snapshots[k] = indicator(all, snapshot)
	}
	return pattern, snapshots, nil
}

// union merges two increasing lists.
func union(a, b []int64) []int64 {
	all := make([]int64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		all = append(all, min(x, y))
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// indicator is 1 at the entries of an increasing list that its subset has, else 0.
func indicator(all, subset []int64) []float64 {
	weights, at := make([]float64, len(all)), 0
	for _, pair := range subset {
		for all[at] != pair {
			at++
		}
		weights[at] = 1
	}
	return weights
}
