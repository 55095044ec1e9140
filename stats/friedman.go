package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Friedman ranks the models within each block of a table [blocks][models]. With r_ij the rank of model j of k in block
// i of N, ties sharing their mean rank, and R_j the mean over blocks, the statistic is
//
//	(k-1) N² sum_j (R_j - (k+1)/2)² / (sum_ij r_ij² - N k (k+1)²/4)
//
// with the chi-squared distribution of k-1 degrees of freedom, for many blocks. Pairs have z = (R_a - R_b) /
// sqrt(k(k+1)/(6N)) and Holm's correction.
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
		floats.Add(test.MeanRanks, ranks)
		squares += floats.Dot(ranks, ranks)
	}
	meanOf(test.MeanRanks, n)
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
