package train

import (
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
)

// average is the mean of parameters over the optimiser's steps, with weights that fall by Config.Average from each
// step to the one before, in float64:
//
//	Σ_i d^(t-i) p_i / Σ_i d^(t-i),  i = 1 .. t
//
// The weights cover all steps so far, so that the parameters drawn at the start have no part in it.
// B. T. Polyak, A. B. Juditsky, Acceleration of Stochastic Approximation by Averaging, SIAM Journal on Control and
// Optimization 30 (1992) 838-855.
type average [][]float64

// add takes in the parameters after step t, counted from 1.
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

// tensorsLike are values of each parameter in the types and shapes of the parameters.
func tensorsLike(like []*tensors.Tensor, values [][]float64) []*tensors.Tensor {
	made := make([]*tensors.Tensor, len(values))
	for i, entries := range values {
		made[i] = host.Tensor(like[i].DType(), entries, like[i].Shape().Dimensions...)
	}
	return made
}
