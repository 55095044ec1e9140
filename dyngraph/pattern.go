package dyngraph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ErrInvalid is wrapped by every error about data that cannot be a dynamic graph: edges out of range, shapes that
// differ, times that do not increase, values that are not finite.
var ErrInvalid = errors.New("invalid dynamic graph")

// Pattern is the set of directed edges that occur in any snapshot of a dynamic graph, sorted by (From, To), each
// once. Snapshots store one weight per edge of the pattern and 0 where the edge is absent, so memory is
// O(snapshots × edges), never O(snapshots × nodes²).
type Pattern struct {
	Nodes    int
	From, To []int32
}

// NewPattern sorts the edges (from[k], to[k]) of a graph of n nodes and drops repetitions. It also returns, for each
// given edge, its place in the pattern.
func NewPattern(n int, from, to []int) (*Pattern, []int, error) {
	if n < 1 {
		return nil, nil, fmt.Errorf("dyngraph: %d nodes, want at least 1: %w", n, ErrInvalid)
	}
	if len(from) != len(to) {
		return nil, nil, fmt.Errorf("dyngraph: %d sources and %d targets of edges: %w", len(from), len(to), ErrInvalid)
	}
	order := make([]int, len(from))
	for k := range from {
		if from[k] < 0 || from[k] >= n || to[k] < 0 || to[k] >= n {
			return nil, nil, fmt.Errorf("dyngraph: edge %d joins %d -> %d, want nodes in 0..%d: %w",
				k, from[k], to[k], n-1, ErrInvalid)
		}
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(from[a], from[b]), cmp.Compare(to[a], to[b]))
	})
	p := &Pattern{Nodes: n}
	place := make([]int, len(from))
	for _, k := range order {
		last := len(p.From) - 1
		if last < 0 || int(p.From[last]) != from[k] || int(p.To[last]) != to[k] {
			p.From, p.To = append(p.From, int32(from[k])), append(p.To, int32(to[k]))
			last++
		}
		place[k] = last
	}
	return p, place, nil
}

// Edges is the number of edges of the pattern.
func (p *Pattern) Edges() int { return len(p.From) }
