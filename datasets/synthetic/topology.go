package synthetic

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Family is a distribution of graphs.
type Family interface {
	// Name is how tables call the family.
	Name() string
	// Draw draws a graph of n nodes, or somewhat more where it must; all edges have weight 1.
	Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error)
}

// drawSchedule draws when events happen: early indices from 2 to four fifths of the times, late ones beyond.
func drawSchedule(early, late, times int, rng *rand.Rand) ([]int, error) {
	before := 4 * times / 5
	if early > before-2 || late > times-before {
		return nil, fmt.Errorf("datasets/synthetic: no room for %d and %d events at %d times: %w", early, late, times, ErrConfig)
	}
	at := make([]int, 0, early+late)
	for _, k := range rng.Perm(before - 2)[:early] {
		at = append(at, 2+k)
	}
	for _, k := range rng.Perm(times - before)[:late] {
		at = append(at, before+k)
	}
	slices.Sort(at)
	return at, nil
}

// inForce is the number of events up to each of the times.
func inForce(events []int, times int) []int {
	index := make([]int, times)
	for _, event := range events {
		for k := event; k < times; k++ {
			index[k]++
		}
	}
	return index
}

// change lets events happen to a graph: all pairs of nodes lose their edge with probability drop, then gain one with
// probability add. It returns the union pattern and the weights [count+1][edges].
func change(graph *dyngraph.Pattern, count int, drop, add float64, rng *rand.Rand) (*dyngraph.Pattern, [][]float64, error) {
	n := graph.Nodes
	current := map[int]bool{}
	var from, to, after []int // edges of all snapshots one after the other
	for e := range graph.From {
		current[int(graph.From[e])*n+int(graph.To[e])] = true
	}
	for k := range count + 1 {
		edges := make([]int, 0, len(current))
		for pair := range current {
			edges = append(edges, pair)
		}
		slices.SortFunc(edges, cmp.Compare)
		for _, pair := range edges {
			from, to, after = append(from, pair/n), append(to, pair%n), append(after, k)
			if rng.Float64() < drop {
				delete(current, pair)
			}
		}
		for pair := -1; ; {
			if pair += 1 + int(math.Log1p(-rng.Float64())/math.Log1p(-add)); pair >= n*n {
				break
			}
			current[pair] = true
		}
	}
	pattern, place, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		return nil, nil, err
	}
	snapshots := make([][]float64, count+1)
	for k := range snapshots {
		snapshots[k] = make([]float64, pattern.Edges())
	}
	for i, e := range place {
		snapshots[after[i]][e] = 1
	}
	return pattern, snapshots, nil
}
