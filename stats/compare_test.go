package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/stats"
)

// Each test takes the same mean; those that count dependence are the wider and the less sure.
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
		if all[0].Better(0.05) || all[0].Worse(0.05) || !all[1].Better(0.05) || all[1].Worse(0.05) {
			t.Errorf("%q: %+v, want no difference and a better model", name, all)
		}
		if back, err := stats.Compare(worse, [][]float64{model}, test); err != nil || !back[0].Worse(0.05) {
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

// The interval covers the mean of independent values nearly as often as it says; for moving averages only the
// interval from blocks does.
func TestBootstrap(t *testing.T) {
	const k, trials = 60, 400
	rng := rand.New(rand.NewPCG(11, 12))
	covered := map[string]int{}
	for range trials {
		independent, serial := make([]float64, k), make([]float64, k)
		a, b := rng.NormFloat64(), rng.NormFloat64()
		for i := range independent {
			independent[i] = rng.NormFloat64()
			c := rng.NormFloat64()
			serial[i], a, b = a+b+c, b, c
		}
		for name, c := range map[string]struct {
			values []float64
			block  int
		}{"independent": {independent, 0}, "serial": {serial, 0}, "serial, blocks": {serial, 8}} {
			low, high, err := stats.Bootstrap{Samples: 400, Block: c.block, Seed: 3}.CI(c.values, nil)
			if err != nil {
				t.Fatal(err)
			}
			if low <= 0 && high >= 0 {
				covered[name]++
			}
		}
	}
	for name, want := range map[string][2]float64{"independent": {0.90, 0.97}, "serial": {0.6, 0.82},
		"serial, blocks": {0.82, 0.96}} {
		if share := float64(covered[name]) / trials; share < want[0] || share > want[1] {
			t.Errorf("%s: covered %.3f, want %v", name, share, want)
		}
	}
}

// Equal seeds draw alike, others do not; the interval follows the statistic.
func TestBootstrapSettings(t *testing.T) {
	values := []float64{3.14, 1.59, 2.65, 3.58, 9.79, 3.23, 8.46, 2.64, 3.38, 3.27, 9.50}
	ends := func(b stats.Bootstrap, statistic func([]float64) float64) [2]float64 {
		low, high, err := b.CI(values, statistic)
		if err != nil {
			t.Fatal(err)
		}
		return [2]float64{low, high}
	}
	mean := func(v []float64) float64 { return stat.Mean(v, nil) }
	a := ends(stats.Bootstrap{}, nil)
	if b := ends(stats.Bootstrap{Samples: 10_000, Block: 1}, mean); a != b {
		t.Errorf("defaults give %v, written out %v", a, b)
	}
	if b := ends(stats.Bootstrap{Seed: 1}, nil); a == b || math.Abs(a[0]-b[0]) > 0.1 {
		t.Errorf("seeds 0 and 1 give %v and %v, want a little apart", a, b)
	}
	twice := ends(stats.Bootstrap{}, func(v []float64) float64 { return 2*mean(v) + 1 })
	if twice != [2]float64{2*a[0] + 1, 2*a[1] + 1} {
		t.Errorf("2 mean + 1 has %v, the mean %v", twice, a)
	}
	if b := ends(stats.Bootstrap{Block: len(values)}, nil); math.Abs(b[1]-b[0]) > 1e-12 {
		t.Errorf("one block of all values has %v, want their mean", b)
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
		verdict := "not told apart from"
		switch {
		case d.Better(.05):
			verdict = "better than"
		case d.Worse(.05):
			verdict = "worse than"
		}
		fmt.Printf("%s %s: %+.3f ± %.3f, corrected p = %.2g\n", verdict, names[i], d.Mean, d.HalfWidth, d.Corrected)
	}
	// Output:
	// better than ridge: -0.110 ± 0.010, corrected p = 1.5e-08
	// not told apart from recent mean: -0.006 ± 0.015, corrected p = 0.39
}

func ExampleBootstrap() {
	errors := []float64{.41, .44, .52, .55, .49, .38, .35, .37, .46, .50, .48, .43, .36, .33, .40, .47}
	low, high, _ := stats.Bootstrap{Block: 4}.CI(errors, nil)
	alone, apart, _ := stats.Bootstrap{}.CI(errors, nil)
	fmt.Printf("in blocks of 4 %.3f to %.3f, as if independent %.3f to %.3f\n", low, high, alone, apart)
	// Output:
	// in blocks of 4 0.398 to 0.471, as if independent 0.403 to 0.464
}
