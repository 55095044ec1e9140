package graphs

import (
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
)

// successes yields, in increasing order, the positions among 0..positions-1 that succeed, independently with
// probability p. It skips over the other positions, so its time grows only with the number of successes. Gaps are
// geometric; Batagelj and Brandes invert P(gap >= k) = (1-p)^k by logarithms, whose last bit differs between machines.
// Here the largest k with (1-p)^k > u, u uniform, is built bit by bit from (1-p)^(2^i) in 64-bit fixed point, exact to
// some 2^-64 a factor.
func successes(p float64, positions int64, rng *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if p < 0x1p-64 {
			return // as good as never, and 0 is never
		}
		powers := survival(p, positions)
		for at := int64(0); ; at++ {
			at += gap(powers, rng)
			if at >= positions || !yield(at) {
				return
			}
		}
	}
}

// survival holds (1-p)^(2^i), i = 0, 1, ..., times 2^64, until it vanishes or 2^i exceeds the number of positions.
func survival(p float64, positions int64) []uint64 {
	if p >= 1 {
		return nil // no gaps
	}
	power := -uint64(math.Ldexp(p, 64)) // 2^64 - 2^64 p, modulo 2^64
	var powers []uint64
	for i := 0; power > 0 && int64(1)<<i <= positions; i++ {
		powers = append(powers, power)
		power, _ = bits.Mul64(power, power)
	}
	return powers
}

func gap(powers []uint64, rng *rand.Rand) int64 {
	u, survived, k := rng.Uint64(), uint64(math.MaxUint64), int64(0)
	for i := len(powers) - 1; i >= 0; i-- {
		if next, _ := bits.Mul64(survived, powers[i]); next > u {
			survived = next
			k += 1 << i
		}
	}
	return k
}
