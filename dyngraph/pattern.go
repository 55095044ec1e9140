package dyngraph

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// ErrInvalid is wrapped by every error about invalid data of a dynamic graph: edges out of range, inconsistent shapes,
// times that do not increase, values that are not finite.
var ErrInvalid = errors.New("invalid dynamic graph")

// ErrTooLarge is wrapped by errors about files above a size limit. The message names the limit and the option that
// raises it.
var ErrTooLarge = bounded.ErrTooLarge

// Pattern is the set of directed edges that occur in any snapshot of a dynamic graph, sorted by (From, To), each
// once. Snapshots store one weight per edge of the pattern and 0 where the edge is absent, so memory is
// O(snapshots × edges), never O(snapshots × nodes²).
type Pattern struct {
	Nodes    int
	From, To []int32
}

// MaxNodes bounds the nodes of a [Pattern], whose edges are pairs of int32.
const MaxNodes = math.MaxInt32

// NewPattern sorts the edges (from[k], to[k]) of a graph of n nodes and drops repetitions. It also returns the index of
// each given edge in the pattern.
func NewPattern(n int, from, to []int) (*Pattern, []int, error) {
	if n < 1 || n > MaxNodes {
		return nil, nil, invalid("%d nodes, want 1 to %d", n, MaxNodes)
	}
	if len(from) != len(to) {
		return nil, nil, invalid("%d sources and %d targets of edges", len(from), len(to))
	}
	order := make([]int, len(from))
	for k := range from {
		if from[k] < 0 || from[k] >= n || to[k] < 0 || to[k] >= n {
			return nil, nil, invalid("edge %d joins %d -> %d, want nodes in 0..%d", k, from[k], to[k], n-1)
		}
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(from[a], from[b]), cmp.Compare(to[a], to[b]))
	})
	p := &Pattern{Nodes: n}
	index := make([]int, len(from))
	for _, k := range order {
		last := len(p.From) - 1
		if last < 0 || int(p.From[last]) != from[k] || int(p.To[last]) != to[k] {
			p.From, p.To = append(p.From, int32(from[k])), append(p.To, int32(to[k]))
			last++
		}
		index[k] = last
	}
	return p, index, nil
}

// Validate returns an error for a pattern that [NewPattern] would not make: no nodes or too many, edges out of range,
// out of order or repeated. A pattern without edges is valid, though a [Series] needs at least one. The error wraps
// [ErrInvalid].
func (p *Pattern) Validate() error {
	if fault := p.fault(); fault != "" {
		return invalid("%s", fault)
	}
	return nil
}

// fault describes the first fault of the pattern. It returns "" if there is none.
func (p *Pattern) fault() string {
	switch {
	case p == nil || p.Nodes < 1:
		return "no nodes: make the pattern with NewPattern"
	case p.Nodes > MaxNodes:
		return fmt.Sprintf("%d nodes, want at most %d", p.Nodes, MaxNodes)
	case len(p.From) != len(p.To):
		return fmt.Sprintf("pattern with %d sources and %d targets of edges: make it with NewPattern", len(p.From),
			len(p.To))
	}
	for e, from := range p.From {
		to := p.To[e]
		if from < 0 || to < 0 || int(from) >= p.Nodes || int(to) >= p.Nodes {
			return fmt.Sprintf("edge %d joins %d -> %d, want nodes in 0..%d: number the nodes from 0", e, from, to,
				p.Nodes-1)
		}
		if e > 0 && (from < p.From[e-1] || from == p.From[e-1] && to <= p.To[e-1]) {
			return fmt.Sprintf("edge %d, %d -> %d, follows %d -> %d, want edges in order and each once: make the "+
				"pattern with NewPattern", e, from, to, p.From[e-1], p.To[e-1])
		}
	}
	return ""
}

// Used returns the pattern of the edges with a nonzero weight in at least one of the snapshots [J][edges], and the
// snapshots on this pattern.
func (p *Pattern) Used(snapshots [][]float64) (*Pattern, [][]float64) {
	used := &Pattern{Nodes: p.Nodes}
	var index []int
	for e := range p.From {
		if slices.ContainsFunc(snapshots, func(weights []float64) bool { return weights[e] != 0 }) {
			used.From, used.To, index = append(used.From, p.From[e]), append(used.To, p.To[e]), append(index, e)
		}
	}
	on := make([][]float64, len(snapshots))
	for k, weights := range snapshots {
		on[k] = make([]float64, len(index))
		for i, e := range index {
			on[k][i] = weights[e]
		}
	}
	return used, on
}

// Edges returns the number of edges of the pattern.
func (p *Pattern) Edges() int { return len(p.From) }
