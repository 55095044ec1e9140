package learned

import (
	"maps"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// pattern holds the edges with entries in the matrices, and the weights of snapshots on them. Entries of weight 0
// count, since identities of nodes change them. On few nodes all pairs are edges, as in the published code. On more
// nodes the edges are the union of the edges seen so far, and grow with later edges.
type pattern struct {
	*dyngraph.Pattern
	pairs []uint64                         // increasing
	rows  map[*dyngraph.Snapshot][]float64 // weights of snapshots
	ones  []float64                        // the feature of each node
}

// allPairs is the largest number of nodes for which all pairs are edges.
const allPairs = 256

func pairOf(s *dyngraph.Snapshot, e int) uint64 { return uint64(s.From[e])<<32 | uint64(s.To[e]) }

// patternOf returns the pattern of a graph of n nodes before the first snapshot.
func patternOf(n int) *pattern {
	p := &pattern{ones: slices.Repeat([]float64{1}, n)}
	var pairs []uint64
	for u := 0; u < n && n <= allPairs; u++ {
		for v := range n {
			pairs = append(pairs, uint64(u)<<32|uint64(v))
		}
	}
	if n > allPairs {
		pairs = []uint64{0} // a series needs an edge; its weight is 0 unless it occurs
	}
	p.take(n, pairs)
	return p
}

// take replaces the pairs of the pattern.
func (p *pattern) take(n int, pairs []uint64) {
	p.Pattern, p.pairs, p.rows = &dyngraph.Pattern{Nodes: n}, pairs, make(map[*dyngraph.Snapshot][]float64)
	for _, pair := range pairs {
		p.From, p.To = append(p.From, int32(pair>>32)), append(p.To, int32(pair))
	}
}

// grow adds the edges of snapshots that are missing.
func (p *pattern) grow(snapshots []*dyngraph.Snapshot) {
	var missing []uint64
	for _, s := range snapshots {
		for e := range s.From {
			if pair := pairOf(s, e); !p.has(pair) {
				missing = append(missing, pair)
			}
		}
	}
	if missing == nil {
		return
	}
	pairs := append(missing, p.pairs...)
	slices.Sort(pairs)
	p.take(p.Nodes, slices.Compact(pairs))
}

// keep drops the weights of all other snapshots.
func (p *pattern) keep(snapshots []*dyngraph.Snapshot) {
	maps.DeleteFunc(p.rows, func(s *dyngraph.Snapshot, _ []float64) bool { return !slices.Contains(snapshots, s) })
}

func (p *pattern) has(pair uint64) bool {
	_, found := slices.BinarySearch(p.pairs, pair)
	return found
}

// weights returns the weights of a snapshot on the edges of the pattern.
func (p *pattern) weights(s *dyngraph.Snapshot) []float64 {
	if row, found := p.rows[s]; found {
		return row
	}
	row := make([]float64, len(p.pairs))
	for e, weight := range s.Weights {
		at, _ := slices.BinarySearch(p.pairs, pairOf(s, e))
		row[at] = weight
	}
	p.rows[s] = row
	return row
}
