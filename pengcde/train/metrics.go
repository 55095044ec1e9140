package train

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// MSE returns the mean over nodes (and components of the target) of (forecast - target)². Both arguments are
// [nodes*outputs]. Targets that are NaN were not observed and are left out; if all are NaN the error wraps [ErrInput].
func MSE(forecast, target []float64) (float64, error) {
	if len(forecast) != len(target) || len(target) == 0 {
		return 0, errs.New(ErrInput, "pengcde/train: MSE of %d forecasts and %d targets, want as many of each and at "+
			"least one", len(forecast), len(target))
	}
	sum, observed := 0.0, 0
	for i, y := range target {
		if !math.IsNaN(y) {
			sum += (forecast[i] - y) * (forecast[i] - y)
			observed++
		}
	}
	if observed == 0 {
		return 0, errs.New(ErrInput, "pengcde/train: MSE of %d targets that are all NaN, want at least one observed",
			len(target))
	}
	return sum / float64(observed), nil
}

// BroadcastMSE returns the mean square of the differences of every forecast p_i and every target y_j, for one target
// per node:
//
//	mean_ij (p_i - y_j)² = var(p) + var(y) + (mean p - mean y)²
//
// The published code of "Permutation Equivariant Neural CDEs for Dynamic Graph Representation Learning" (NeurIPS 2025)
// reports this number for its ODE and CDE models on node regression: forecasts [n,1] minus targets [n] broadcast to
// [n,n]. It ignores which node is which, so no forecast does better than the mean of the targets, at var(y). A single
// forecast for the whole graph is compared with all targets, as in that code where it sums over nodes. Targets that are
// NaN are left out as in [MSE]. Use it only for comparison with published numbers.
func BroadcastMSE(forecast, target []float64) (float64, error) {
	if len(forecast) == 0 || len(target) == 0 {
		return 0, errs.New(ErrInput, "pengcde/train: BroadcastMSE of %d forecasts and %d targets, want at least one of "+
			"each", len(forecast), len(target))
	}
	target = slices.DeleteFunc(slices.Clone(target), math.IsNaN)
	if len(target) == 0 {
		return 0, errs.New(ErrInput, "pengcde/train: BroadcastMSE of targets that are all NaN, want at least one observed")
	}
	meanP, varP := stat.PopMeanVariance(forecast, nil)
	meanY, varY := stat.PopMeanVariance(target, nil)
	return varP + varY + (meanP-meanY)*(meanP-meanY), nil
}

// CrossEntropy returns -log(softmax(logits)[class]) in nats. It is 0 for a class that is certain, and for equal logits
// the logarithm of their number. Logits are the output of Predict for the head Class; classes are counted from 0. If
// logits are not finite, or the class is out of range, the error wraps [ErrInput].
func CrossEntropy(logits []float64, class int) (float64, error) {
	if err := checkClass(logits, class); err != nil {
		return 0, errs.In("pengcde/train: CrossEntropy", err)
	}
	return floats.LogSumExp(logits) - logits[class], nil
}

// Accuracy returns the share of samples whose largest logit belongs to their class; among equal logits the first
// counts. Logits are [samples][classes]. It refuses inputs that [CrossEntropy] refuses, and an empty list of samples.
func Accuracy(logits [][]float64, classes []int) (float64, error) {
	if len(logits) != len(classes) || len(classes) == 0 {
		return 0, errs.New(ErrInput, "pengcde/train: Accuracy of logits of %d samples and %d classes, want as many of each "+
			"and at least one", len(logits), len(classes))
	}
	right := 0
	for i, class := range classes {
		if err := checkClass(logits[i], class); err != nil {
			return 0, errs.In(fmt.Sprintf("pengcde/train: Accuracy: sample %d", i), err)
		}
		if floats.MaxIdx(logits[i]) == class {
			right++
		}
	}
	return float64(right) / float64(len(classes)), nil
}

func checkClass(logits []float64, class int) error {
	if class < 0 || class >= len(logits) {
		return errs.New(ErrInput, "class %d with %d logits, want one of 0 to their number less 1", class, len(logits))
	}
	if slices.ContainsFunc(logits, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return errs.New(ErrInput, "logits %g, want finite ones: the parameters may have diverged", logits)
	}
	return nil
}
