package dynamics

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Graph is one snapshot of a graph, row by row and without absent edges.
type Graph struct {
	start  []int // [n+1]: row i is start[i] to start[i+1]
	to     []int32
	weight []float64
}

// NewGraph makes a graph of the edges of a pattern that have a weight other than 0; weights [edges] follow the pattern.
func NewGraph(p *dyngraph.Pattern, weights []float64) (*Graph, error) {
	if p == nil || p.Nodes < 1 || len(p.From) != len(p.To) || len(weights) != len(p.From) {
		return nil, fmt.Errorf("datasets/synthetic/dynamics: want a pattern of dyngraph.NewPattern with at least 1 node, and a weight for each edge: %w", ErrInput)
	}
	g := &Graph{start: make([]int, p.Nodes+1)}
	last := int32(0)
	for e, w := range weights {
		from, to := p.From[e], p.To[e]
		if from < last || int(from) >= p.Nodes || to < 0 || int(to) >= p.Nodes {
			return nil, fmt.Errorf("datasets/synthetic/dynamics: edge %d joins %d -> %d, want nodes in 0..%d and edges in order of the first: make the pattern with dyngraph.NewPattern: %w",
				e, from, to, p.Nodes-1, ErrInput)
		}
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("datasets/synthetic/dynamics: weight of edge %d -> %d is %g, want a finite number, 0 where the edge is absent: %w", from, to, w, ErrInput)
		}
		last = from
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

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return len(g.start) - 1 }

// Edges is the number of edges.
func (g *Graph) Edges() int { return len(g.to) }

// Row returns the nodes j that the edges of node i lead to, ascending, and the weights A_ij. They belong to the graph.
func (g *Graph) Row(i int) (to []int32, weights []float64) {
	begin, end := g.start[i], g.start[i+1]
	return g.to[begin:end], g.weight[begin:end]
}
