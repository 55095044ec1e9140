package graphs

import (
	"math/rand/v2"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// SmallWorld is a ring in which each node is joined to the floor(Neighbours/2) nearest on each side, so 5 neighbours
// are 4. For each edge of the ring, with probability Shortcut, its lower-numbered end gets another edge, to a node
// drawn uniformly among the nodes that it is not joined to yet. No edge is removed.
//
// M. E. J. Newman, D. J. Watts, Renormalization group analysis of the small-world network model, Physics Letters A 263,
// 1999; as networkx's newman_watts_strogatz_graph.
type SmallWorld struct {
	// Neighbours in the ring, at least 2 (Neighbours = n gives the complete graph), and the probability of a shortcut.
	// The zero SmallWorld has 5 and 0.5.
	Neighbours int     `json:"Neighbours"`
	Shortcut   float64 `json:"Shortcut"`
}

// Name is "small world".
func (SmallWorld) Name() string { return "small world" }

func (f SmallWorld) resolved() Family {
	if f == (SmallWorld{}) {
		f = SmallWorld{Neighbours: 5, Shortcut: 0.5}
	}
	return f
}

// Draw draws a graph of n >= Neighbours nodes, numbered around the ring.
func (f SmallWorld) Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error) {
	f = f.resolved().(SmallWorld)
	if f.Neighbours < 2 {
		return nil, invalid("small world with %d neighbours in the ring, want at least 2: one on each side",
			f.Neighbours)
	}
	if err := check(f, n, f.Neighbours, float64(n)*float64(f.Neighbours)*(1+f.Shortcut), f.Shortcut); err != nil {
		return nil, err
	}
	if f.Neighbours == n {
		return Random{Probability: 1}.Draw(n, rng)
	}
	var edges edgeList
	reach := f.Neighbours / 2
	for u := range n {
		for d := 1; d <= reach; d++ {
			edges.add(u, (u+d)%n)
		}
	}
	shortcuts := make([][]int32, n)
	for u := range n {
		// Edges of the ring to a higher number: ahead, and backwards across node 0.
		for range min(reach, n-1-u) + max(reach-u, 0) {
			full := 2*reach+len(shortcuts[u]) == n-1
			if rng.Float64() >= f.Shortcut || full {
				continue
			}
			w := rng.IntN(n)
			for near(u, w, n, reach) || slices.Contains(shortcuts[u], int32(w)) {
				w = rng.IntN(n)
			}
			edges.add(u, w)
			shortcuts[u], shortcuts[w] = append(shortcuts[u], int32(w)), append(shortcuts[w], int32(u))
		}
	}
	return edges.pattern(n), nil
}

// near reports whether v is u or within reach on the ring of n nodes.
func near(u, v, n, reach int) bool {
	distance := max(u-v, v-u)
	return min(distance, n-distance) <= reach
}
