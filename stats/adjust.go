package stats

import (
	"cmp"
	"slices"
)

// Holm corrects the p values of several tests, so that the chance of rejecting any hypothesis that holds stays below the
// level: the i-th smallest of m is multiplied by m-i+1, and none is below one before it. This is so however the tests
// depend on each other, and never exceeds Bonferroni's m p.
//
// S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979), 65-70.
func Holm(p []float64) ([]float64, error) {
	if err := checkP(p); err != nil {
		return nil, err
	}
	return holm(p), nil
}

func holm(p []float64) []float64 {
	return stepDown(p, func(i int) int { return len(p) - i })
}

// Shaffer is [Holm] for all k(k-1)/2 pairs of k models. Not every set of pairs can hold at once: where models 1 and 2
// differ, one of them differs from 3. So the i-th smallest p value is multiplied by the largest number of pairs, at
// most m-i+1, that can hold together: the static procedure.
//
// J. P. Shaffer, Modified sequentially rejective multiple test procedures, Journal of the American Statistical
// Association 81 (1986), 826-831.
func Shaffer(p []float64, models int) ([]float64, error) {
	if models < 2 {
		return nil, invalid(ErrModels, "%d models, want 2 or more", models)
	}
	if want := models * (models - 1) / 2; len(p) != want {
		return nil, invalid(ErrRagged, "%d p values for %d models, want one for each of %d pairs", len(p), models, want)
	}
	if err := checkP(p); err != nil {
		return nil, err
	}
	numbers := equalPairs(models)
	return stepDown(p, func(i int) int {
		at, found := slices.BinarySearch(numbers, len(p)-i)
		if !found {
			at--
		}
		return numbers[at]
	}), nil
}

// equalPairs are the numbers of pairs of k models that can be equal together, sorted: j models that are all equal make
// j(j-1)/2, and the k-j others any number of theirs.
func equalPairs(models int) []int {
	of := [][]int{{0}}
	for k := 1; k <= models; k++ {
		var numbers []int
		for j := 1; j <= k; j++ {
			for _, rest := range of[k-j] {
				numbers = append(numbers, j*(j-1)/2+rest)
			}
		}
		slices.Sort(numbers)
		of = append(of, slices.Compact(numbers))
	}
	return of[models]
}

// stepDown multiplies the i-th smallest p value, from 0 on, by a factor of i.
func stepDown(p []float64, factor func(i int) int) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, least := make([]float64, len(p)), 0.0
	for i, k := range order {
		least = max(least, min(1, float64(factor(i))*p[k]))
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
