package affinity

import (
	"math"
	"slices"
)

// TopK is the number of ranks that the evaluation counts.
const TopK = 10

// NDCG returns the normalised discounted cumulative gain of the k highest scores, between 0 and 1: the sum of the gains
// in order of decreasing score, each divided by log2(1 + its rank), divided by the same sum in the best order. Equal
// scores share their mean gain. Without any gain it is 0. This equals ndcg_score of scikit-learn. Gains must be finite
// and not negative, scores finite.
//
// K. Järvelin, J. Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20, 2002; F. McSherry, M.
// Najork, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores, ECIR 2008.
func NDCG(gains, scores []float64, k int) (float64, error) {
	if len(gains) != len(scores) || k < 1 {
		return 0, invalid("NDCG@%d of %d gains and %d scores, want as many of both and a rank of 1 or more", k, len(gains),
			len(scores))
	}
	for i, g := range gains {
		if !(g >= 0) || math.IsInf(g, 1) {
			return 0, invalid("gain %d is %g, want a finite number, 0 or above", i, g)
		}
		if s := scores[i]; math.IsNaN(s) || math.IsInf(s, 0) {
			return 0, invalid("score %d is %g, want a finite number", i, s)
		}
	}
	best, got := 0.0, 0.0
	for rank, gain := range largest(gains, k) {
		best += gain * discount(rank)
	}
	if best == 0 {
		return 0, nil
	}
	tops := largest(scores, k)
	for rank := 0; rank < len(tops); {
		tied, gain, share := 0, 0.0, 0.0
		for i, s := range scores {
			if s == tops[rank] {
				tied, gain = tied+1, gain+gains[i]
			}
		}
		for r := rank; r < min(rank+tied, k); r++ {
			share += discount(r)
		}
		got += gain / float64(tied) * share
		rank += tied
	}
	return got / best, nil
}

// discount returns the factor of a gain at a rank; ranks start at 0.
func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+2) }

// largest returns the k largest values in descending order.
func largest(values []float64, k int) []float64 {
	top := make([]float64, 0, min(k, len(values))+1)
	for _, v := range values {
		if len(top) == k && v <= top[k-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(a, b float64) int {
			if a >= b {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, v)
		top = top[:min(len(top), k)]
	}
	return top
}
