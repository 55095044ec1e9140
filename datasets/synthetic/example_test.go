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

// Two epidemics on a grid that changes, observed 20 times, as labelled series for models that classify.
func ExampleGenerateClasses() {
	set, err := synthetic.GenerateClasses(context.Background(), synthetic.Classes{
		Config: synthetic.Config{Family: graphs.Grid{}, Nodes: 100, Graphs: 2, Observations: 20, Shape: 3, Horizon: 1},
		Tasks:  synthetic.SIRClasses(),
	})
	if err != nil {
		panic(err)
	}
	windows, err := set.Windows()
	if err != nil {
		panic(err)
	}
	for i, w := range windows {
		fmt.Println("class", set.Labels[i], "-", w.Inputs(), "observations of", w.Series.Nodes(), "nodes with",
			w.Series.FeatureSize, "states, the label", w.GraphTargets()[19])
	}
	// Output:
	// class 0 - 20 observations of 100 nodes with 3 states, the label [0]
	// class 1 - 20 observations of 100 nodes with 3 states, the label [1]
	// class 0 - 20 observations of 100 nodes with 3 states, the label [0]
	// class 1 - 20 observations of 100 nodes with 3 states, the label [1]
}

// What a model has to beat: gamma, and with it the class, from removed and infected alone, with and without noise.
func ExampleRemovedRatio() {
	clean, err := synthetic.GenerateClasses(context.Background(), synthetic.Classes{
		Config: synthetic.Config{Family: graphs.Grid{}, Nodes: 100, Graphs: 1, Observations: 20, Horizon: 1},
		Tasks:  synthetic.SIRClasses(),
	})
	if err != nil {
		panic(err)
	}
	noisy, err := clean.Noisy(0.05, 1)
	if err != nil {
		panic(err)
	}
	for i, label := range clean.Labels {
		t := clean.Trajectories[i]
		gamma, err := synthetic.RemovedRatio(t.Times, t.Values)
		if err != nil {
			panic(err)
		}
		withNoise, err := synthetic.RemovedRatio(t.Times, noisy.Trajectories[i].Values)
		if err != nil {
			panic(err)
		}
		fmt.Printf("class %d: gamma %.2f; with noise it is above 0.5: %v\n", label, gamma, withNoise > 0.5)
	}
	// Output:
	// class 0: gamma 0.70; with noise it is above 0.5: true
	// class 1: gamma 0.30; with noise it is above 0.5: false
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
