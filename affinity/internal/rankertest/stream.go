// Package rankertest holds the tests that networks of package ranker share.
package rankertest

import (
	"math/rand/v2"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Stream is a series of events between nodes, and labels that follow from them.
func Stream(t *testing.T, nodes, classes, times, each int, follow bool) *affinity.Data {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	source := &affinity.Memory{Classes: classes}
	for u := range nodes {
		source.NodeNames = append(source.NodeNames, string(rune('a'+u)))
	}
	for at := range times {
		sums := make(map[[2]int]float64)
		for i := range each {
			from, to := random.IntN(nodes), random.IntN(classes)
			if follow { // each node has a favourite, which moves
				to = (from + at/6) % classes
			}
			e := dyngraph.Event{Time: float64(at) + float64(i)/float64(2*each), Source: int32(from), Destination: int32(to),
				Weight: 1 + random.Float64()}
			source.EventList = append(source.EventList, e)
			sums[[2]int{from, to}] += e.Weight
		}
		labels := affinity.Labels{Time: float64(at) + 0.9, Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := range nodes {
			for c := range classes {
				if w := sums[[2]int{u, c}]; w > 0 {
					labels.Classes, labels.Values = append(labels.Classes, int32(c)), append(labels.Values, w)
				}
			}
			if len(labels.Classes) > labels.Start[len(labels.Start)-1] {
				labels.Nodes, labels.Start = append(labels.Nodes, int32(u)), append(labels.Start, len(labels.Classes))
			}
		}
		for k := range labels.Nodes { // affinities sum to 1
			total := 0.0
			for _, w := range labels.Values[labels.Start[k]:labels.Start[k+1]] {
				total += w
			}
			for i := labels.Start[k]; i < labels.Start[k+1]; i++ {
				labels.Values[i] /= total
			}
		}
		source.LabelList = append(source.LabelList, labels)
	}
	data, err := affinity.New(t.Context(), "stream", 1, source)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
