package train

import (
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
)

// average is the mean of parameters over the optimiser's steps, in float64. Weights fall by the factor Config.Average
// from each step to the step before:
//
//	Σ_i d^(t-i) p_i / Σ_i d^(t-i),  i = 1 .. t
//
// The weights cover all steps so far, so the initial parameters do not contribute. B. T. Polyak, A. B. Juditsky,
// Acceleration of Stochastic Approximation by Averaging, SIAM Journal on Control and Optimization 30 (1992) 838-855.
type average [][]float64

// add updates the mean with the parameters after step t, counted from 1.
func (a *average) add(params []*tensors.Tensor, decay float64, t int) {
	weight := (1 - decay) / (1 - math.Pow(decay, float64(t)))
	if *a == nil {
		*a = make(average, len(params))
	}
	for i, p := range params {
		entries := host.Floats(p)
		if (*a)[i] == nil {
			(*a)[i] = entries
			continue
		}
		for k, x := range entries {
			(*a)[i][k] += weight * (x - (*a)[i][k])
		}
	}
}

// tensorsLike returns values of each parameter as tensors in the types and shapes of the parameters.
func tensorsLike(like []*tensors.Tensor, values [][]float64) []*tensors.Tensor {
	made := make([]*tensors.Tensor, len(values))
	for i, entries := range values {
		made[i] = host.Tensor(like[i].DType(), entries, like[i].Shape().Dimensions...)
	}
	return made
}
