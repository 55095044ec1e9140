package baseline_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// Simple forecasts take no value of an absent node, and their scores leave absent nodes out.
func TestSimpleForecastsWithPresence(t *testing.T) {
	series := func(planted float64) *dyngraph.Series {
		pattern, _, err := dyngraph.NewPattern(3, []int{0, 1, 2}, []int{1, 2, 0})
		if err != nil {
			t.Fatal(err)
		}
		s := &dyngraph.Series{Name: "accounts", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
		var present [][]bool
		for k := range 30 {
			row := []float64{math.Sin(float64(k)), math.Cos(float64(k)), math.Sin(float64(k + 3))}
			there := []bool{true, k >= 10, k < 27}
			for u := range row {
				if !there[u] {
					row[u] = planted
				}
			}
			s.Times, s.Weights = append(s.Times, float64(k)), append(s.Weights, []float64{1, 2, 3})
			s.Features, s.Targets, present = append(s.Features, row), append(s.Targets, row), append(present, there)
		}
		s.LastObserved, s.RecentMean = s.Targets, s.Targets
		if s, err = s.WithPresence(present); err != nil {
			t.Fatal(err)
		}
		return s
	}
	var scores [2][]baseline.Score
	for i, planted := range []float64{0, 1e9} {
		split, err := series(planted).Windows(4, 1).Chronological(0.6, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		if scores[i], err = baseline.Compare(context.Background(), split); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range scores[0] {
		if s.Err != nil {
			t.Errorf("%s: %v", s.Name, s.Err)
			continue
		}
		if other := scores[1][i]; !slices.Equal(s.Errors, other.Errors) || slices.ContainsFunc(s.Errors, math.IsNaN) {
			t.Errorf("%s: errors %v, with planted values %v", s.Name, s.Errors, other.Errors)
		}
		for k, w := range s.Windows {
			for u, y := range s.Forecasts[k] {
				if absent := u == 2 && w.Last()-1 >= 27; math.IsNaN(y) != absent {
					t.Errorf("%s: window to snapshot %d forecasts %g for node %d", s.Name, w.Last(), y, u)
				}
			}
		}
	}
}
