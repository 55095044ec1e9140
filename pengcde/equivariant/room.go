package equivariant

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Room is the space that lists of neighbours take, for graphs that share what is compiled: batches laid out in one room
// have one form and shapes, however their edges differ. The zero value is of no graph. Graphs that do not fit are laid
// out in a larger one, and compile anew.
type Room struct {
	// most[k] is the largest number of nodes with more than k neighbours.
	most []int
}

// Entries are those of the lists of the largest graph, without padding.
func (r Room) Entries() int {
	sum := 0
	for _, count := range r.most {
		sum += count
	}
	return sum
}

// With has room for what each of both has.
func (r Room) With(other Room) Room {
	most := slices.Clone(r.most)
	most = append(most, make([]int, max(0, len(other.most)-len(most)))...)
	for k, count := range other.most {
		most[k] = max(most[k], count)
	}
	return Room{most}
}

// roomOf is that of a graph whose nodes have so many neighbours. A node without any has a list, too.
func roomOf(neighbours []int32) Room {
	most := make([]int, max(1, slices.Max(neighbours)))
	for _, count := range neighbours {
		most[max(count, 1)-1]++
	}
	for k := len(most) - 2; k >= 0; k-- {
		most[k] += most[k+1]
	}
	return Room{most}
}

// lists are how many nodes of the largest graph have a list of which length.
func (r Room) lists() map[int]int {
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

// RunsRoom is the room of the graphs that every run of so many snapshots in a row makes, of snapshots [T][edges] on a
// sound pattern: of the edges that have a weight other than 0 in the run, see [dyngraph.Pattern.Used]. A run of T or
// more is the whole.
func RunsRoom(p *dyngraph.Pattern, snapshots [][]float64, length int) Room {
	pair := make([]int32, p.Edges()) // that an edge and the one the other way share
	for _, list := range neighbours(p) {
		for _, v := range list {
			switch {
			case v.to == absent:
			case v.from == absent:
				pair[v.to] = v.to
			default:
				pair[v.to] = min(v.to, v.from)
			}
		}
	}
	count, degree := make([]int32, p.Edges()), make([]int32, p.Nodes)
	change := func(weights []float64, by, from int32) { // from is the count of pairs that begin or cease to join nodes
		for e, w := range weights {
			if w == 0 {
				continue
			}
			k := pair[e]
			if count[k] == from {
				degree[p.From[e]] += by
				if p.From[e] != p.To[e] {
					degree[p.To[e]] += by
				}
			}
			count[k] += by
		}
	}
	var room Room
	for t, weights := range snapshots {
		change(weights, 1, 0)
		if t >= length {
			change(snapshots[t-length], -1, 1)
		}
		if t >= length-1 || t == len(snapshots)-1 {
			room = room.With(roomOf(degree))
		}
	}
	return room
}
