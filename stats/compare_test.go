package stats_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

// All tests have the same mean; tests that account for dependence have wider intervals and larger p values.
func TestCompare(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	model, equal, worse := make([]float64, 20), make([]float64, 20), make([]float64, 20)
	for i := range model {
		model[i] = rng.NormFloat64()
		equal[i], worse[i] = model[i]+0.1*rng.NormFloat64(), model[i]+1+0.3*rng.NormFloat64()
	}
	rivals := [][]float64{equal, worse}
	var plain []stats.Difference
	for name, test := range map[string]stats.Test{"": {}, "signed ranks": stats.SignedRanks(),
		"shared": stats.SharedTraining(0.2), "overlapping": stats.Overlapping(2)} {
		all, err := stats.Compare(model, rivals, test)
		if err != nil {
			t.Fatal(err)
		}
		if plain == nil {
			if plain, err = stats.Compare(model, rivals, stats.Test{}); err != nil {
				t.Fatal(err)
			}
		}
		for i, d := range all {
			if d.Mean != plain[i].Mean || d.HalfWidth < plain[i].HalfWidth || d.Corrected < d.P ||
				name != "signed ranks" && d.P < plain[i].P {
				t.Errorf("%q, rival %d: %+v, as if independent %+v", name, i, d, plain[i])
			}
		}
		if all[0].Outcome() != stats.NotShown || all[1].Outcome() != stats.Better {
			t.Errorf("%q: %+v, want no difference and a better model", name, all)
		}
		if back, err := stats.Compare(worse, [][]float64{model}, test); err != nil || back[0].Outcome() != stats.Worse {
			t.Errorf("%q: %+v (%v), want a worse model", name, back, err)
		}
	}
	few, err := stats.Compare(model[:2], [][]float64{worse[:2]}, stats.SignedRanks())
	if err != nil || few[0].P != 0.5 {
		t.Errorf("two pairs: %+v (%v), want p = 0.5", few, err)
	}
	if none, err := stats.Compare(model, nil, stats.Test{}); err != nil || len(none) != 0 {
		t.Errorf("no rivals: %v (%v)", none, err)
	}
}

func ExampleCompare() {
	// Errors by window in order of time; each window shares steps with the two before it.
	peng := []float64{.41, .44, .52, .55, .49, .38, .35, .37, .46, .50}
	rivals := map[string][]float64{
		"ridge":       {.52, .57, .62, .66, .58, .49, .47, .48, .55, .63},
		"recent mean": {.43, .42, .55, .57, .47, .41, .37, .35, .47, .49},
	}
	names := []string{"ridge", "recent mean"}
	all, err := stats.Compare(peng, [][]float64{rivals[names[0]], rivals[names[1]]}, stats.Overlapping(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, d := range all {
		fmt.Printf("beside %s: %s, %+.3f ± %.3f, corrected p = %.2g\n", names[i], d.Outcome(), d.Mean, d.HalfWidth,
			d.Corrected)
	}
	// Output:
	// beside ridge: better, -0.110 ± 0.010, corrected p = 1.5e-08
	// beside recent mean: no difference shown, -0.006 ± 0.015, corrected p = 0.39
}

// Errors name the parameter of a test.
func TestCompareParameters(t *testing.T) {
	model, rivals := []float64{1, 2, 4}, [][]float64{{2, 2, 3}}
	for want, test := range map[string]stats.Test{"lag -1, want 0": stats.Overlapping(-1),
		"testToTrain -1, want": stats.SharedTraining(-1), "testToTrain NaN, want": stats.SharedTraining(math.NaN()),
		"2 clusters for 3 differences": stats.Clustered([]int{1, 2})} {
		_, err := stats.Compare(model, rivals, test)
		if !errors.Is(err, stats.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
