package learned

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// pattern is the union of the edges of snapshots, and the weights of each on it.
type pattern struct {
	pairs []uint64 // increasing
	known map[*dyngraph.Snapshot][]float64
	made  *dyngraph.Pattern
}

func pairOf(s *dyngraph.Snapshot, e int) uint64 { return uint64(s.From[e])<<32 | uint64(s.To[e]) }

// patternOf is that of snapshots of a graph of n nodes.
func patternOf(n int, snapshots []*dyngraph.Snapshot) *pattern {
	p := &pattern{known: make(map[*dyngraph.Snapshot][]float64), made: &dyngraph.Pattern{Nodes: n}}
	for _, s := range snapshots {
		for e := range s.From {
			p.pairs = append(p.pairs, pairOf(s, e))
		}
	}
	slices.Sort(p.pairs)
	p.pairs = slices.Compact(p.pairs)
	if len(p.pairs) == 0 {
		p.pairs = []uint64{0} // a series wants an edge; its weight is 0
	}
	for _, pair := range p.pairs {
		p.made.From, p.made.To = append(p.made.From, int32(pair>>32)), append(p.made.To, int32(pair))
	}
	return p
}

// holds says whether all edges of snapshots are in the pattern.
func (p *pattern) holds(snapshots []*dyngraph.Snapshot) bool {
	for _, s := range snapshots {
		for e := range s.From {
			if _, found := slices.BinarySearch(p.pairs, pairOf(s, e)); !found {
				return false
			}
		}
	}
	return true
}

// weights are those of a snapshot.
func (p *pattern) weights(s *dyngraph.Snapshot) []float64 {
	if known, found := p.known[s]; found {
		return known
	}
	row := make([]float64, len(p.pairs))
	for e, weight := range s.Weights {
		at, _ := slices.BinarySearch(p.pairs, pairOf(s, e))
		row[at] = weight
	}
	p.known[s] = row
	return row
}
