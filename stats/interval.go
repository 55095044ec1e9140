package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MeanCI returns the mean of values (one for each seed or fold) and the half-width of its 95 % confidence interval,
//
//	t(0.975; k-1) s / sqrt(k)
//
// with s the sample standard deviation of the k values and t the quantile of Student's distribution. For a single value
// the half-width is +Inf. Without values both are NaN. MeanCI assumes independent values; [CorrectedCI] and [SerialCI]
// are for dependent values.
func MeanCI(values []float64) (mean, halfWidth float64) {
	k := float64(len(values))
	switch len(values) {
	case 0:
		return math.NaN(), math.NaN()
	case 1:
		return values[0], math.Inf(1)
	}
	mean, std := stat.MeanStdDev(values, nil)
	return mean, student(len(values)) * std / math.Sqrt(k)
}

// MeanP returns the two-sided p value that the mean of independent values is 0, by Student's t. It is below 0.05 where
// the interval of [MeanCI] excludes 0. It is 1 for a single value, and NaN without values. If all values are equal and
// not 0, as rounded scores of few seeds may be, Student's t is infinite and P is 0: compare unrounded scores.
func MeanP(values []float64) float64 { return meanP(values, 1) }

// meanP is MeanP with the standard error of the mean multiplied by a factor.
func meanP(values []float64, factor float64) float64 {
	k := len(values)
	switch k {
	case 0:
		return math.NaN()
	case 1:
		return 1
	}
	mean, std := stat.MeanStdDev(values, nil)
	if mean == 0 && std == 0 {
		return 1
	}
	t := math.Abs(mean) / (factor * std / math.Sqrt(float64(k)))
	return 2 * distuv.StudentsT{Sigma: 1, Nu: float64(k - 1)}.Survival(t)
}

// student returns t(0.975; k-1).
func student(k int) float64 { return distuv.StudentsT{Sigma: 1, Nu: float64(k - 1)}.Quantile(0.975) }

// CorrectedCI is [MeanCI] for test errors of splits that share training windows, such as random splits of one data set
// or the folds of a rotation, and for differences of such errors. These depend on each other, so more splits do not
// narrow the interval without limit: the variance of the mean is estimated as
//
//	(1/k + testToTrain) s²
//
// with testToTrain the number of test windows divided by the number of training windows in a split.
//
// C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003), 239-281, section 3. The
// correction is a heuristic there too: no unbiased estimate of this variance exists.
func CorrectedCI(values []float64, testToTrain float64) (mean, halfWidth float64) {
	mean, halfWidth = MeanCI(values)
	if !(testToTrain >= 0) {
		return mean, math.NaN()
	}
	return mean, halfWidth * math.Sqrt(1+testToTrain*float64(len(values)))
}

// CorrectedP returns the two-sided p value that the mean is 0, for the values of [CorrectedCI]. It is below 0.05 where
// the interval excludes 0. It is NaN for an invalid ratio.
func CorrectedP(values []float64, testToTrain float64) float64 {
	if !(testToTrain >= 0) {
		return math.NaN()
	}
	return meanP(values, math.Sqrt(1+testToTrain*float64(len(values))))
}
