package studytest

import (
	"math"
	"slices"
	"testing"
)

// The comparison finds changes, and ignores rounding.
func TestGoldenChanges(t *testing.T) {
	want := map[string][]float64{"a": {1, 1e-3}, "b": {0, 0}}
	for _, c := range []struct {
		name    string
		got     map[string][]float64
		changes int
	}{
		{"the same", map[string][]float64{"a": {1, 1e-3}, "b": {0, 0}}, 0},
		{"rounding", map[string][]float64{"a": {1 + 1e-9, 1e-3 + 1e-12}, "b": {0, 0}}, 0},
		{"another number", map[string][]float64{"a": {1, 1.001e-3}, "b": {0, 0}}, 1},
		{"NaN", map[string][]float64{"a": {math.NaN(), 1e-3}, "b": {0, 0}}, 1},
		{"one gone, one new", map[string][]float64{"a": {1, 1e-3}, "c": {1}}, 1},
	} {
		if changes := goldenChanges(want, c.got, goldenTolerance); len(changes) != c.changes {
			t.Errorf("%s: %q, want %d changes", c.name, changes, c.changes)
		}
	}
	if added := goldenAdded(want, map[string][]float64{"a": nil, "d": nil, "c": nil}); !slices.Equal(added, []string{"c",
		"d"}) {
		t.Errorf("added %q, want c and d", added)
	}
}
