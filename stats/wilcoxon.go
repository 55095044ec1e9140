package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// SignedRank is the result of [Wilcoxon].
type SignedRank struct {
	// Pairs is the number of pairs that differ.
	Pairs int
	// Statistic is the smaller of the rank sums of positive and of negative differences.
	Statistic float64
	// P is the two-sided p value by the normal approximation. Exact counts all signs of the given differences, ties
	// included. Exact is NaN for more than 60 pairs, where P is as accurate.
	P, Exact float64
}

// mostExact is the largest number of differences for which signs are counted.
const mostExact = 60

// Wilcoxon performs the signed-rank test of paired values a[i], b[i]: it ranks the differences by size, and compares
// the rank sums of both signs. Pairs without a difference are dropped. The normal approximation corrects for ties and
// has no continuity correction: with n differences, T the statistic and t the sizes of ties,
//
//	z = (T - n(n+1)/4) / sqrt(n(n+1)(2n+1)/24 - sum(t³-t)/48)
//
// If no pair differs P is 1. Pairs must be independent of each other: for windows that overlap, or splits that share
// training data, see [Compare].
//
// F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945), 80-83; J. W. Pratt, Remarks on
// zeros and ties in the Wilcoxon signed rank procedures, Journal of the American Statistical Association 54 (1959),
// 655-667.
func Wilcoxon(a, b []float64) (SignedRank, error) {
	if err := checkPairs(a, b); err != nil {
		return SignedRank{}, err
	}
	var sizes []float64
	var negative []bool
	for i := range a {
		if d := a[i] - b[i]; d != 0 {
			sizes, negative = append(sizes, math.Abs(d)), append(negative, d < 0)
		}
	}
	if len(sizes) == 0 {
		return SignedRank{P: 1, Exact: 1}, nil
	}
	ranks, ties := ranked(sizes)
	below := 0.0
	for i, r := range ranks {
		if negative[i] {
			below += r
		}
	}
	n := float64(len(ranks))
	test := SignedRank{Pairs: len(ranks), Statistic: min(below, n*(n+1)/2-below), Exact: math.NaN()}
	test.P = twoSided((test.Statistic - n*(n+1)/4) / math.Sqrt(n*(n+1)*(2*n+1)/24-ties/48))
	if len(ranks) <= mostExact {
		test.Exact = exactSigns(ranks, test.Statistic)
	}
	return test, nil
}

// exactSigns returns the probability, with all signs equally likely, that the smaller rank sum is at most the
// statistic. Ranks may be halves, so they are counted doubled.
func exactSigns(ranks []float64, statistic float64) float64 {
	chance := []float64{1} // by doubled rank sum
	for _, r := range ranks {
		double := int(math.Round(2 * r))
		next := make([]float64, len(chance)+double)
		for sum, p := range chance {
			next[sum] += p / 2
			next[sum+double] += p / 2
		}
		chance = next
	}
	return min(1, 2*floats.Sum(chance[:int(math.Round(2*statistic))+1]))
}
