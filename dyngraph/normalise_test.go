package dyngraph_test

import (
	"errors"
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// sparse lists the nonzero entries of a dense matrix.
func sparse(t *testing.T, a fixture.Array) (*dyngraph.Pattern, []float64) {
	t.Helper()
	n := a.Dims[0]
	var from, to []int
	var weights []float64
	for i, w := range a.Data {
		if w != 0 {
			from, to, weights = append(from, i/n), append(to, i%n), append(weights, w)
		}
	}
	p, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return p, weights
}

func TestFixtureControlNormLap(t *testing.T) {
	f := fixture.Load(t, "control_norm_lap")
	for _, name := range []string{"asym", "sym"} {
		a := f.Get("A_" + name).Array()
		p, weights := sparse(t, a)
		looped, controls, err := dyngraph.NormalisedLaplacian.Apply(p, [][]float64{weights})
		if err != nil {
			t.Fatal(err)
		}
		dense := make([]float64, len(a.Data))
		for e, c := range controls[0] {
			dense[int(looped.From[e])*a.Dims[0]+int(looped.To[e])] = c
		}
		fixture.Close(t, name, dense, f.Get("exact64_"+name).Array().Data, 1e-14)
		_, adjacency, err := dyngraph.NormalisedAdjacency.Apply(p, [][]float64{weights})
		if err != nil {
			t.Fatal(err)
		}
		for e, c := range adjacency[0] {
			at := int(looped.From[e])*a.Dims[0] + int(looped.To[e])
			dense[at] += c
			if looped.From[e] == looped.To[e] {
				dense[at]--
			}
		}
		fixture.Close(t, name+": Laplacian + adjacency - I", dense, make([]float64, len(dense)), 1e-15)
	}
}

func TestNormalisationErrors(t *testing.T) {
	p, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	for kind, weight := range map[dyngraph.Normalisation]float64{
		dyngraph.NormalisedLaplacian: -1.5, dyngraph.NormalisedAdjacency: -1.5, dyngraph.Log: -1, "kipf": 1,
	} {
		if _, _, err := kind.Apply(p, [][]float64{{weight}}); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%v of weight %g: error %v, want ErrInvalid", kind, weight, err)
		}
	}
}

// Every normalisation returns an error for weights that are not snapshots of the pattern, and for degrees that
// overflow, which would give entries of 0.
func TestNormalisationInput(t *testing.T) {
	sound := dyngraph.Pattern{Nodes: 3, From: []int32{0, 0}, To: []int32{1, 2}}
	for _, c := range []struct {
		name    string
		pattern *dyngraph.Pattern
		weights []float64
		kinds   []dyngraph.Normalisation
	}{
		{"no pattern", nil, []float64{1, 1}, everyKind}, {"no nodes", &dyngraph.Pattern{}, nil, everyKind},
		{"edge twice", &dyngraph.Pattern{Nodes: 2, From: []int32{0, 0}, To: []int32{1, 1}}, []float64{1, 1}, everyKind},
		{"too many weights", &sound, []float64{1, 1, 1}, everyKind}, {"too few", &sound, []float64{1}, everyKind},
		{"NaN", &sound, []float64{1, math.NaN()}, everyKind}, {"infinite", &sound, []float64{math.Inf(1), 1},
			everyKind},
		{"degree overflows", &sound, []float64{1.7e308, 1.7e308},
			[]dyngraph.Normalisation{dyngraph.NormalisedLaplacian, dyngraph.NormalisedAdjacency}},
	} {
		for _, kind := range c.kinds {
			if _, _, err := kind.Apply(c.pattern, [][]float64{c.weights}); !errors.Is(err, dyngraph.ErrInvalid) {
				t.Errorf("%s, %v: %v, want ErrInvalid", c.name, kind, err)
			}
		}
	}
}

var everyKind = []dyngraph.Normalisation{dyngraph.NormalisedLaplacian, dyngraph.Log, dyngraph.Raw,
	dyngraph.NormalisedAdjacency}

// The adjacency of two nodes with edges of weight w in both directions has the entries w/(1+w) and, on the diagonal,
// 1/(1+w), also if the product of their degrees overflows or underflows float64.
func TestNormalisationOfExtremeWeights(t *testing.T) {
	p := &dyngraph.Pattern{Nodes: 2, From: []int32{0, 1}, To: []int32{1, 0}}
	for _, degree := range []float64{1e200, 1e307, 3, 0x1p-53} {
		w := degree - 1 // -1 + 2^-53 is exact
		_, c, err := dyngraph.NormalisedAdjacency.Apply(p, [][]float64{{w, w}})
		if err != nil {
			t.Fatal(err)
		}
		fixture.Close(t, "entries", c[0], []float64{1 / degree, w / degree, w / degree, 1 / degree},
			4e-16*max(1, 1/degree))
	}
}

// The zero value is the normalised Laplacian.
func TestZeroNormalisation(t *testing.T) {
	p := &dyngraph.Pattern{Nodes: 2, From: []int32{0, 1}, To: []int32{1, 0}}
	for _, kind := range []dyngraph.Normalisation{"", dyngraph.NormalisedLaplacian} {
		_, c, err := kind.Apply(p, [][]float64{{3, 3}})
		if err != nil {
			t.Fatal(err)
		}
		fixture.Close(t, "entries", c[0], []float64{0.75, -0.75, -0.75, 0.75}, 1e-15)
	}
}
