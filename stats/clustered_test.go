package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

func ExampleClustered() {
	// Errors in two worlds of each of three seeds.
	seeds := []int{0, 0, 1, 1, 2, 2}
	model, rival := []float64{1, 2, 1, 3, 2, 2}, []float64{5, 6, 2, 4, 8, 10}
	differences, err := stats.Compare(model, [][]float64{rival}, stats.Clustered(seeds))
	if err != nil {
		fmt.Println(err)
		return
	}
	d := differences[0]
	fmt.Printf("%.1f ± %.1f, p = %.2f: %s\n", d.Mean, d.HalfWidth, d.P, d.Outcome())
	// Output: -4.0 ± 7.5, p = 0.15: no difference shown
}

// The means of clusters are tested, whatever the order of the differences, and a cluster counts once.
func TestClusteredIsATestOfMeans(t *testing.T) {
	test := stats.Clustered([]string{"b", "a", "b", "c", "c", "c"})
	values, means := []float64{1, 4, 3, 0, 1, 5}, []float64{2, 4, 2}
	mean, half := test.CI(values)
	wantMean, wantHalf := stats.MeanCI(means)
	p, wantP := test.P(values), stats.MeanP(means)
	if math.Abs(mean-wantMean) > 1e-12 || math.Abs(half-wantHalf) > 1e-12 || math.Abs(p-wantP) > 1e-12 {
		t.Errorf("%g ± %g, p %g, want %g ± %g, p %g", mean, half, p, wantMean, wantHalf, wantP)
	}
	if one := stats.Clustered([]int{7, 7, 7}); one.P([]float64{1, 2, 3}) != 1 {
		t.Error("a single cluster shows a difference")
	}
	if mean, half := test.CI(values[:2]); !math.IsNaN(mean) || !math.IsNaN(half) || !math.IsNaN(test.P(values[:2])) {
		t.Errorf("%g ± %g of fewer differences than clusters are named for, want NaN", mean, half)
	}
}

// TestClusteredIsCalibrated measures the table of docs/statistics.md: the rate at which a true hypothesis is rejected
// at 0.05 for three seeds with four worlds each, by the share of the variance between seeds.
func TestClusteredIsCalibrated(t *testing.T) {
	const seeds, worlds, trials = 3, 4, 20000
	var of []int
	for i := range seeds * worlds {
		of = append(of, i/worlds)
	}
	tests := map[string]stats.Test{"clustered": stats.Clustered(of), "Student's t": {P: stats.MeanP},
		"signed ranks": stats.SignedRanks()}
	rng := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		between float64
		share   map[string]float64 // as the table has it
	}{
		{0, map[string]float64{"clustered": .05, "Student's t": .05, "signed ranks": .04}},
		{.2, map[string]float64{"clustered": .05, "Student's t": .12, "signed ranks": .10}},
		{.5, map[string]float64{"clustered": .05, "Student's t": .24, "signed ranks": .22}},
		{.75, map[string]float64{"clustered": .05, "Student's t": .34, "signed ranks": .31}},
	} {
		rejected := make(map[string]int)
		for range trials {
			differences, own := make([]float64, len(of)), make([]float64, seeds)
			for i := range own {
				own[i] = rng.NormFloat64()
			}
			for i := range differences {
				differences[i] = math.Sqrt(c.between)*own[of[i]] + math.Sqrt(1-c.between)*rng.NormFloat64()
			}
			for name, test := range tests {
				if test.P(differences) <= 0.05 {
					rejected[name]++
				}
			}
		}
		for name, want := range c.share {
			share := float64(rejected[name]) / trials
			t.Logf("%g of the variance between seeds, %s: %.3f rejected", c.between, name, share)
			if math.Abs(share-want) > 0.015 {
				t.Errorf("%g of the variance between seeds, %s: %.3f rejected, the table has %.2f", c.between, name, share, want)
			}
		}
	}
}
