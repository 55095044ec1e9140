package synthetic_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Heat on a lattice, with the published constants but fewer nodes.
func ExampleGenerate() {
	set, err := synthetic.Generate(context.Background(), synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat,
		Nodes: 100, Seed: 1234})
	if err != nil {
		panic(err)
	}
	t := set.Trajectories[0]
	fmt.Println(len(set.Trajectories), "trajectories of", t.Pattern.Nodes, "nodes,", len(t.Times), "observations,",
		len(t.Snapshots), "graphs")
	fmt.Println(len(set.Train), "for training,", len(set.Interpolation), "for interpolation,", len(set.Extrapolation),
		"for extrapolation")
	// Output:
	// 4 trajectories of 100 nodes, 120 observations, 13 graphs
	// 80 for training, 20 for interpolation, 20 for extrapolation
}

// ring is a family of one's own.
type ring struct{}

func (ring) Name() string { return "ring" }

func (ring) Draw(n int, _ *rand.Rand) (*dyngraph.Pattern, error) {
	var from, to []int
	for u := range n {
		from, to = append(from, u, u), append(to, (u+1)%n, (u+n-1)%n)
	}
	p, _, err := dyngraph.NewPattern(n, from, to)
	return p, err
}

// Oscillators on a ring: dynamics and graphs of one's own, as a data set. The image holds the phases at the start.
func ExampleTask() {
	kuramoto := dynamics.Pairwise(
		func(float64) float64 { return 1 },
		func(xi, xj float64) float64 { return math.Sin(xj - xi) },
	)
	set, err := synthetic.Generate(context.Background(), synthetic.Config{
		Family: ring{}, Nodes: 25,
		Task: synthetic.Task{
			Dynamics:  dynamics.Dynamics{Name: "Kuramoto", Rate: kuramoto},
			Amplitude: synthetic.Amplitude{Low: 1, High: 2},
		},
	})
	if err != nil {
		panic(err)
	}
	t := set.Trajectories[0]
	for _, k := range []int{0, len(t.Times) - 1} {
		re, im := 0.0, 0.0
		for _, phase := range t.Values[k] {
			re, im = re+math.Cos(phase)/25, im+math.Sin(phase)/25
		}
		fmt.Printf("order %.1f\n", math.Hypot(re, im))
	}
	// Output:
	// order 0.8
	// order 1.0
}

func ExampleCache() {
	folder, err := os.MkdirTemp("", "pengcde")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	cache := synthetic.Cache{Folder: folder}
	config := synthetic.Config{Family: ring{}, Task: synthetic.Gene, Nodes: 25}
	for range 2 { // generates, then reads
		set, err := cache.Generate(context.Background(), config)
		if err != nil {
			panic(err)
		}
		fmt.Println(len(set.Trajectories), "trajectories")
	}
	// Output:
	// 4 trajectories
	// 4 trajectories
}
