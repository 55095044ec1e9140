package dyngraph_test

import (
	"errors"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// sparse lists the entries of a dense matrix that are not zero.
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
		dyngraph.NormalisedLaplacian: -1.5, dyngraph.NormalisedAdjacency: -1.5, dyngraph.Log: -1, dyngraph.Normalisation(9): 1,
	} {
		if _, _, err := kind.Apply(p, [][]float64{{weight}}); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%v of weight %g: error %v, want ErrInvalid", kind, weight, err)
		}
	}
}

func TestNormalisationNames(t *testing.T) {
	for _, kind := range []dyngraph.Normalisation{dyngraph.NormalisedLaplacian, dyngraph.Log, dyngraph.Raw, dyngraph.NormalisedAdjacency} {
		var again dyngraph.Normalisation
		text, _ := kind.MarshalText()
		if err := again.UnmarshalText(text); err != nil || again != kind {
			t.Errorf("%s reads back as %v (%v)", text, again, err)
		}
	}
	var kind dyngraph.Normalisation
	if err := kind.UnmarshalText([]byte("kipf")); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("unknown name: %v", err)
	}
}
