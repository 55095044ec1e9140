package sir

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// passedOver returns the error of Tsit5 steps for the change of a feature when they integrate the derivative of its
// path, a cubic between neighbours with the slopes of the intervals before. The exact change is the last value minus
// the first.
func passedOver(times, values []float64, steps int) float64 {
	nodes := []float64{0, 0.161, 0.327, 0.9, 0.9800255409045097, 1}
	weights := []float64{0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
		2.324710524099774}
	slope := func(k int) float64 { return (values[k+1] - values[k]) / (times[k+1] - times[k]) }
	last, sum := len(times)-1, 0.0
	length := times[last] / float64(steps)
	for step := range steps {
		for i, node := range nodes {
			t := (float64(step) + node) * length
			k := min(max(sort.SearchFloat64s(times, t)-1, 0), last-1)
			h, s, m := times[k+1]-times[k], slope(k), slope(max(k-1, 0))
			u := t - times[k]
			sum += length * weights[i] * (m + 4*(s-m)/h*u + 3*(m-s)/h/h*u*u)
		}
	}
	return sum - (values[last] - values[0])
}

// For half of the trajectories, constant steps miss the paths of the study by as much as a note says.
func TestStepsPassOverPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	size := sirSizes(experiments.Full)
	off := func(observations, steps int, draw func(times []float64) []float64) float64 {
		set, err := synthetic.GenerateClasses(context.Background(), synthetic.Classes{Tasks: synthetic.SIRClasses(),
			Config: synthetic.Config{Family: catalogue.Families("grid")[0], Nodes: 4, Graphs: 200, Observations: observations,
				Horizon: 1, Seed: catalogue.TestSeed}})
		if err != nil {
			t.Fatal(err)
		}
		var off []float64
		for _, trajectory := range set.Trajectories {
			off = append(off, math.Abs(passedOver(trajectory.Times, draw(trajectory.Times), steps)))
		}
		slices.Sort(off)
		return stat.Quantile(0.5, stat.Empirical, off, nil)
	}
	noise := func(times []float64) (values []float64) {
		for range times {
			values = append(values, rng.NormFloat64())
		}
		return values
	}
	event := func(times []float64) []float64 {
		values := make([]float64, len(times))
		for k := 2 + rng.IntN(len(times)-2); k < len(times); k++ {
			values[k] = 1
		}
		return values
	}
	smooth := func(times []float64) (values []float64) {
		for _, t := range times {
			values = append(values, math.Exp(-t))
		}
		return values
	}
	steps := int(math.Ceil(1 / size.step))
	for _, c := range []struct {
		what         string
		observations int
		steps        int
		draw         func([]float64) []float64
		low, high    float64
	}{
		{"smooth", 20, steps, smooth, 0.0015, 0.0025},
		{"noise", 20, steps, noise, 9, 12}, {"noise", 20, 10 * steps, noise, 0.15, 0.25},
		{"event", 20, steps, event, 0.4, 0.6}, {"event", 200, steps, event, 0.95, 1.05},
	} {
		if got := off(c.observations, c.steps, c.draw); !(got >= c.low && got <= c.high) {
			t.Errorf("%s on %d observations: %d steps are off by %.3g, want %g to %g, as a note says", c.what, c.observations,
				c.steps, got, c.low, c.high)
		}
	}
}
