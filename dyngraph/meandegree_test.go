package dyngraph_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

func TestMeanDegree(t *testing.T) {
	p, _, err := dyngraph.NewPattern(4, []int{0, 1, 2, 3}, []int{1, 2, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	shared := []float64{2, -4, 2, 0}
	for name, c := range map[string]struct{ weights, want [][]float64 }{
		"one unit for all": {[][]float64{shared, shared, {1, 1, 1, 1}}, [][]float64{{1, -2, 1, 0}, {1, -2, 1, 0},
			{.5, .5, .5, .5}}},
		"empty at first": {[][]float64{{0, 0, 0, 0}, {4, 0, 4, 8}}, [][]float64{{0, 0, 0, 0}, {1, 0, 1, 2}}},
		"always empty":   {[][]float64{{0, 0, 0, 0}}, [][]float64{{0, 0, 0, 0}}},
	} {
		pattern, got, err := dyngraph.MeanDegree.Apply(p, c.weights)
		if err != nil || pattern != p {
			t.Fatalf("%s: pattern %v, error %v", name, pattern, err)
		}
		for k := range c.want {
			fixture.Close(t, name, got[k], c.want[k], 1e-15)
		}
	}
	_, _, err = dyngraph.MeanDegree.Apply(p, [][]float64{{1e-200, 0, 0, 0}, {1e200, 0, 0, 0}})
	if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "overflows") {
		t.Errorf("weights of very different units: %v", err)
	}
}

// A graph that does not change is one row in memory, before and after normalisation.
func TestNormaliseSharesRows(t *testing.T) {
	p, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	one, other := []float64{2}, []float64{2}
	for _, n := range []dyngraph.Normalisation{dyngraph.MeanDegree, dyngraph.Log, dyngraph.NormalisedLaplacian,
		dyngraph.NormalisedAdjacency} {
		_, rows, err := n.Apply(p, [][]float64{one, one, other})
		if err != nil || &rows[0][0] != &rows[1][0] || &rows[1][0] == &rows[2][0] || !slices.Equal(rows[0], rows[2]) {
			t.Errorf("%s: %v (%v)", n, rows, err)
		}
	}
}
