package smallmodels

import (
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/head"
)

const (
	nodes, features, snapshots = 5, 2, 8
	// classes of affinity are the first nodes.
	classes = 3
)

// edges are directed; the weight of one of them is 0 in every third snapshot.
var edges = [][2]int{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 4}, {3, 0}, {3, 1}, {3, 2}, {4, 1}, {4, 3}}

// series has all that a head takes: targets of nodes and of the graph, newest and recent values, affinities. It is drawn
// by a seed, in sums and products alone, which every machine makes alike.
func series(seed uint64) (*dyngraph.Series, error) {
	random := rand.New(rand.NewPCG(seed, 1))
	var from, to []int
	for _, e := range edges {
		from, to = append(from, e[0]), append(to, e[1])
	}
	pattern, index, err := dyngraph.NewPattern(nodes, from, to)
	if err != nil {
		return nil, err
	}
	s := &dyngraph.Series{Name: "small", Pattern: pattern, FeatureSize: features, TargetSize: 1, Classes: classes}
	draw := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = 2*random.Float64() - 1
		}
		return values
	}
	for k := range snapshots {
		s.Times = append(s.Times, float64(k)+0.25*random.Float64())
		weights := make([]float64, len(edges))
		for e := range edges {
			if (e+k)%3 > 0 {
				weights[index[e]] = 0.5 + random.Float64()
			}
		}
		s.Weights, s.Features = append(s.Weights, weights), append(s.Features, draw(nodes*features))
		s.Targets, s.GraphTargets = append(s.Targets, draw(nodes)), append(s.GraphTargets, draw(1))
		s.LastObserved, s.RecentMean = append(s.LastObserved, draw(nodes)), append(s.RecentMean, draw(nodes))
		s.Affinities = append(s.Affinities, rows(func() []float64 { return []float64{random.Float64()} }))
		prior := rows(func() []float64 { return draw(1 + head.PriorTerms) })
		prior.Terms = head.PriorTerms
		s.Prior = append(s.Prior, prior)
	}
	return s, s.Validate()
}

// rows are affinities of every node to every class.
func rows(entry func() []float64) *dyngraph.Affinities {
	a := &dyngraph.Affinities{Start: []int{0}}
	for u := range nodes {
		for c := range classes {
			a.Classes, a.Values = append(a.Classes, int32(c)), append(a.Values, entry()...)
		}
		a.Nodes, a.Start = append(a.Nodes, int32(u)), append(a.Start, len(a.Classes))
	}
	return a
}

// windows returns the windows of one series, with three inputs each.
func windows(seed uint64) ([]dyngraph.Window, error) {
	s, err := series(seed)
	if err != nil {
		return nil, err
	}
	return s.Windows(4, 1).List()
}

// whole are series that a model follows from beginning to end; label, where not nil, changes the targets of the graph.
func whole(label func(i int) float64) (all []dyngraph.Window, err error) {
	for i := range 3 {
		s, err := series(uint64(10 + i))
		if err != nil {
			return nil, err
		}
		for k := range s.Times { // a state has less time to grow
			s.Times[k] /= 4
		}
		if label != nil {
			for k := range s.GraphTargets {
				s.GraphTargets[k] = []float64{label(i)}
			}
		}
		all = append(all, s.Whole())
	}
	return all, nil
}
