package stats

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// SerialCI is [MeanCI] for values in order of time, each of which depends on up to lag values before it, such as errors
// of windows that overlap. The variance of the mean follows Newey and West with Bartlett weights,
//
//	1/k (g(0) + 2 sum_j=1..lag (1 - j/(lag+1)) g(j)),   g(j) = 1/(k-1) sum_i (x_i - mean) (x_i-j - mean)
//
// which is too small unless lag is small against k. The quantile therefore grows with b = (lag+1)/k as tabulated by
// Kiefer and Vogelsang, starting from Student's with k-1 degrees of freedom:
//
//	t(0.975; k-1) + 2.9694 b + 0.4160 b² - 0.5324 b³
//
// With lag 0 it equals MeanCI, and it is never narrower: errors of windows that overlap do not cancel, so a smaller
// variance is chance. From lag k on the half-width is +Inf. If all lags are equally correlated it covers less than 95
// %.
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
	return mean, max(halfWidth, serialQuantile(k, lag)*serialError(values, mean, lag))
}

// serialError returns the standard error of the mean by Newey and West.
func serialError(values []float64, mean float64, lag int) float64 {
	k, variance := len(values), 0.0
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
	return math.Sqrt(max(0, variance) / float64(k))
}

// serialQuantile returns the half-width of the interval in standard errors.
func serialQuantile(k, lag int) float64 {
	b := float64(lag+1) / float64(k)
	return student(k) + b*(2.9694+b*(0.4160-0.5324*b))
}

// SerialP returns the two-sided p value that the mean is 0, for the values of [SerialCI]. It is below 0.05 where the
// interval excludes 0. For independent normal values, the distribution of the mean divided by its standard error is
// known for any number of values and any lag; for many values it is the distribution that Kiefer and Vogelsang
// tabulate. The interval of SerialCI is wider than this distribution requires, by 12% for 10 values and 1% for 200. The
// statistic is divided by this factor before its tail is taken. P is never below [MeanP]. It is 1 from lag k on, and
// NaN for a negative lag or no values.
func SerialP(values []float64, lag int) float64 {
	k, plain := len(values), MeanP(values)
	switch {
	case lag < 0:
		return math.NaN()
	case lag == 0 || k < 2 || plain == 1:
		return plain
	case lag >= k:
		return 1
	}
	mean := stat.Mean(values, nil)
	null := newSerialNull(k, lag)
	t := math.Abs(mean) / serialError(values, mean, lag)
	return max(plain, null.survival(t*null.quantile(0.05)/serialQuantile(k, lag)))
}

// serialNull is the distribution of the mean of k independent normal values over its standard error by Newey and West.
// The squared error is a quadratic form of the values minus their mean. Relative to the variance of the mean itself, it
// is a sum of weights times squares of independent normal variables, independent of the mean.
type serialNull struct{ weights []float64 }

func newSerialNull(k, lag int) serialNull {
	kernel := func(i, j int) float64 { return max(0, 1-math.Abs(float64(i-j))/float64(lag+1)) }
	rows, all := make([]float64, k), 0.0 // row means of the kernel
	for i := range rows {
		for j := range k {
			rows[i] += kernel(i, j) / float64(k)
		}
		all += rows[i] / float64(k)
	}
	form := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			form.SetSym(i, j, (kernel(i, j)-rows[i]-rows[j]+all)/float64(k-1))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(form, false) {
		panic("stats: the eigenvalues of a symmetric matrix were not found")
	}
	weights := eigen.Values(nil)
	for i, w := range weights {
		weights[i] = max(0, w) // the form is positive semi-definite; the mean's own direction has 0
	}
	return serialNull{weights}
}

// survival returns the two-sided p value of t. Given the sum S it is 2Φ(-t √S). Craig's form of Φ turns this into an
// integral over angles whose integrand has a known mean over S:
//
//	2/π ∫_0^π/2 prod_i (1 + t² w_i / sin²θ)^(-1/2) dθ
//
// In u = log tan θ the integrand is analytic and falls exponentially at both ends, so the trapezoidal rule converges
// faster than any power of its step: with 1/8 the relative error is below 1e-11, also far out in the tail.
//
// J. W. Craig, A new, simple and exact result for calculating the probability of error for two-dimensional signal
// constellations, MILCOM 91 (1991), 571-575.
func (n serialNull) survival(t float64) float64 {
	if math.IsInf(t, 1) {
		return 0
	}
	const step, far = 0.125, 37.0 // e^-37 adds nothing
	sum := 0.0
	for u := -far; u <= far; u += step {
		square, product, log := t*t*(1+math.Exp(-2*u)), 1.0, 0.0
		for _, w := range n.weights {
			if product *= 1 + square*w; product > 1e100 { // before it overflows
				log, product = log+math.Log(product), 1
			}
		}
		sum += math.Exp(-log/2) / (math.Sqrt(product) * math.Cosh(u))
	}
	return min(1, sum*step/math.Pi)
}

// quantile returns the t of a two-sided p value, by the secant method on log p, which is nearly linear in log t.
func (n serialNull) quantile(p float64) float64 {
	at := func(x float64) float64 { return math.Log(n.survival(math.Exp(x)) / p) }
	x0, x1 := math.Log(2), math.Log(2.5)
	f0, f1 := at(x0), at(x1)
	for range 50 {
		if math.Abs(x1-x0) < 1e-14 || f1 == f0 {
			break
		}
		x0, x1, f0 = x1, x1-f1*(x1-x0)/(f1-f0), f1
		f1 = at(x1)
	}
	return math.Exp(x1)
}
