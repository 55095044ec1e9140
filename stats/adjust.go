package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Holm corrects the p values of several tests, so that the chance of rejecting any true hypothesis stays below the
// level: the i-th smallest of m is multiplied by m-i+1, and none is below the one before it. This holds whatever the
// dependence between the tests, and never exceeds Bonferroni's m p.
//
// S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979), 65-70.
func Holm(p []float64) ([]float64, error) {
	if err := checkP(p); err != nil {
		return nil, err
	}
	return holm(p), nil
}

func holm(p []float64) []float64 {
	order := make([]int, len(p))
	floats.ArgsortStable(slices.Clone(p), order)
	corrected, least := make([]float64, len(p)), 0.0
	for i, k := range order {
		least = max(least, min(1, float64(len(p)-i)*p[k]))
		corrected[k] = least
	}
	return corrected
}

func checkP(p []float64) error {
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return invalid(ErrNotFinite, "p value %d is %g, want one from 0 to 1", i, v)
		}
	}
	return nil
}
