package train

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
// says nothing of its spread: the half-width is +Inf. Without values both are NaN.
func MeanCI(values []float64) (mean, halfWidth float64) {
	k := float64(len(values))
	switch len(values) {
	case 0:
		return math.NaN(), math.NaN()
	case 1:
		return values[0], math.Inf(1)
	}
	mean, std := stat.MeanStdDev(values, nil)
	t := distuv.StudentsT{Sigma: 1, Nu: k - 1}.Quantile(0.975)
	return mean, t * std / math.Sqrt(k)
}
