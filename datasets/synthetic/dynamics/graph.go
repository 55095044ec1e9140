package dynamics

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Graph is one snapshot of a graph, stored by rows without absent edges.
type Graph struct {
	start  []int // [n+1]: row i is start[i] to start[i+1]
	to     []int32
	weight []float64
}

// NewGraph makes a graph from the edges of a pattern whose weight is not 0; weights [edges] are in the pattern's order.
func NewGraph(p *dyngraph.Pattern, weights []float64) (*Graph, error) {
	if err := p.Validate(); err != nil {
		return nil, errs.New(ErrInput, "datasets/synthetic/dynamics: %w", err)
	}
	if len(weights) != p.Edges() {
		return nil, invalid("%d weights of %d edges, want as many", len(weights), p.Edges())
	}
	g := &Graph{start: make([]int, p.Nodes+1)}
	for e, w := range weights {
		from, to := p.From[e], p.To[e]
		if !finite(w) {
			return nil, invalid("weight of edge %d -> %d is %g, want a finite number, 0 where the edge is absent",
				from, to, w)
		}
		if w != 0 {
			g.to, g.weight = append(g.to, to), append(g.weight, w)
			g.start[from+1]++
		}
	}
	for i := range p.Nodes {
		g.start[i+1] += g.start[i]
	}
	return g, nil
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return len(g.start) - 1 }

// Edges returns the number of edges.
func (g *Graph) Edges() int { return len(g.to) }

// Row returns the nodes j that the edges of node i lead to, ascending, and the weights A_ij. The caller must not change
// the slices.
func (g *Graph) Row(i int) (to []int32, weights []float64) {
	begin, end := g.start[i], g.start[i+1]
	return g.to[begin:end], g.weight[begin:end]
}
