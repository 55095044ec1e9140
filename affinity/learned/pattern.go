package learned

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// pattern holds the edges for which entries of matrices are kept, and the weights of snapshots on them. Entries of
// weight 0 are entries, too: identities of nodes change them. On few nodes all pairs are edges, as in the published
// code; on more they are the union of the edges seen so far, and grow with the edges seen later.
type pattern struct {
	*dyngraph.Pattern
	pairs []uint64 // increasing
	known map[*dyngraph.Snapshot][]float64
	ones  []float64 // the feature of each node
}

// allPairs is the number of nodes up to which all pairs are edges.
const allPairs = 256

func pairOf(s *dyngraph.Snapshot, e int) uint64 { return uint64(s.From[e])<<32 | uint64(s.To[e]) }

// patternOf returns the pattern of a graph of n nodes with no snapshots yet.
func patternOf(n int) *pattern {
	p := &pattern{ones: slices.Repeat([]float64{1}, n)}
	var pairs []uint64
	for u := 0; u < n && n <= allPairs; u++ {
		for v := range n {
			pairs = append(pairs, uint64(u)<<32|uint64(v))
		}
	}
	if n > allPairs {
		pairs = []uint64{0} // a series wants an edge; its weight is 0 unless there is one
	}
	p.take(n, pairs)
	return p
}

// take changes the pattern to other pairs.
func (p *pattern) take(n int, pairs []uint64) {
	p.Pattern, p.pairs, p.known = &dyngraph.Pattern{Nodes: n}, pairs, make(map[*dyngraph.Snapshot][]float64)
	for _, pair := range pairs {
		p.From, p.To = append(p.From, int32(pair>>32)), append(p.To, int32(pair))
	}
}

// grow adds the edges of snapshots that are not there.
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

func (p *pattern) has(pair uint64) bool {
	_, found := slices.BinarySearch(p.pairs, pair)
	return found
}

// weights returns the weights of a snapshot on the edges of the pattern.
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
