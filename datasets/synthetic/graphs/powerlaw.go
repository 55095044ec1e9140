package graphs

import (
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// PowerLaw grows a graph by preferential attachment: it starts from a star of Edges+1 nodes, then each new node is
// joined to Edges distinct nodes, drawn with probability proportional to their degree. So it has Edges (n - Edges)
// edges, and degrees with a tail of exponent 3.
//
// A.-L. Barabási, R. Albert, Emergence of scaling in random networks, Science 286, 1999; as networkx's
// barabasi_albert_graph, which starts from a star since version 2.6.
type PowerLaw struct {
	// Edges of each new node; 0 means 5.
	Edges int `json:"Edges"`
}

// Name is "power law".
func (PowerLaw) Name() string { return "power law" }

func (f PowerLaw) resolved() Family {
	if f.Edges == 0 {
		f.Edges = 5
	}
	return f
}

// Draw draws a graph of n > Edges nodes, numbered by age: node 0 is the centre of the star.
func (f PowerLaw) Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error) {
	f = f.resolved().(PowerLaw)
	m := f.Edges
	if m < 1 {
		return nil, invalid("power law with %d edges for each new node, want at least 1", m)
	}
	if err := check(f, n, m+1, 2*float64(m)*float64(n-m)); err != nil {
		return nil, err
	}
	var edges edgeList
	for leaf := 1; leaf <= m; leaf++ {
		edges.add(0, leaf)
	}
	chosenBy := make([]int32, n) // the last new node that chose it
	for node := m + 1; node < n; node++ {
		// A uniform end of a uniform edge is a node in proportion to its degree.
		for older, chosen := len(edges.from), 0; chosen < m; {
			end := rng.IntN(2 * older)
			target := edges.from[end/2]
			if end%2 == 1 {
				target = edges.to[end/2]
			}
			if chosenBy[target] != int32(node) {
				chosenBy[target] = int32(node)
				edges.add(int(target), node)
				chosen++
			}
		}
	}
	return edges.pattern(n), nil
}
