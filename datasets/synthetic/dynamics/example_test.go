package dynamics_test

import (
	"context"
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Three bodies in a row, the first warm, exchange heat.
func ExampleSimulate() {
	row, _, err := dyngraph.NewPattern(3, []int{0, 1, 1, 2}, []int{1, 0, 2, 1})
	if err != nil {
		panic(err)
	}
	values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
		Dynamics: dynamics.Heat, Start: []float64{3, 0, 0}, Times: []float64{0, 0.5, 5},
		Pattern: row, Snapshots: [][]float64{{1, 1, 1, 1}},
	})
	if err != nil {
		panic(err)
	}
	for _, value := range values {
		fmt.Printf("%.4f\n", value)
	}
	// Output:
	// [3.0000 0.0000 0.0000]
	// [2.0214 0.7769 0.2018]
	// [1.0101 1.0000 0.9899]
}

// Dynamics of one's own: oscillators with frequencies of their own pull each other into step, as Y. Kuramoto describes
// (International Symposium on Mathematical Problems in Theoretical Physics, 1975).
func ExampleRate() {
	frequency := []float64{1.0, 1.2, 0.8, 1.1}
	kuramoto := func(_ float64, phase []float64, g *dynamics.Graph, dphase []float64) {
		for i := range phase {
			dphase[i] = frequency[i]
			to, weights := g.Row(i)
			for k, j := range to {
				dphase[i] += weights[k] * math.Sin(phase[j]-phase[i])
			}
		}
	}
	ring, _, err := dyngraph.NewPattern(4, []int{0, 1, 1, 2, 2, 3, 3, 0}, []int{1, 0, 2, 1, 3, 2, 0, 3})
	if err != nil {
		panic(err)
	}
	values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
		Dynamics: dynamics.Dynamics{Name: "Kuramoto", Rate: kuramoto},
		Start:    []float64{0, 1, 2, 0.5}, Times: []float64{0, 1, 10},
		Pattern: ring, Snapshots: [][]float64{{1, 1, 1, 1, 1, 1, 1, 1}},
	})
	if err != nil {
		panic(err)
	}
	for _, phase := range values {
		re, im := 0.0, 0.0
		for _, p := range phase {
			re, im = re+math.Cos(p)/4, im+math.Sin(p)/4
		}
		fmt.Printf("order %.3f\n", math.Hypot(re, im))
	}
	// Output:
	// order 0.749
	// order 0.996
	// order 0.999
}

// Two lasers with equal pumping whose intensities are drawn to each other.
func ExamplePairwise() {
	laser := dynamics.Dynamics{Name: "laser", Rate: dynamics.Pairwise(
		func(x float64) float64 { return x - x*x*x },
		func(xi, xj float64) float64 { return 0.5 * (xj - xi) },
	)}
	pair, _, err := dyngraph.NewPattern(2, []int{0, 1}, []int{1, 0})
	if err != nil {
		panic(err)
	}
	values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
		Dynamics: laser, Start: []float64{0.1, 2}, Times: []float64{0,
			10}, Pattern: pair, Snapshots: [][]float64{{1, 1}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", values[1])
	// Output:
	// [1.000 1.000]
}

// Two bodies with 7 and 3 touch at time 1 and part at time 2: they exchange at once, and take back what they exchanged
// at contact, but not what flowed between.
func ExampleContact() {
	pair, _, err := dyngraph.NewPattern(2, []int{0, 1}, []int{1, 0})
	if err != nil {
		panic(err)
	}
	values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
		Dynamics: dynamics.Contact(0.1, 0.2), Start: []float64{7, 3}, Times: []float64{0, 1, 1.5, 2}, Pattern: pair,
		Snapshots: [][]float64{{0, 0}, {1, 1}}, Index: []int{0, 1, 1, 0},
	})
	if err != nil {
		panic(err)
	}
	for _, value := range values {
		fmt.Printf("%.3f\n", value)
	}
	// Output:
	// [7.000 3.000]
	// [6.341 3.659]
	// [6.213 3.787]
	// [6.637 3.363]
}

func ExampleSIR() {
	pair, _, err := dyngraph.NewPattern(2, []int{0, 1}, []int{1, 0})
	if err != nil {
		panic(err)
	}
	values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
		Dynamics: dynamics.SIR(0.3, 0.3), Start: []float64{0.5, 0.5, 0, 1, 0, 0}, Times: []float64{0, 1},
		Pattern: pair, Snapshots: [][]float64{{1, 1}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n%.3f\n", values[1][:3], values[1][3:])
	// Output:
	// [0.491 0.378 0.130]
	// [0.878 0.105 0.018]
}
