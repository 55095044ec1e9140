package gradients

import (
	"math"
	"testing"
)

func TestLargestDifference(t *testing.T) {
	ours := map[string][]float64{"a": {3, 4}, "b": {1}}
	d, worst, err := LargestDifference(ours, map[string][]float64{"a": {3, 4.5}, "b": {1.01}})
	if err != nil || worst != "a" || d != 0.1 {
		t.Errorf("%g at %q, %v; want 0.1 at a", d, worst, err)
	}
	for name, theirs := range map[string]map[string][]float64{"missing": {"a": {3, 4}}, "short": {"a": {3}, "b": {1}}} {
		if _, _, err := LargestDifference(ours, theirs); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	same := map[string][]float64{"a": {0, 0}}
	if d, _, err := LargestDifference(same, same); d != 0 || err != nil {
		t.Errorf("of zeros: %g, %v", d, err)
	}
	broken := map[string][]float64{"a": {math.NaN(), 4}, "b": {2}}
	if d, worst, err := LargestDifference(ours, broken); !math.IsNaN(d) || worst != "a" || err != nil {
		t.Errorf("of NaN: %g at %q, %v", d, worst, err)
	}
}
