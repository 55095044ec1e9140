package catalogue

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
)

// drawBlocks returns a model that is better by this much, two models that are not, and a model without results.
func drawBlocks(count int, better float64) Blocks {
	b := Blocks{Matrix: experiments.Matrix{Models: []string{"ridge", "peng", "gn-ode", "dcrnn"}}, Each: "made up",
		Names: map[string]string{"ridge": "Ridge", "peng": "PENG-CDE", "gn-ode": "GN-ODE", "dcrnn": "DCRNN"}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		block := rng.NormFloat64()
		b.Values = append(b.Values, []float64{block + rng.NormFloat64(), block + rng.NormFloat64() - better,
			block + rng.NormFloat64(), math.NaN()})
	}
	return b
}

func TestCriticalDifference(t *testing.T) {
	says := func(b Blocks, wants ...string) {
		t.Helper()
		f, err := CriticalDifference("Errors", b)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(f.Alt(), want) {
				t.Errorf("the diagram does not say %q: %s", want, f.Alt())
			}
		}
	}
	b := drawBlocks(20, 4)
	b.Values[3][0], b.Values[5][3] = math.NaN(), 0
	b.Dependence = "They depend on each other."
	says(b, "Mean ranks of 3 models, the best first: PENG-CDE 1.", "Not told apart: Ridge / GN-ODE", "19 blocks: made up",
		"p < 0.001", "missing or diverged: 1.", "numbers of blocks: DCRNN (1)", "They depend on each other")
	says(drawBlocks(20, 0), "No diagram: over 20 blocks Friedman's test does not tell the 3 models apart (p = 0.")

	sparse := drawBlocks(20, 4) // 12 blocks have DCRNN, and only 9 of these have all models
	for i := range 12 {
		sparse.Values[i][3] = 9
	}
	for i := range 3 {
		sparse.Values[i][0] = math.NaN()
	}
	says(sparse, "Mean ranks of 3 models", "17 blocks", "numbers of blocks: DCRNN (12)")

	scales := drawBlocks(20, 0) // a third of the error in each block, whose scales differ by orders of magnitude
	for i, row := range scales.Values {
		for j := range row {
			row[j] = math.Pow(10, float64(i%8)) * math.Exp(0.1*row[j])
		}
		row[1] /= 3
	}
	scales.Ratios = true
	says(scales, "Not told apart: GN-ODE / Ridge", "aligned ranks of log errors")

	few, fewer := drawBlocks(leastBlocks-1, 4), drawBlocks(20, 4)
	for i := range fewer.Values {
		fewer.Values[i][i%3] = math.NaN()
	}
	for name, b := range map[string]Blocks{"too few blocks": few, "no complete block": fewer, "nothing": {}} {
		if _, err := CriticalDifference("Errors", b); !errors.Is(err, experiments.ErrNotStored) {
			t.Errorf("%s: error %v, want ErrNotStored", name, err)
		}
	}
	infinite := drawBlocks(leastBlocks, 4)
	infinite.Values[0][0] = math.Inf(1)
	if _, err := CriticalDifference("Errors", infinite); err == nil || errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("an infinite error: %v", err)
	}
}
