package graphs

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/countsort"
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

// sorted orders directed edges, each given once, by (from, to) in O(n + edges).
func sorted(n int, from, to []int32) *dyngraph.Pattern {
	p := &dyngraph.Pattern{Nodes: n, From: make([]int32, len(from)), To: make([]int32, len(from))}
	for i, e := range countsort.Order(n, from, countsort.Order(n, to, nil)) {
		p.From[i], p.To[i] = from[e], to[e]
	}
	return p
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
