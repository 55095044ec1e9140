package graphs

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// edgeList collects undirected edges, each once.
type edgeList struct{ from, to []int32 }

func (l *edgeList) add(u, v int) {
	l.from, l.to = append(l.from, int32(u)), append(l.to, int32(v))
}

// pattern returns the pattern with both directions of every edge.
func (l *edgeList) pattern(n int) *dyngraph.Pattern {
	return sorted(n, append(l.from, l.to...), append(l.to, l.from...))
}

// sorted orders directed edges, each given once, by (from, to) in O(n + edges): two counting sorts, the second of which
// keeps the order of the first.
func sorted(n int, from, to []int32) *dyngraph.Pattern {
	to, from = countingSort(n, to, from)
	from, to = countingSort(n, from, to)
	return &dyngraph.Pattern{Nodes: n, From: from, To: to}
}

func countingSort(n int, keys, values []int32) (sortedKeys, sortedValues []int32) {
	next := starts(n, keys)
	sortedKeys, sortedValues = make([]int32, len(keys)), make([]int32, len(keys))
	for e, key := range keys {
		sortedKeys[next[key]], sortedValues[next[key]] = key, values[e]
		next[key]++
	}
	return sortedKeys, sortedValues
}

// starts holds, for each of n keys and one beyond, how many of the keys are smaller: where the edges of a node start.
func starts(n int, keys []int32) []int {
	start := make([]int, n+1)
	for _, key := range keys {
		start[key+1]++
	}
	for u := range n {
		start[u+1] += start[u]
	}
	return start
}

// checkPattern requires edges in range, in order and each once.
func checkPattern(p *dyngraph.Pattern) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("graphs: %w: %w", ErrInvalid, err)
	}
	return nil
}

// checkUndirected also requires both directions of every edge and no self-loops.
func checkUndirected(p *dyngraph.Pattern) error {
	if err := checkPattern(p); err != nil {
		return err
	}
	reverse := sorted(p.Nodes, p.To, p.From)
	for e, from := range p.From {
		switch to := p.To[e]; {
		case from == to:
			return invalid("self-loop of node %d, want an undirected graph without them: take the graph before its "+
				"events, or symmetrise it", from)
		case reverse.From[e] != from || reverse.To[e] != to:
			return invalid("an edge near %d -> %d has no opposite, want an undirected graph: take the graph before "+
				"its events, or add the opposite edges", from, to)
		}
	}
	return nil
}
