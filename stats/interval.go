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
// with s the sample standard deviation of the k values and t the quantile of Student's distribution. A single value
// says nothing of its spread: the half-width is +Inf. Without values both are NaN. It takes the values for independent;
// [CorrectedCI] and [SerialCI] are for those that are not.
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

// student is t(0.975; k-1).
func student(k int) float64 { return distuv.StudentsT{Sigma: 1, Nu: float64(k - 1)}.Quantile(0.975) }

// CorrectedCI is [MeanCI] for test errors of splits that share training windows, such as random splits of one data set
// or the folds of a rotation, and for differences of such errors. These depend on each other, so more splits do not
// narrow the interval without end: the variance of the mean is taken for
//
//	(1/k + testToTrain) s²
//
// with testToTrain the number of tested over that of training windows in a split.
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

// SerialCI is [MeanCI] for values in order of time, each of which depends on those up to lag places before it, such as
// errors of windows that overlap. The variance of the mean is that of Newey and West with Bartlett weights,
//
//	1/k (g(0) + 2 sum_j=1..lag (1 - j/(lag+1)) g(j)),   g(j) = 1/(k-1) sum_i (x_i - mean) (x_i-j - mean)
//
// which falls short where lag is not small against k. So the quantile grows with b = (lag+1)/k as Kiefer and Vogelsang
// tabulate it, from Student's with k-1 degrees of freedom:
//
//	t(0.975; k-1) + 2.9694 b + 0.4160 b² - 0.5324 b³
//
// With lag 0 it is MeanCI, and never narrower: errors of windows that overlap do not cancel, so a smaller variance is
// chance. From lag k on the half-width is +Inf. Where all lags correlate alike it covers less than 95 %.
//
// W. K. Newey, K. D. West, A simple, positive semi-definite, heteroskedasticity and autocorrelation consistent
// covariance matrix, Econometrica 55 (1987), 703-708; N. M. Kiefer, T. J. Vogelsang, A new asymptotic theory for
// heteroskedasticity-autocorrelation robust tests, Econometric Theory 21 (2005), 1130-1164, table 1.
func SerialCI(values []float64, lag int) (mean, halfWidth float64) {
	k := len(values)
	mean, halfWidth = MeanCI(values)
	switch {
	case lag < 0:
		return mean, math.NaN()
	case lag == 0 || k < 2:
		return mean, halfWidth
	case lag >= k:
		return mean, math.Inf(1)
	}
	variance := 0.0
	for j := 0; j <= lag; j++ {
		covariance := 0.0
		for i := j; i < k; i++ {
			covariance += (values[i] - mean) * (values[i-j] - mean) / float64(k-1)
		}
		weight := 2 * (1 - float64(j)/float64(lag+1))
		if j == 0 {
			weight = 1
		}
		variance += weight * covariance
	}
	b := float64(lag+1) / float64(k)
	quantile := student(k) + b*(2.9694+b*(0.4160-0.5324*b))
	return mean, max(halfWidth, quantile*math.Sqrt(max(0, variance)/float64(k)))
}
