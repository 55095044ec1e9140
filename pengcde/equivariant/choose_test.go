package equivariant

import (
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Auto is dense up to 64 nodes, and on larger graphs if more than an eighth of the matrix is filled. An explicit choice
// stays.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		asked    Product
		n, edges int
		want     Product
	}{
		{Auto, 1, 0, Dense}, {Auto, 64, 0, Dense}, {Auto, 64, 256, Dense}, {Auto, 65, 256, Sparse}, {Auto, 100, 400, Sparse},
		{Auto, 400, 20000, Sparse}, {Auto, 400, 20001, Dense}, {Auto, 129, 2080, Sparse}, {Auto, 129, 2081, Dense},
		{"", 64, 256, Dense}, {"", 65, 256, Sparse}, {Dense, 100000, 1, Dense}, {Sparse, 2, 4, Sparse},
	} {
		if got := c.asked.Choose(c.n, c.edges); got != c.want {
			t.Errorf("%v for %d nodes with %d edges: %v, want %v", c.asked, c.n, c.edges, got, c.want)
		}
	}
}

// graph has a ring of n nodes with edges to the next few nodes, and edges from node 0 to the first of the others.
func graph(t *testing.T, n, degree, hub int) *dyngraph.Pattern {
	t.Helper()
	var from, to []int
	for u := range n {
		for k := range degree {
			from, to = append(from, u), append(to, (u+k+1)%n)
		}
	}
	for v := range hub {
		from, to = append(from, 0), append(to, v)
	}
	p, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The fullest graph of a batch decides for the whole batch.
func TestLayoutOfABatch(t *testing.T) {
	const n = 120
	for degree, sparse := range map[int]bool{15: true, 16: false} { // 0.125 and 0.133 of the matrix
		layout, err := Auto.layout(NeighbourCapacity{}, []*dyngraph.Pattern{graph(t, n, 1, 0), graph(t, n, degree, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if got := layout.buckets != nil; got != sparse {
			t.Errorf("%d neighbours: sparse %t, want %t", degree, got, sparse)
		}
	}
}

// A hub gets its own bucket if this saves more entries than a bucket costs: a list of the hub's length for every node,
// minus the actual entries, against the cost.
func TestHubGetsABucket(t *testing.T) {
	for _, c := range []struct {
		product             Product
		batch, n, hub, want int
	}{
		// 200 lists of about 3 entries, lengthened by 18 or 58: 3600 or 11600 more
		{Auto, 1, 200, 0, 1}, {Auto, 1, 200, 20, 1}, {Auto, 1, 200, 60, 2},
		{Auto, 4, 200, 20, 2}, {Auto, 4, 50, 20, 1}, // samples count together
		{AutoGPU, 4, 200, 60, 1}, {AutoGPU, 1, 1000, 250, 1}, {AutoGPU, 2, 1000, 250, 2},
	} {
		var patterns []*dyngraph.Pattern
		for range c.batch {
			patterns = append(patterns, graph(t, c.n, 1, c.hub))
		}
		if got := newBuckets(patterns, NeighbourCapacity{}, c.product.bucketCost()); len(got.list) != c.want {
			t.Errorf("%+v: %d buckets", c, len(got.list))
		}
	}
}
