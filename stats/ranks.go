package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// RankTest is the result of a rank test over a table of errors.
type RankTest struct {
	// Blocks is the number of blocks.
	Blocks int
	// MeanRanks [models] are the mean ranks over blocks; the smallest is the best.
	MeanRanks []float64
	// Statistic is the statistic of the global test. P is its p value, for the hypothesis that no model differs from
	// another.
	Statistic, P float64
	// Pairs holds all pairs of models, A before B. They mean little unless the global test rejects.
	Pairs []Pair
}

// Pair compares two models.
type Pair struct {
	A, B int
	// Z is the difference of their mean ranks in standard errors, below 0 where A is better.
	Z float64
	// P is the two-sided p value of this pair. Corrected is P after correction over all pairs.
	P, Corrected float64
}

// Groups returns the largest sets of models of which no two differ at a level such as 0.05, by the corrected p values.
// A critical-difference diagram joins each set with a bar. Each set is in order of mean ranks, and so are the sets. A
// model that differs from all others is in no set.
func (t RankTest) Groups(level float64) (groups [][]int) {
	order := make([]int, len(t.MeanRanks))
	floats.ArgsortStable(slices.Clone(t.MeanRanks), order)
	differ := make(map[[2]int]bool)
	for _, p := range t.Pairs {
		differ[[2]int{p.A, p.B}] = p.Corrected <= level
		differ[[2]int{p.B, p.A}] = p.Corrected <= level
	}
	// The p value falls with the distance of mean ranks, so a set is a run of the order, given by its ends.
	end := 0
	for first := range order {
		last := first
		for last+1 < len(order) && !differ[[2]int{order[first], order[last+1]}] {
			last++
		}
		if last > first && last > end {
			groups = append(groups, slices.Clone(order[first:last+1]))
			end = last
		}
	}
	return groups
}

// meanOf divides sums of ranks, which are exact, by the number of blocks.
func meanOf(sums []float64, n float64) {
	for i := range sums {
		sums[i] /= n
	}
}

// pairs compares all pairs of mean ranks, given the standard error of a difference, with Holm's correction.
func pairs(meanRanks []float64, standardError float64) (all []Pair) {
	var p []float64
	for a := range meanRanks {
		for b := a + 1; b < len(meanRanks); b++ {
			z := (meanRanks[a] - meanRanks[b]) / standardError
			all = append(all, Pair{A: a, B: b, Z: z, P: twoSided(z)})
			p = append(p, all[len(all)-1].P)
		}
	}
	for i, corrected := range holm(p) {
		all[i].Corrected = corrected
	}
	return all
}

// twoSided returns the two-sided p value of a standard normal variable.
func twoSided(z float64) float64 { return 2 * distuv.UnitNormal.CDF(-math.Abs(z)) }

// upper returns the p value of a statistic with a chi-squared distribution.
func upper(statistic float64, degrees int) float64 {
	return distuv.ChiSquared{K: float64(degrees)}.Survival(statistic)
}

// ranked returns the ranks of values, starting at 1. Tied values share the mean of their ranks. ties is the sum of t³ -
// t over ties of t values.
func ranked(values []float64) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	floats.Argsort(slices.Clone(values), order)
	ranks = make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ties
}
