package equivariant

import (
	"maps"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// buckets holds the neighbour lists of a batch of graphs. The neighbours of a node are the nodes it has an edge to or
// from, so that one list serves A, A^T and their backward pass. Nodes with similar numbers of neighbours share a
// bucket, so that a hub does not widen the lists of other nodes. A further bucket is added only if it saves more than
// its operations cost. A bucket has the same number of slots for each sample; if a sample has more nodes with short
// lists than another, some of them are in buckets of longer lists. A single bucket keeps the nodes in order.
//
// A row of a [layout] holds, bucket after bucket, the weights of the edges to all neighbours [slots, width]. Unless it
// is symmetric, the weights of the edges from them follow. Snapshots are thus stored in the order that the product
// reads, and a solve gathers only the state.
type buckets struct {
	nodes   int // per sample
	entries int // in a row that is not symmetric
	list    []bucket
	// edge [samples][entries] is the edge of each entry, absent where there is none.
	edge [][]int32
	// reverse [samples][entries/2] maps the slot of v in the list of u to the slot of u in the list of v. Both count
	// over the lists of the whole batch, bucket after bucket. An empty slot maps to itself.
	reverse [][]int32
	// isEdge [samples][entries/2] marks the slots of neighbours to which the node has an edge.
	isEdge [][]bool
}

type bucket struct {
	width   int
	members [][]int32 // [samples][slots]: nodes, in order
	slots   int
	// neighbours [samples*slots*width] are indices into samples*nodes.
	neighbours []int32
}

const absent = -1

// neighbour is a node with the edges to and from it, and the slot of the list's owner in the node's own list.
type neighbour struct{ node, to, from, reverse int32 }

func neighbours(p *dyngraph.Pattern) [][]neighbour {
	lists := make([][]neighbour, p.Nodes)
	seen := make(map[[2]int32]int, 2*p.Edges())
	meet := func(u, v int32) *neighbour {
		at, ok := seen[[2]int32{u, v}]
		if !ok {
			at = len(lists[u])
			seen[[2]int32{u, v}] = at
			lists[u] = append(lists[u], neighbour{v, absent, absent, absent})
		}
		return &lists[u][at]
	}
	for e := range p.From {
		meet(p.From[e], p.To[e]).to = int32(e)
		meet(p.To[e], p.From[e]).from = int32(e)
	}
	for u := range lists {
		for i, v := range lists[u] {
			lists[u][i].reverse = int32(seen[[2]int32{v.node, int32(u)}])
		}
	}
	return lists
}

// maxBuckets bounds the number of widths; compile time grows with it.
const maxBuckets = 5

// newBuckets lays the lists out in a capacity, or in a larger one if they do not fit. cost is the cost of a further
// bucket.
func newBuckets(patterns []*dyngraph.Pattern, capacity NeighbourCapacity, cost int) *buckets {
	b := &buckets{nodes: patterns[0].Nodes, edge: make([][]int32, len(patterns))}
	lists := make([][][]neighbour, len(patterns))
	for s, p := range patterns {
		lists[s] = neighbours(p)
		lengths := make([]int32, p.Nodes)
		for u, list := range lists[s] {
			lengths[u] = int32(len(list))
		}
		capacity = capacity.With(capacityOf(lengths))
	}
	counts := capacity.lists()
	batch := maps.Clone(counts) // all samples get the lists of the largest
	for length := range batch {
		batch[length] *= len(patterns)
	}
	below := 0
	for _, width := range widths(batch, cost) {
		one := bucket{width: width, members: make([][]int32, len(patterns))}
		for length, count := range counts {
			if below < length && length <= width {
				one.slots += count
			}
		}
		b.list = append(b.list, one)
		below = width
	}
	if len(b.list) == 1 { // graphs with similar numbers of neighbours share compiled programs
		b.list[0].width = (b.list[0].width + 3) / 4 * 4
	}
	for s := range patterns {
		b.assign(s, lists[s])
	}
	for k := range b.list {
		one := &b.list[k]
		for s := range patterns {
			b.layOut(one, s, lists[s])
		}
		b.entries += 2 * one.slots * one.width
	}
	for s := range patterns {
		b.reverseEdges(s, lists[s])
	}
	return b
}

// assign distributes a sample's nodes over the buckets, in order of list length.
func (b *buckets) assign(sample int, lists [][]neighbour) {
	order := make([]int32, b.nodes)
	for u := range order {
		order[u] = int32(u)
	}
	slices.SortStableFunc(order, func(u, v int32) int { return len(lists[u]) - len(lists[v]) })
	for k := range b.list {
		one := &b.list[k]
		one.members[sample], order = slices.Sorted(slices.Values(order[:one.slots])), order[one.slots:]
	}
}

// bucketCost is the cost of a further bucket, in entries of all samples of a batch. Its gathers and products are
// separate operations, each of which takes about 5 µs on a CPU however small it is, and time to compile.
const bucketCost = 4096

// bucketCostGPU is the cost on a GPU, by an estimate: launches of 6 µs in a step and its pullback, as long as reading
// 2^18 entries of 128 bytes.
const bucketCostGPU = 1 << 18

func (p Product) bucketCost() int {
	if p == AutoGPU {
		return bucketCostGPU
	}
	return bucketCost
}

// widths returns at most maxBuckets list lengths, including the largest. Every list is padded to the next of these
// lengths. They minimise the number of entries plus the cost of the buckets, by dynamic programming, longest bucket
// last.
func widths(counts map[int]int, cost int) []int {
	lengths := slices.Sorted(maps.Keys(counts))
	below := make([]int, len(lengths)+1) // nodes with shorter lists
	for i, length := range lengths {
		below[i+1] = below[i] + counts[length]
	}
	type choice struct{ entries, from int }
	var best [maxBuckets + 1][]choice // by number of buckets and number of shortest lengths covered
	for k := range best {
		best[k] = make([]choice, len(lengths)+1)
		for j := range best[k] {
			best[k][j].entries = math.MaxInt
			if j == 0 {
				best[k][j].entries = 0
			}
			for i := 0; k > 0 && i < j; i++ {
				if before := best[k-1][i].entries; before < math.MaxInt {
					entries := before + (below[j]-below[i])*lengths[j-1]
					if entries < best[k][j].entries {
						best[k][j] = choice{entries, i}
					}
				}
			}
		}
	}
	few, least := 0, math.MaxInt
	for k := 1; k < len(best); k++ {
		if total := best[k][len(lengths)].entries; total < math.MaxInt && total+k*cost < least {
			few, least = k, total+k*cost
		}
	}
	var chosen []int
	for k, j := few, len(lengths); j > 0; k-- {
		chosen = append(chosen, lengths[j-1])
		j = best[k][j].from
	}
	slices.Reverse(chosen)
	return chosen
}

// layOut lays out the lists of a sample's members.
func (b *buckets) layOut(one *bucket, sample int, lists [][]neighbour) {
	size, base := one.slots*one.width, int32(sample*b.nodes)
	to, from := make([]int32, size), make([]int32, size)
	for i := range size {
		n := neighbour{0, absent, absent, absent}
		if list := lists[one.members[sample][i/one.width]]; i%one.width < len(list) {
			n = list[i%one.width]
		}
		one.neighbours = append(one.neighbours, base+n.node)
		to[i], from[i] = n.to, n.from
	}
	b.edge[sample] = append(append(b.edge[sample], to...), from...)
}

// reverseEdges finds, for each slot of a sample, the slot of the reverse edge.
func (b *buckets) reverseEdges(sample int, lists [][]neighbour) {
	size := b.entries / 2
	start, at := make([]int, b.nodes), sample*size // start is where the list of a node begins
	reverse := make([]int32, size)
	for i := range reverse {
		reverse[i] = int32(at + i)
	}
	edges, isEdge := b.edge[sample], make([]bool, 0, size)
	for _, one := range b.list {
		for i, u := range one.members[sample] {
			start[u] = at + i*one.width
		}
		slots := one.slots * one.width
		for _, e := range edges[:slots] {
			isEdge = append(isEdge, e != absent)
		}
		at, edges = at+slots, edges[2*slots:]
	}
	for u, list := range lists {
		for i, v := range list {
			reverse[start[u]+i-sample*size] = int32(start[v.node]) + v.reverse
		}
	}
	b.reverse, b.isEdge = append(b.reverse, reverse), append(b.isEdge, isEdge)
}

// fill writes a sample's weights into the entries of a row: all entries, or half of them if the row is symmetric.
func (b *buckets) fill(entries []float64, sample int, weights []float64) {
	edges, at := b.edge[sample], 0
	for _, one := range b.list {
		size := one.slots * one.width
		count := size * 2 * len(entries) / b.entries
		for i, e := range edges[:count] {
			if e != absent {
				entries[at+i] = weights[e]
			}
		}
		at, edges = at+count, edges[2*size:]
	}
}

// tables returns the tables of a [sparse], in its order.
func (b *buckets) tables() []*tensors.Tensor {
	samples := len(b.edge)
	slotOf, nodeAt := make([]int32, samples*b.nodes), make([]int32, 0, samples*b.nodes)
	for s := range samples {
		for _, one := range b.list {
			for _, u := range one.members[s] {
				node := int32(s*b.nodes) + u
				slotOf[node] = int32(len(nodeAt))
				nodeAt = append(nodeAt, node)
			}
		}
	}
	tables := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(slotOf, len(slotOf)), tensors.FromFlatDataAndDimensions(nodeAt, len(nodeAt)),
		tensors.FromFlatDataAndDimensions(slices.Concat(b.reverse...), samples, b.entries/2),
		tensors.FromFlatDataAndDimensions(slices.Concat(b.isEdge...), samples, b.entries/2),
	}
	for _, one := range b.list {
		tables = append(tables, tensors.FromFlatDataAndDimensions(one.neighbours, samples, one.slots, one.width))
	}
	return tables
}
