package graphs

import (
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/countsort"
)

// ByCommunity and Communities are for the external tests.
var (
	ByCommunity = byCommunity
	Communities = communities
)

// Statistics describe an undirected graph.
type Statistics struct {
	// Over the nodes; StdDegree is the population's standard deviation.
	MeanDegree, StdDegree, MinDegree, MaxDegree float64
	// Clustering is the mean over the nodes of the share of pairs of neighbours that are joined, 0 for nodes with fewer
	// than two neighbours (networkx's average_clustering).
	Clustering float64
}

// Measure computes the statistics of a graph that is symmetric and has no self-loops, in O(edges^1.5) at worst.
func Measure(p *dyngraph.Pattern) (Statistics, error) {
	if err := checkUndirected(p); err != nil {
		return Statistics{}, err
	}
	start := countsort.Starts(p.Nodes, p.From)
	triangles := countTriangles(p, start)
	n := float64(p.Nodes)
	s := Statistics{MeanDegree: float64(p.Edges()) / n, MinDegree: math.Inf(1)}
	for u := range p.Nodes {
		degree := float64(start[u+1] - start[u])
		s.MinDegree, s.MaxDegree = min(s.MinDegree, degree), max(s.MaxDegree, degree)
		s.StdDegree += (degree - s.MeanDegree) * (degree - s.MeanDegree) / n
		if degree > 1 {
			s.Clustering += 2 * float64(triangles[u]) / (degree * (degree - 1)) / n
		}
	}
	s.StdDegree = math.Sqrt(s.StdDegree)
	return s, nil
}

// countTriangles counts the triangles at each node. Edges run from the end of lower degree to the end of higher degree;
// no node has more than sqrt(2 edges) of them, so that each triangle is found once, from its lowest corner.
func countTriangles(p *dyngraph.Pattern, start []int32) []int {
	n := p.Nodes
	above := func(u, v int32) bool {
		du, dv := start[u+1]-start[u], start[v+1]-start[v]
		return dv > du || dv == du && v > u
	}
	upper := make([][]int32, n)
	for e, u := range p.From {
		if v := p.To[e]; above(u, v) {
			upper[u] = append(upper[u], v)
		}
	}
	triangles, markedBy := make([]int, n), make([]int, n)
	for u := range n {
		for _, v := range upper[u] {
			markedBy[v] = u + 1
		}
		for _, v := range upper[u] {
			for _, w := range upper[v] {
				if markedBy[w] == u+1 {
					triangles[u]++
					triangles[v]++
					triangles[w]++
				}
			}
		}
	}
	return triangles
}
