package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// rangeSurvival is the probability that the range of k independent standard normal variables is more than q: the
// studentised range with infinite degrees of freedom. With z the largest of the variables,
//
//	k ∫ φ(z) (Φ(z)^(k-1) - (Φ(z) - Φ(z-q))^(k-1)) dz
//
// The trapezoidal rule converges faster than any power of its step for such an integrand, which is analytic and falls
// as a normal density at both ends; the bracket is taken without cancellation, so small probabilities keep their
// digits. Against k = 2, where the probability is 2Φ(-q/√2), and against half the step for k up to 100, the relative
// error is below 1e-12 down to probabilities of 1e-100.
//
// H. L. Harter, Tables of range and studentized range, Annals of Mathematical Statistics 31 (1960), 1122-1147.
func rangeSurvival(q float64, k int) float64 { return rangeSurvivalStep(q, k, 1./16) }

func rangeSurvivalStep(q float64, k int, step float64) float64 {
	if !(q > 0) {
		return 1
	}
	n, sum := distuv.UnitNormal, 0.0
	const far = 10 // standard deviations beyond which nothing adds to a sum of order 1
	for i := math.Floor(-far / step); i*step <= q+far; i++ {
		z := i * step
		below, beside := n.CDF(z), n.CDF(z-q)
		if below == 0 {
			continue
		}
		m := float64(k - 1)
		sum += n.Prob(z) * math.Pow(below, m) * -math.Expm1(m*math.Log1p(-beside/below))
	}
	return min(1, float64(k)*step*sum)
}
