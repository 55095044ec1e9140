package graphs

import (
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Community is a planted partition: four blocks of floor(n/3), floor(n/3), floor(n/4) and the remaining nodes (a
// twelfth), in which pairs inside a block are joined with one probability and pairs of different blocks with another.
//
// A. Condon, R. M. Karp, Algorithms for graph partitioning on the planted partition model, Random Structures and
// Algorithms 18, 2001, there with equal blocks; as networkx's random_partition_graph.
type Community struct {
	// Probabilities of an edge inside a block and between two. The zero Community has 0.25 and 0.01.
	Inside  float64 `json:"Inside"`
	Between float64 `json:"Between"`
}

// Name is "community".
func (Community) Name() string { return "community" }

func (f Community) resolved() Family {
	if f == (Community{}) {
		f = Community{Inside: 0.25, Between: 0.01}
	}
	return f
}

// Draw draws a graph of n >= 4 nodes, numbered block by block.
func (f Community) Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error) {
	f = f.resolved().(Community)
	sizes := blocks(n)
	entries := f.Between * float64(n) * float64(n)
	for _, size := range sizes {
		entries += (f.Inside - f.Between) * float64(size) * float64(size)
	}
	if err := check(f, n, 4, entries, f.Inside, f.Between); err != nil {
		return nil, err
	}
	var edges edgeList
	first := 0
	for b, size := range sizes {
		edges.within(first, size, f.Inside, rng)
		otherFirst := first + size
		for _, otherSize := range sizes[b+1:] {
			edges.between(first, size, otherFirst, otherSize, f.Between, rng)
			otherFirst += otherSize
		}
		first += size
	}
	return edges.pattern(n), nil
}

// blocks are the sizes of the four blocks.
func blocks(n int) [4]int { return [4]int{n / 3, n / 3, n / 4, n - 2*(n/3) - n/4} }
