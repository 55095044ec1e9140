package graphs

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/countsort"
)

// byCommunity renumbers the nodes of an undirected graph community by community, in the order of communities, so that
// the adjacency matrix shows blocks and neighbours of a community lie together in a picture.
func byCommunity(p *dyngraph.Pattern) (*dyngraph.Pattern, error) {
	found, err := communities(p)
	if err != nil {
		return nil, err
	}
	number := make([]int32, p.Nodes)
	for next, node := range slices.Concat(found...) {
		number[node] = int32(next)
	}
	from, to := make([]int32, p.Edges()), make([]int32, p.Edges())
	for e := range from {
		from[e], to[e] = number[p.From[e]], number[p.To[e]]
	}
	return sorted(p.Nodes, from, to), nil
}

// communities finds communities of an undirected graph by greedy modularity maximisation: each node starts as its own
// community, and while the modularity increases, the two communities whose union increases it most are joined. The
// largest community comes first; of equal sizes, the community with the smallest node. Nodes of a community are in
// increasing order.
//
// A. Clauset, M. E. J. Newman, C. Moore, Finding community structure in very large networks, Physical Review E 70,
// 066111, 2004; as networkx's greedy_modularity_communities, with its rule for equal gains (the pair with the smallest
// labels, the union takes the larger label) applied to exact gains where networkx's are rounded. gonum's community
// package has Louvain's method only.
func communities(p *dyngraph.Pattern) ([][]int, error) {
	if err := checkUndirected(p); err != nil {
		return nil, err
	}
	c := newClustering(p)
	for len(c.queue) > 0 {
		c.step()
	}
	members := make(map[int32][]int)
	for node := range p.Nodes {
		root := c.find(int32(node))
		members[root] = append(members[root], node)
	}
	return slices.SortedFunc(maps.Values(members), func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0]))
	}), nil
}

// clustering is the state of the greedy algorithm. With m edges, E_ij of them between communities i and j, and k_i the
// sum of the degrees in i, joining i and j raises the modularity by 2/(2m)² (2m E_ij - k_i k_j); the bracket is an
// exact integer, the gain.
//
// The queue is lazy. Joining communities lowers the gain of every pair they are in, except where both have edges to a
// third: only such pairs are queued again. All other queued gains are upper bounds, corrected when they come to the
// front. The smaller row is joined into the larger.
type clustering struct {
	twiceEdges int64
	parent     []int32           // union-find; roots index what follows
	between    []map[int32]int32 // E_ij by root j
	degree     []int64           // k_i
	label      []int32
	queue      pairs
}

func newClustering(p *dyngraph.Pattern) *clustering {
	n := p.Nodes
	c := &clustering{
		twiceEdges: int64(p.Edges()),
		parent:     make([]int32, n), between: make([]map[int32]int32, n),
		degree: make([]int64, n), label: make([]int32, n),
	}
	start := countsort.Starts(n, p.From)
	for u := range n {
		neighbours := p.To[start[u]:start[u+1]]
		c.parent[u], c.label[u], c.degree[u] = int32(u), int32(u), int64(len(neighbours))
		c.between[u] = make(map[int32]int32, len(neighbours))
		for _, v := range neighbours {
			c.between[u][v] = 1
		}
	}
	for e, u := range p.From {
		if v := p.To[e]; u < v {
			c.queue = append(c.queue, c.pair(u, v))
		}
	}
	heap.Init(&c.queue)
	return c
}

// step takes the pair at the front: it joins the pair, corrects its gain, or drops it.
func (c *clustering) step() {
	front := c.queue[0]
	i, j := c.find(front.low), c.find(front.high)
	if i == j {
		heap.Pop(&c.queue)
		return
	}
	switch now := c.pair(i, j); {
	case now.gain <= 0:
		heap.Pop(&c.queue)
	case now != front:
		c.queue[0] = now
		heap.Fix(&c.queue, 0)
	default:
		heap.Pop(&c.queue)
		c.join(i, j)
	}
}

// join unites two roots.
func (c *clustering) join(i, j int32) {
	if len(c.between[i]) > len(c.between[j]) {
		i, j = j, i
	}
	c.parent[i] = j
	c.degree[j] += c.degree[i]
	c.label[j] = max(c.label[i], c.label[j])
	delete(c.between[j], i)
	for k, edges := range c.between[i] {
		if k == j {
			continue
		}
		delete(c.between[k], i)
		already := c.between[j][k]
		c.between[j][k], c.between[k][j] = already+edges, already+edges
		if already > 0 {
			if pair := c.pair(j, k); pair.gain > 0 {
				heap.Push(&c.queue, pair)
			}
		}
	}
	c.between[i] = nil
}

func (c *clustering) pair(i, j int32) pair {
	return pair{
		gain: c.twiceEdges*int64(c.between[i][j]) - c.degree[i]*c.degree[j],
		low:  min(c.label[i], c.label[j]), high: max(c.label[i], c.label[j]),
	}
}

// find returns the root of a node's community and halves the way there.
func (c *clustering) find(node int32) int32 {
	for c.parent[node] != node {
		c.parent[node] = c.parent[c.parent[node]]
		node = c.parent[node]
	}
	return node
}

// pair of communities by label; a label is a node of its community.
type pair struct {
	gain      int64
	low, high int32
}

// pairs is a heap with the largest gain first, of equal gains the smallest labels.
type pairs []pair

func (h pairs) Len() int { return len(h) }
func (h pairs) Less(a, b int) bool {
	x, y := h[a], h[b]
	return cmp.Or(cmp.Compare(y.gain, x.gain), cmp.Compare(x.low, y.low), cmp.Compare(x.high, y.high)) < 0
}
func (h pairs) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *pairs) Push(x any)   { *h = append(*h, x.(pair)) }
func (h *pairs) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
