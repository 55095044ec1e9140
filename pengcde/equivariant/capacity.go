package equivariant

import (
	"cmp"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/countsort"
)

// NeighbourCapacity is the space of neighbour lists for graphs that share programs. Batches of one size laid out in one
// capacity have the same form and shapes, however their edges differ. The zero value has space for no graph. Graphs
// that do not fit are laid out in a larger capacity, and compile again.
type NeighbourCapacity struct {
	// most[k] is the largest number of nodes with more than k neighbours.
	most []int
	// directed means that some of the graphs are not symmetric, so that none uses the symmetric layout.
	directed bool
}

// Entries returns the number of entries in the lists of the largest graph, without padding.
func (r NeighbourCapacity) Entries() int {
	sum := 0
	for _, count := range r.most {
		sum += count
	}
	return sum
}

// With returns the capacity for the graphs of both.
func (r NeighbourCapacity) With(other NeighbourCapacity) NeighbourCapacity {
	most := slices.Clone(r.most)
	most = append(most, make([]int, max(0, len(other.most)-len(most)))...)
	for k, count := range other.most {
		most[k] = max(most[k], count)
	}
	return NeighbourCapacity{most, r.directed || other.directed}
}

// capacityOf returns the capacity for a graph, given the number of neighbours of each node. A node without neighbours
// has a list, too.
func capacityOf(neighbours []int32) NeighbourCapacity {
	most := make([]int, max(1, slices.Max(neighbours)))
	for _, count := range neighbours {
		most[max(count, 1)-1]++
	}
	for k := len(most) - 2; k >= 0; k-- {
		most[k] += most[k+1]
	}
	return NeighbourCapacity{most: most}
}

// lists returns, by list length, the number of nodes of the largest graph with a list of that length.
func (r NeighbourCapacity) lists() map[int]int {
	counts := make(map[int]int)
	for k, count := range r.most {
		if k+1 < len(r.most) {
			count -= r.most[k+1]
		}
		if count > 0 {
			counts[k+1] = count
		}
	}
	return counts
}

// WindowCapacity returns, for count snapshots, the capacity for the graphs of all runs of length consecutive snapshots,
// and for the whole pattern. It reads snapshots in order, as weights on the edges of a valid pattern. A run has the
// edges with a nonzero weight in it, see [dyngraph.Pattern.Used]. If length is at least count, the run is the whole.
func WindowCapacity(p *dyngraph.Pattern, count, length int, snapshot func(k int) ([]float64, error)) (runs,
	all NeighbourCapacity, err error) {
	pair, opposite := pairs(p)
	joined, degree := make([]int32, p.Edges()), make([]int32, p.Nodes)
	join := func(e int, by int32) {
		degree[p.From[e]] += by
		if p.From[e] != p.To[e] {
			degree[p.To[e]] += by
		}
	}
	for e, k := range pair {
		if int(k) == e {
			join(e, 1)
		}
	}
	all = capacityOf(degree)
	clear(degree)
	change := func(weights []float64, by, from int32) { // from is the count of pairs that start or stop joining nodes
		for e, w := range weights {
			if w == 0 {
				continue
			}
			if joined[pair[e]] == from {
				join(e, by)
			}
			joined[pair[e]] += by
		}
	}
	var inRun [][]float64
	for k := range count {
		weights, err := snapshot(k)
		if err != nil {
			return NeighbourCapacity{}, NeighbourCapacity{}, err
		}
		for e, w := range weights {
			if o := opposite[e]; o == absent && w != 0 || o != absent && w != weights[o] {
				runs.directed = true
				break
			}
		}
		change(weights, 1, 0)
		if inRun = append(inRun, weights); len(inRun) > length {
			change(inRun[0], -1, 1)
			inRun[0], inRun = nil, inRun[1:]
		}
		if k >= length-1 || k == count-1 {
			runs = runs.With(capacityOf(degree))
		}
	}
	return runs, all, nil
}

// pairs returns, for each edge, the first of the edges between its two nodes, and the edge in the other direction or
// absent.
func pairs(p *dyngraph.Pattern) (pair, opposite []int32) {
	pair, opposite = make([]int32, p.Edges()), slices.Repeat([]int32{absent}, p.Edges())
	turned := countsort.Order(p.Nodes, p.To, nil) // by target, then by source
	for e := range pair {
		pair[e] = int32(e)
		for len(turned) > 0 {
			o := turned[0]
			if order := cmp.Or(cmp.Compare(p.To[o], p.From[e]), cmp.Compare(p.From[o], p.To[e])); order > 0 {
				break
			} else if order == 0 {
				opposite[e], pair[e] = o, min(int32(e), o)
			}
			turned = turned[1:]
		}
	}
	return pair, opposite
}
