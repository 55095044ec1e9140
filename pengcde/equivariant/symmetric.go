package equivariant

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/countsort"
)

// fit returns the layout for these snapshots, [samples][J][edges] on the patterns. If all are symmetric, as in an
// undirected graph with every edge in both directions, A^T is A and column sums are row sums. A row then holds each
// once, which halves the entries and the work of interpolating and mixing them. fit returns the layout unchanged if a
// single edge differs from its opposite in the last bit, or if the capacity is for graphs that are not symmetric. It
// takes O(edges) operations per snapshot.
//
// Values and gradients with respect to states and weights are the same as in the other layout, up to rounding.
// Gradients with respect to a row's entries belong to the row. They give the derivative along any symmetric change of
// the weights, in which an edge and its opposite change together. They do not contain the derivative by one direction
// only, which leaves the symmetric matrices.
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

// opposites returns for each edge of a pattern the index of the edge in the other direction, or nil if one has none.
// Sorted by target and then by source, the edges of a symmetric pattern are the opposites of the edges sorted by source
// and then by target.
func opposites(p *dyngraph.Pattern) []int32 {
	opposite := countsort.Order(p.Nodes, p.To, nil)
	for e, other := range opposite {
		if p.From[e] != p.To[other] || p.To[e] != p.From[other] {
			return nil
		}
	}
	return opposite
}
