package graphs

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// Fixed-point powers against exact ones: the error of a squaring is at most twice that before and 2^-64.
func TestSurvival(t *testing.T) {
	for _, p := range []float64{0x1p-64, 1e-9, 0.001, 0.25, 0.5, 1 - 0x1p-53} {
		q := new(big.Float).SetPrec(4096).Sub(big.NewFloat(1), big.NewFloat(p))
		for i, got := range survival(p, 1<<20) {
			exact := new(big.Float).SetMantExp(q, 64)
			lost, _ := exact.Sub(exact, new(big.Float).SetUint64(got)).Float64()
			if !(math.Abs(lost) <= float64(int(2)<<i)) {
				t.Errorf("p=%g: (1-p)^(2^%d) is %d, off by %g of 2^-64", p, i, got, lost)
			}
			q.Mul(q, q)
		}
	}
}

// Counts, first gaps and edge positions against Bernoulli trials, inside four standard errors.
func TestSuccesses(t *testing.T) {
	const positions, draws = 50, 20_000
	for _, p := range []float64{0.001, 0.1, 0.5, 0.97} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 7))
			var hits [positions]float64
			var pairs float64 // neighbours that both succeed: tells independence
			for range draws {
				last := int64(-2)
				for at := range successes(p, positions, rng) {
					if at <= last || at >= positions {
						t.Fatalf("%d after %d of %d", at, last, positions)
					}
					if at == last+1 {
						pairs++
					}
					hits[at]++
					last = at
				}
			}
			for at, count := range hits {
				if z := (count - draws*p) / math.Sqrt(draws*p*(1-p)); !(math.Abs(z) <= 4) {
					t.Errorf("position %d: %g hits in %d draws, off by %.2g deviations", at, count, draws, z)
				}
			}
			trials := float64(draws * (positions - 1))
			// Overlapping pairs are correlated: variance per pair p²(1-p²) + 2p³(1-p).
			if z := (pairs - trials*p*p) / math.Sqrt(trials*(p*p*(1-p*p)+2*p*p*p*(1-p))); !(math.Abs(z) <= 4) {
				t.Errorf("%g neighbouring pairs, off by %.2g deviations", pairs, z)
			}
		})
	}
}

func TestSuccessesAtTheEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range []float64{0, 1e-300} {
		if got := slices.Collect(successes(p, math.MaxInt64/4, rng)); len(got) != 0 {
			t.Errorf("p=%g: %v", p, got)
		}
	}
	if got := slices.Collect(successes(1, 5, rng)); !slices.Equal(got, []int64{0, 1, 2, 3, 4}) {
		t.Errorf("p=1: %v", got)
	}
	if got := slices.Collect(successes(0.5, 0, rng)); len(got) != 0 {
		t.Errorf("no positions: %v", got)
	}
}
