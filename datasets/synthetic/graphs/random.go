package graphs

import (
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Random joins every pair of nodes with the same probability, each pair on its own.
//
// P. Erdős, A. Rényi, On random graphs, Publicationes Mathematicae 6, 1959; E. N. Gilbert, Random graphs, The Annals of
// Mathematical Statistics 30, 1959; as networkx's gnp_random_graph.
type Random struct {
	// Probability of an edge; 0 means 0.1.
	Probability float64 `json:"Probability"`
}

// Name is "random".
func (Random) Name() string { return "random" }

func (f Random) resolved() Family {
	if f.Probability == 0 {
		f.Probability = 0.1
	}
	return f
}

// Draw draws a graph of n >= 2 nodes.
func (f Random) Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error) {
	f = f.resolved().(Random)
	if err := check(f, n, 2, f.Probability*float64(n)*float64(n), f.Probability); err != nil {
		return nil, err
	}
	var edges edgeList
	edges.within(0, n, f.Probability, rng)
	return edges.pattern(n), nil
}

// within joins each pair of the given number of nodes from first on with probability p. Pairs are counted as
// (1,0), (2,0), (2,1), (3,0), ...
func (l *edgeList) within(first, nodes int, p float64, rng *rand.Rand) {
	v, before := int64(1), int64(0) // before v's pairs lie v(v-1)/2 others
	for pair := range successes(p, int64(nodes)*int64(nodes-1)/2, rng) {
		for pair >= before+v {
			before += v
			v++
		}
		l.add(first+int(pair-before), first+int(v))
	}
}

// between joins each node of one range with each of another, that has no node of the first, with probability p.
func (l *edgeList) between(first, nodes, otherFirst, otherNodes int, p float64, rng *rand.Rand) {
	for pair := range successes(p, int64(nodes)*int64(otherNodes), rng) {
		l.add(first+int(pair/int64(otherNodes)), otherFirst+int(pair%int64(otherNodes)))
	}
}
