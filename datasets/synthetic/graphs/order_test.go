package graphs_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func undirected(t testing.TB, n int, edges ...[2]int) *dyngraph.Pattern {
	t.Helper()
	var from, to []int
	for _, e := range edges {
		from, to = append(from, e[0], e[1]), append(to, e[1], e[0])
	}
	p, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// naive joins communities as the definition says: it looks at every pair, every time.
func naive(p *dyngraph.Pattern) [][]int {
	type community struct {
		label int
		nodes []int
	}
	var all []community
	for u := range p.Nodes {
		all = append(all, community{u, []int{u}})
	}
	for {
		best, bi, bj := 0, 0, 0
		for i, a := range all { // in the order of labels
			for j := i + 1; j < len(all); j++ {
				between, ki, kj := 0, 0, 0
				for e, from := range p.From {
					inA, inB := slices.Contains(a.nodes, int(from)), slices.Contains(all[j].nodes, int(from))
					if inA {
						ki++
					}
					if inB {
						kj++
					}
					if inA && slices.Contains(all[j].nodes, int(p.To[e])) {
						between++
					}
				}
				if gain := p.Edges()*between - ki*kj; gain > best {
					best, bi, bj = gain, i, j
				}
			}
		}
		if best == 0 {
			break
		}
		all[bj].nodes = append(all[bj].nodes, all[bi].nodes...)
		all = slices.Delete(all, bi, bi+1)
	}
	var communities [][]int
	for _, c := range all {
		slices.Sort(c.nodes)
		communities = append(communities, c.nodes)
	}
	slices.SortFunc(communities, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return a[0] - b[0]
	})
	return communities
}

func TestCommunitiesAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(4, 16).Draw(rt, "nodes")
		family := rapid.SampledFrom([]graphs.Family{
			graphs.Random{Probability: rapid.Float64Range(0.05, 1).Draw(rt, "probability")},
			graphs.Grid{}, graphs.PowerLaw{Edges: 2}, graphs.SmallWorld{Neighbours: 2, Shortcut: 0.3},
		}).Draw(rt, "family")
		p := draw(t, family, n, rapid.Uint64().Draw(rt, "seed"))
		got, err := graphs.Communities(p)
		if err != nil {
			rt.Fatal(err)
		}
		if want := naive(p); !slices.EqualFunc(got, want, slices.Equal) {
			rt.Fatalf("%+v: communities %v, want %v", family, got, want)
		}
	})
}

func TestCommunitiesKnown(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *dyngraph.Pattern
		want [][]int
	}{
		{"two triangles and a bridge", undirected(t, 6, [2]int{0, 2}, [2]int{2, 4}, [2]int{4, 0}, [2]int{1, 3},
			[2]int{3, 5}, [2]int{5, 1}, [2]int{4, 5}),
			[][]int{{0, 2, 4}, {1, 3, 5}}},
		{"no edges", undirected(t, 3), [][]int{{0}, {1}, {2}}},
		{"the largest first", undirected(t, 6, [2]int{0, 1}, [2]int{2, 3}, [2]int{3, 4}, [2]int{4, 2}),
			[][]int{{2, 3, 4}, {0, 1}, {5}}},
		// Zachary's karate club (W. W. Zachary, Journal of Anthropological Research 33, 1977); the first community is
		// the example of networkx's manual.
		{"karate club", undirected(t, 34, karate...), [][]int{
			{8, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33},
			{1, 2, 3, 7, 9, 12, 13, 17, 21},
			{0, 4, 5, 6, 10, 11, 16, 19},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := graphs.Communities(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("communities %v, want %v", got, c.want)
			}
		})
	}
}

var karate = [][2]int{
	{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 10}, {0, 11}, {0, 12}, {0, 13}, {0, 17}, {0,
		19},
	{0, 21}, {0, 31}, {1, 2}, {1, 3}, {1, 7}, {1, 13}, {1, 17}, {1, 19}, {1, 21}, {1, 30}, {2, 3}, {2, 7}, {2, 8}, {2,
		9},
	{2, 13}, {2, 27}, {2, 28}, {2, 32}, {3, 7}, {3, 12}, {3, 13}, {4, 6}, {4, 10}, {5, 6}, {5, 10}, {5, 16}, {6, 16},
	{8, 30}, {8, 32}, {8, 33}, {9, 33}, {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33},
	{20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33}, {24, 25}, {24, 27}, {24,
		31},
	{25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32}, {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31,
		33},
	{32, 33},
}

// Order puts the communities beside each other, largest first, and changes nothing but numbers.
func TestByCommunity(t *testing.T) {
	for _, family := range graphs.All() {
		t.Run(family.Name(), func(t *testing.T) {
			p := draw(t, family, 100, 5)
			ordered, err := graphs.ByCommunity(p)
			if err != nil {
				t.Fatal(err)
			}
			communities, err := graphs.Communities(p)
			if err != nil {
				t.Fatal(err)
			}
			old := slices.Concat(communities...)
			from, to := make([]int, ordered.Edges()), make([]int, ordered.Edges())
			for e := range from {
				from[e], to[e] = old[ordered.From[e]], old[ordered.To[e]]
			}
			back, _, err := dyngraph.NewPattern(100, from, to)
			if err != nil || checksum(back) != checksum(p) || ordered.Nodes != p.Nodes {
				t.Errorf("numbered back, the graph differs (%v)", err)
			}
			for i, c := range communities {
				if !slices.IsSorted(c) || i > 0 && len(c) > len(communities[i-1]) {
					t.Errorf("community %d of %d nodes, %v, is out of order", i, len(c), c)
				}
			}
		})
	}
}

func TestCommunitiesOfTwoTriangles(t *testing.T) { // joined by an edge
	p, _, err := dyngraph.NewPattern(6,
		[]int{0, 2, 2, 4, 4, 0, 1, 3, 3, 5, 5, 1, 4, 5},
		[]int{2, 0, 4, 2, 0, 4, 3, 1, 5, 3, 1, 5, 5, 4})
	if err != nil {
		t.Fatal(err)
	}
	found, err := graphs.Communities(p)
	if err != nil || fmt.Sprint(found) != "[[0 2 4] [1 3 5]]" {
		t.Errorf("communities %v, %v", found, err)
	}
}

func TestDirectedGraphsAreRefused(t *testing.T) {
	for name, p := range map[string]*dyngraph.Pattern{
		"nil":        nil,
		"one way":    {Nodes: 2, From: []int32{0}, To: []int32{1}},
		"crossed":    {Nodes: 3, From: []int32{0, 1, 2}, To: []int32{1, 2, 0}},
		"self-loop":  {Nodes: 2, From: []int32{1}, To: []int32{1}},
		"order":      {Nodes: 2, From: []int32{1, 0}, To: []int32{0, 1}},
		"repetition": {Nodes: 2, From: []int32{0, 0, 1, 1}, To: []int32{1, 1, 0, 0}},
		"range":      {Nodes: 2, From: []int32{0, 2}, To: []int32{2, 0}},
		"ends":       {Nodes: 2, From: []int32{0, 1}, To: []int32{1}},
	} {
		if _, err := graphs.ByCommunity(p); !errors.Is(err, graphs.ErrInvalid) {
			t.Errorf("%s: ByCommunity: %v", name, err)
		}
		if _, err := graphs.Measure(p); !errors.Is(err, graphs.ErrInvalid) {
			t.Errorf("%s: Measure: %v", name, err)
		}
	}
}
