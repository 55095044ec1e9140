package affinity

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// rowOf returns the row of sums.
func rowOf(sums map[int32]float64) row {
	r := row{classes: slices.Sorted(maps.Keys(sums))}
	for _, class := range r.classes {
		r.weights = append(r.weights, sums[class])
	}
	return r
}

// rankingSlope is the steepness of the logistic losses for a row whose largest weight is 1.
const rankingSlope = 20

// steepness returns the steepness for scores near a row.
func steepness(r row) float64 {
	if len(r.weights) == 0 || slices.Max(r.weights) <= 0 {
		return rankingSlope
	}
	return rankingSlope / slices.Max(r.weights)
}

// rankingLoss returns the loss of scores y with true weights answer, and its derivative with respect to each entry of
// y. It is the sum over pairs of classes of y with different weights a, at least one of them among the first [TopK]
// scores,
//
//	|ΔNDCG| log(1 + exp(-steep (y_i - y_j))),  a_i > a_j
//
// where ΔNDCG, the change of the NDCG if the two were swapped, is held constant.
func rankingLoss(y, answer row, steep float64) (loss float64, derivative []float64) {
	derivative = make([]float64, len(y.classes))
	if len(y.classes) == 0 || len(answer.weights) == 0 {
		return 0, derivative
	}
	order := make([]int, len(y.classes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(y.weights[b], y.weights[a]) })
	ideal := slices.Sorted(slices.Values(answer.weights))
	slices.Reverse(ideal)
	best := 0.0
	for rank, gain := range ideal[:min(TopK, len(ideal))] {
		best += gain * discount(rank)
	}
	if best == 0 {
		return 0, derivative
	}
	for rank, i := range order[:min(TopK, len(order))] {
		a := answer.at(y.classes[i])
		for later, j := range order[rank+1:] {
			b := answer.at(y.classes[j])
			change := math.Abs(a-b) * math.Abs(discount(rank)-cut(rank+1+later)) / best
			if change == 0 {
				continue
			}
			up, down := i, j // the class to rank first, and the other
			if b > a {
				up, down = j, i
			}
			apart := steep * (y.weights[up] - y.weights[down])
			loss += change * math.Log1p(math.Exp(-apart))
			pull := change * steep / (1 + math.Exp(apart))
			derivative[up] -= pull
			derivative[down] += pull
		}
	}
	return loss, derivative
}

// shareLoss returns the cross-entropy of the shares of answer and of y among a number of classes, and its derivative
// with respect to each entry of y. Each score counts as 0.0001 more, so that a class without one has a share.
func shareLoss(y, answer row, classes int) (loss float64, derivative []float64) {
	derivative = make([]float64, len(y.classes))
	all, of := floats.Sum(y.weights)+float64(classes)*logScale, floats.Sum(answer.weights)
	if of == 0 {
		return 0, derivative
	}
	for i, class := range answer.classes {
		loss -= answer.weights[i] / of * math.Log((y.at(class)+logScale)/all)
	}
	for i, class := range y.classes {
		derivative[i] = 1/all - answer.at(class)/of/(y.weights[i]+logScale)
	}
	return loss, derivative
}

// cut returns the discount of a rank, 0 for ranks that do not count.
func cut(rank int) float64 {
	if rank >= TopK {
		return 0
	}
	return discount(rank)
}

// adam is AdamW with the usual decay rates.
type adam struct {
	rate, decay  float64
	mean, square []float64
	steps        float64
}

func newAdam(rate, decay float64, size int) *adam {
	return &adam{rate: rate, decay: decay, mean: make([]float64, size), square: make([]float64, size)}
}

// step updates weights. Gradients have the same parts as weights.
func (a *adam) step(weights, gradients [][]float64) {
	const first, second, tiny = 0.9, 0.999, 1e-8
	a.steps++
	at := 0
	for k, part := range weights {
		for i := range part {
			g := gradients[k][i]
			a.mean[at] = first*a.mean[at] + (1-first)*g
			a.square[at] = second*a.square[at] + (1-second)*g*g
			mean, square := a.mean[at]/(1-math.Pow(first, a.steps)), a.square[at]/(1-math.Pow(second, a.steps))
			part[i] -= a.rate * (mean/(math.Sqrt(square)+tiny) + a.decay*part[i])
			at++
		}
	}
}
