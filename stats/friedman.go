package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Friedman ranks the models within each block of a table [blocks][models]. With r_ij the rank of model j of k in block
// i of N, ties sharing their mean rank, and R_j the mean over blocks, the statistic is
//
//	(k-1) N² sum_j (R_j - (k+1)/2)² / (sum_ij r_ij² - N k (k+1)²/4)
//
// with the chi-squared distribution of k-1 degrees of freedom, for many blocks; see [ImanDavenport] for few. Pairs have
// z = (R_a - R_b) / sqrt(k(k+1)/(6N)) and Holm's correction.
//
// M. Friedman, The use of ranks to avoid the assumption of normality implicit in the analysis of variance, Journal of
// the American Statistical Association 32 (1937), 675-701; with ties W. J. Conover, Practical Nonparametric Statistics
// (1999), section 5.8; pairs J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of
// Machine Learning Research 7 (2006), 1-30.
func Friedman(table [][]float64) (RankTest, error) {
	if err := checkTable(table); err != nil {
		return RankTest{}, err
	}
	n, k := float64(len(table)), float64(len(table[0]))
	test := RankTest{Blocks: len(table), MeanRanks: make([]float64, len(table[0])), P: 1}
	squares := 0.0
	for _, row := range table {
		ranks, _ := ranked(row)
		floats.AddScaled(test.MeanRanks, 1/n, ranks)
		squares += floats.Dot(ranks, ranks)
	}
	between := 0.0
	for _, r := range test.MeanRanks {
		between += (r - (k+1)/2) * (r - (k+1)/2)
	}
	if within := squares - n*k*(k+1)*(k+1)/4; within > 0 { // else all models tie in all blocks
		test.Statistic = (k - 1) * n * n * between / within
		test.P = upper(test.Statistic, len(table[0])-1)
	}
	test.Pairs = pairs(test.MeanRanks, math.Sqrt(k*(k+1)/(6*n)))
	return test, nil
}

// ImanDavenport is [Friedman] with a global test that is less conservative, for few blocks: with X Friedman's
// statistic,
//
//	(N-1) X / (N (k-1) - X)
//
// with Fisher's distribution of k-1 and (k-1)(N-1) degrees of freedom. Where all blocks rank the models alike the
// statistic is +Inf and P 0.
//
// R. L. Iman, J. M. Davenport, Approximations of the critical region of the Friedman statistic, Communications in
// Statistics 9 (1980), 571-595.
func ImanDavenport(table [][]float64) (RankTest, error) {
	test, err := Friedman(table)
	if err != nil {
		return test, err
	}
	n, k := float64(test.Blocks), float64(len(test.MeanRanks))
	rest := n*(k-1) - test.Statistic
	if rest <= 1e-12*n*k { // rounding
		test.Statistic, test.P = math.Inf(1), 0
		return test, nil
	}
	test.Statistic *= (n - 1) / rest
	test.P = distuv.F{D1: k - 1, D2: (k - 1) * (n - 1)}.Survival(test.Statistic)
	return test, nil
}

// Nemenyi is [Friedman] with another correction of the pairs: the largest of all differences of mean ranks has, times
// sqrt(2), the distribution of the studentised range. It corrects for all pairs at once, more strictly than Holm.
//
// P. B. Nemenyi, Distribution-free multiple comparisons, PhD thesis, Princeton University (1963).
func Nemenyi(table [][]float64) (RankTest, error) {
	test, err := Friedman(table)
	for i, p := range test.Pairs {
		test.Pairs[i].Corrected = rangeSurvival(math.Sqrt2*math.Abs(p.Z), len(test.MeanRanks))
	}
	return test, err
}
