package equivariant

import "github.com/peng-cde/pengcde-go/dyngraph"

// fit is the layout for these snapshots, [samples][J][edges] on the patterns. Where all are symmetric, as in an
// undirected graph with every edge in both directions, A^T is A and column sums are row sums, and a row holds each
// once: half the entries, and half the work of interpolating and mixing them. Otherwise, if a single edge weighs other
// than its opposite in the last bit, or the capacity is for graphs that are not symmetric, it is the layout as it was. It
// takes O(edges) operations a snapshot.
//
// Values and gradients with respect to states and weights are the same as in the other layout, up to rounding.
// Gradients with respect to a row's entries belong to the row: along any symmetric change of the weights, one edge and
// its opposite together, they give the derivative; the derivative by one direction alone, which leaves the symmetric
// matrices, is not among them.
func (l layout) fit(snapshots [][][]float64) layout {
	if l.directed {
		return l
	}
	for b, p := range l.patterns {
		opposite := opposites(p)
		if opposite == nil {
			return l
		}
		for _, weights := range snapshots[b] {
			for e, w := range weights {
				if w != weights[opposite[e]] {
					return l
				}
			}
		}
	}
	l.Symmetric = true
	return l
}

// opposites leads from each edge of a pattern to that in the other direction; nil where one has none. Sorted by target
// and then by source, the edges of a symmetric pattern are the opposites of those sorted by source and then by target.
func opposites(p *dyngraph.Pattern) []int32 {
	opposite := byTarget(p)
	for e, other := range opposite {
		if p.From[e] != p.To[other] || p.To[e] != p.From[other] {
			return nil
		}
	}
	return opposite
}

// byTarget are the edges of a pattern sorted by target and then by source.
func byTarget(p *dyngraph.Pattern) []int32 {
	start := make([]int32, p.Nodes+1)
	for _, v := range p.To {
		start[v+1]++
	}
	for v := range p.Nodes {
		start[v+1] += start[v]
	}
	sorted := make([]int32, p.Edges())
	for e, v := range p.To {
		sorted[start[v]] = int32(e)
		start[v]++
	}
	return sorted
}
