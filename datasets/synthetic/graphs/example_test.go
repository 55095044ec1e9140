package graphs_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// A graph that changes: drawn, given events, and made a control of models.
func Example() {
	const n, times, seed = 400, 120, 1234
	rng := rand.New(rand.NewPCG(seed, 0))
	graph, err := graphs.Draw(graphs.PowerLaw{}, n, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := graphs.Schedule{}.Draw(times, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	union, snapshots, err := graphs.Events{}.Apply(graph, len(at), rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	index := graphs.InForce(at, times) // which snapshot holds at each time
	pattern, control, err := dyngraph.NormalisedLaplacian.Apply(union, snapshots)
	fmt.Println(graph.Edges(), "directed edges,", len(snapshots), "snapshots, the last time has number", index[times-1])
	fmt.Println(len(control), "controls,", pattern.Edges() > union.Edges(), err)
	// Output:
	// 3950 directed edges, 13 snapshots, the last time has number 12
	// 13 controls, true <nil>
}

// Large graphs take probabilities that fall as 1/n, here so that the mean degree is the same as with 400 nodes.
func ExampleCommunity() {
	const n = 4_000
	scale := 400. / n
	graph, err := graphs.Draw(graphs.Community{Inside: 0.25 * scale, Between: 0.01 * scale}, n,
		rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d nodes, mean degree %.0f\n", graph.Nodes, float64(graph.Edges())/n)
	// Output: 4000 nodes, mean degree 32
}

func ExampleSchedule() {
	at, err := graphs.Schedule{Early: 3, Late: 1}.Draw(20, rand.New(rand.NewPCG(1, 0)))
	fmt.Println(len(at), "events", err)
	// Output: 4 events <nil>
}
