package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Quantiles with infinite degrees of freedom as Harter (1960) tabulates them, for 0.05 and 0.01.
func TestRangeSurvivalTable(t *testing.T) {
	for k, q := range map[int][2]float64{2: {2.772, 3.643}, 3: {3.314, 4.120}, 4: {3.633, 4.403}, 5: {3.858, 4.603},
		6: {4.030, 4.757}, 7: {4.170, 4.882}, 8: {4.286, 4.987}, 9: {4.387, 5.078}, 10: {4.474, 5.157},
		20: {5.012, 5.645}} {
		for i, p := range []float64{0.05, 0.01} {
			low, high := rangeSurvival(q[i]+0.0005, k), rangeSurvival(q[i]-0.0005, k)
			if !(low < p && p < high) {
				t.Errorf("k = %d: p is %.5f to %.5f at the printed digits of %g, want %g", k, low, high, q[i], p)
			}
		}
	}
}

// The range of two variables is a difference with standard deviation √2.
func TestRangeSurvivalOfTwo(t *testing.T) {
	for _, q := range []float64{0, 1e-6, 0.1, 1, 2.772, 5, 10, 20, 30} {
		got, want := rangeSurvival(q, 2), 2*distuv.UnitNormal.CDF(-q/math.Sqrt2)
		if math.Abs(got-want) > 1e-12*want {
			t.Errorf("q = %g: p = %g, want %g", q, got, want)
		}
	}
}

// Half the step changes nothing that counts, and more models have the larger range.
func TestRangeSurvivalStep(t *testing.T) {
	for _, q := range []float64{0.5, 2, 4, 8, 16} {
		before := 0.0
		for _, k := range []int{2, 3, 13, 100} {
			got, finer := rangeSurvival(q, k), min(1, rangeSurvivalStep(q, k, 1./32))
			if math.Abs(got-finer) > 1e-12*finer {
				t.Errorf("k = %d, q = %g: p = %g, with half the step %g", k, q, got, finer)
			}
			if got < before-1e-14 || got > 1 {
				t.Errorf("k = %d, q = %g: p = %g, want one of %g to 1", k, q, got, before)
			}
			before = got
		}
	}
}
