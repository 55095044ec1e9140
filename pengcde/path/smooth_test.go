package path_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// randomKnots returns increasing times between 0 and about 1.
func randomKnots(count int, random *rand.Rand) []float64 {
	knots := make([]float64, count)
	for k := range knots[1:] {
		knots[k+1] = knots[k] + (0.2+random.Float64())/float64(count)
	}
	return knots
}

// curves are features of two for each node: noise of a standard deviation on a curve, and a curve without noise.
func curves(knots []float64, nodes int, noise float64, random *rand.Rand) (noisy, truth [][]float64) {
	for _, t := range knots {
		var row, exact []float64
		for u := range nodes {
			x := math.Sin(3*t + float64(u))
			exact = append(exact, x, x*x)
			row = append(row, x+noise*random.NormFloat64(), x*x)
		}
		noisy, truth = append(noisy, row), append(truth, exact)
	}
	return noisy, truth
}

func smoothed(t *testing.T, knots []float64, features [][]float64, nodes int) [][]float64 {
	t.Helper()
	smooth, err := path.LocalLines.Apply(knots, features, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return smooth
}

// Smoothing brings a noisy feature closer to the truth, and does not touch a feature without noise, nor its input.
func TestSmoothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{12, 20, 100} {
		knots := randomKnots(count, random)
		noisy, truth := curves(knots, 7, 0.2, random)
		kept := slices.Clone(noisy[3])
		smooth := smoothed(t, knots, noisy, 7)
		var before, after []float64
		for k := range knots {
			for i, x := range smooth[k] {
				if i%2 == 1 {
					if x != truth[k][i] {
						t.Fatalf("%d knots: a feature without noise at knot %d: %g, was %g", count, k, x, truth[k][i])
					}
					continue
				}
				before, after = append(before, math.Abs(noisy[k][i]-truth[k][i])), append(after, math.Abs(x-truth[k][i]))
			}
		}
		if a, b := stat.Mean(after, nil), stat.Mean(before, nil); a > 0.7*b {
			t.Errorf("%d knots: error %.3f after smoothing, %.3f before", count, a, b)
		}
		if !slices.Equal(noisy[3], kept) {
			t.Error("the input was changed")
		}
	}
}

// A line stays a line, and equal values stay equal to the bit, beside a noisy node that makes lines long.
func TestSmoothingKeepsLines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	knots := randomKnots(30, random)
	var features [][]float64
	for _, time := range knots {
		features = append(features, []float64{random.NormFloat64(), 2 - 3*time, 0.1})
	}
	for k, row := range smoothed(t, knots, features, 3) {
		if row[0] == features[k][0] {
			t.Errorf("knot %d: noise stays %g", k, row[0])
		}
		if !(math.Abs(row[1]-features[k][1]) <= 1e-12) || row[2] != 0.1 {
			t.Errorf("knot %d: %g and %g, want %g and 0.1", k, row[1], row[2], features[k][1])
		}
	}
}

// A missing value stays missing, and the others are smoothed as if it were not there.
func TestSmoothingOfMissingValues(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	knots := randomKnots(20, random)
	whole, _ := curves(knots, 2, 0.2, random)
	missing := []int{0, 7, 8, 19}
	var fewer [][]float64
	var times []float64
	gaps := slices.Clone(whole)
	for k, row := range whole {
		if slices.Contains(missing, k) {
			gaps[k] = []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
			continue
		}
		fewer, times = append(fewer, row), append(times, knots[k])
	}
	want := smoothed(t, times, fewer, 2)
	for k, row := range smoothed(t, knots, gaps, 2) {
		if slices.Contains(missing, k) {
			if !slices.ContainsFunc(row, math.IsNaN) {
				t.Errorf("missing knot %d: %g", k, row)
			}
			continue
		}
		if !slices.Equal(row, want[0]) {
			t.Errorf("knot %d: %g, want %g", k, row, want[0])
		}
		want = want[1:]
	}
}

// Lines are chosen over all nodes, whatever their order.
func TestSmoothingCommutesWithRelabelling(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	knots := randomKnots(25, random)
	features, _ := curves(knots, 3, 0.1, random)
	order := []int{2, 0, 1}
	relabel := func(rows [][]float64) (all [][]float64) {
		for _, row := range rows {
			var one []float64
			for _, u := range order {
				one = append(one, row[2*u:2*u+2]...)
			}
			all = append(all, one)
		}
		return all
	}
	got, want := smoothed(t, knots, relabel(features), 3), relabel(smoothed(t, knots, features, 3))
	for k := range got {
		if !slices.Equal(got[k], want[k]) {
			t.Fatalf("knot %d: %g, want %g", k, got[k], want[k])
		}
	}
}

func TestSmoothingErrors(t *testing.T) {
	knots, features := []float64{0, 1, 2}, [][]float64{{1}, {2}, {4}}
	for name, err := range map[string]error{
		"unknown":  second(path.Smoothing("spline").Apply(knots, features, 1)),
		"knots":    second(path.LocalLines.Apply([]float64{0, 0, 1}, features, 1)),
		"rows":     second(path.LocalLines.Apply(knots, features[:2], 1)),
		"infinite": second(path.LocalLines.Apply(knots, [][]float64{{1}, {math.Inf(1)}, {2}}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := path.LocalLines.Apply(knots, features[:2], 1); !errors.Is(err, path.ErrValues) {
		t.Errorf("too few rows: %v", err)
	}
	if got, err := path.NoSmoothing.Apply(nil, features, 1); err != nil || &got[0] != &features[0] {
		t.Errorf("no smoothing: %v, %v", got, err)
	}
}

func second(_ [][]float64, err error) error { return err }
