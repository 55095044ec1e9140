package store

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Facts is the outcome of a run. All numbers are finite.
type Facts struct {
	// Parameters is the number of learnable entries.
	Parameters int `json:"Parameters,omitempty"`
	// Scores maps names, such as "test", to single numbers.
	Scores map[string]float64 `json:"Scores,omitempty"`
	// Arrays maps names to rows of numbers, such as the forecasts on tested windows. Rows may differ in length.
	Arrays map[string][][]float64 `json:"Arrays,omitempty"`
	// Failure says that the model diverged: the state or the loss was not finite, or changed too fast to be solved.
	// Such a run has no scores and no arrays. "" for a run that succeeded.
	Failure string `json:"Failure,omitempty"`
	// Before maps names to scores of a diverged model, computed with its best validated parameters before divergence,
	// as early stopping takes them; nil if the study computes none. No comparison counts them.
	Before map[string]float64 `json:"Before,omitempty"`
	// Training is nil for an untrained model.
	Training *Training `json:"Training,omitempty"`
	// PeakBytes is the largest resident memory of the process while the run was made; 0 if unknown.
	PeakBytes int64 `json:"PeakBytes,omitempty"`
}

// Training holds the losses, gradient norms, steps and times of a model's training.
type Training struct {
	// TrainLoss and ValidationLoss are by epoch. TrainLoss is 0 if a guard skipped all batches. ValidationLoss is 0
	// if it was not evaluated or not finite.
	TrainLoss      []float64 `json:"TrainLoss"`
	ValidationLoss []float64 `json:"ValidationLoss"`
	// GradientNorm is the largest norm before clipping, by epoch: a spike indicates a solve whose gradient explodes.
	GradientNorm []float64 `json:"GradientNorm,omitempty"`
	// LargestNorm is the largest norm of all gradients, by epoch, including gradients that a guard rejected; nil if
	// it equals GradientNorm.
	LargestNorm []float64 `json:"LargestNorm,omitempty"`
	// Tries and Rejected count the solver's steps for gradients, by epoch, summed over samples; nil if none were
	// counted.
	Tries    []int `json:"Tries,omitempty"`
	Rejected []int `json:"Rejected,omitempty"`
	// Retried counts the batches that a guard had solved again, and Skipped the batches it left out, by epoch; nil if
	// there are none.
	Retried []int `json:"Retried,omitempty"`
	Skipped []int `json:"Skipped,omitempty"`
	// Stiffness is [train.Report].Stiffness, 0 if it was not requested.
	Stiffness float64    `json:"Stiffness,omitempty"`
	Best      int        `json:"Best"`
	Stop      train.Stop `json:"Stop,omitempty"`
	// SecondsPerEpoch is the median.
	SecondsPerEpoch float64 `json:"SecondsPerEpoch"`
	// Trials holds the smallest validation error of each trial of a tuned model, 0 for a trial that diverged. Chosen
	// is the trial that forecasts; the other fields belong to it.
	Trials []float64 `json:"Trials,omitempty"`
	Chosen int       `json:"Chosen,omitempty"`
}

// NewTraining returns the part of a report that is stored.
func NewTraining(report *train.Report) *Training {
	t := &Training{Best: report.Best, Stop: report.Stop, Stiffness: report.Stiffness}
	var seconds []float64
	for _, epoch := range report.Epochs {
		t.TrainLoss = append(t.TrainLoss, finiteOr0(epoch.TrainLoss))
		t.GradientNorm = append(t.GradientNorm, epoch.GradientNorm)
		t.ValidationLoss = append(t.ValidationLoss, finiteOr0(epoch.Validation))
		seconds = append(seconds, epoch.Seconds)
		t.LargestNorm = append(t.LargestNorm, epoch.LargestNorm)
		t.Tries, t.Rejected = append(t.Tries, epoch.Tries), append(t.Rejected, epoch.Rejected)
		t.Retried, t.Skipped = append(t.Retried, epoch.Retried), append(t.Skipped, epoch.Skipped)
	}
	if slices.Equal(t.LargestNorm, t.GradientNorm) {
		t.LargestNorm = nil
	}
	for _, counts := range []*[]int{&t.Tries, &t.Rejected, &t.Retried, &t.Skipped} {
		if !slices.ContainsFunc(*counts, func(n int) bool { return n > 0 }) {
			*counts = nil
		}
	}
	if len(seconds) > 0 {
		slices.Sort(seconds)
		t.SecondsPerEpoch = stat.Quantile(0.5, stat.Empirical, seconds, nil)
	}
	return t
}

// Seconds returns the number of epochs times the median seconds of an epoch, and times the number of trials if any. It
// leaves out compiling, and pauses of the process.
func (t *Training) Seconds() float64 {
	return t.SecondsPerEpoch * float64(len(t.TrainLoss)*max(1, len(t.Trials)))
}

func finiteOr0(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// Unresolved reports whether gradients of the training were not resolved, by the rule of [train.Report.Unresolved].
// It also covers runs that were stored with gradient norms before that rule existed.
func (t *Training) Unresolved() bool {
	report := train.Report{Stop: t.Stop}
	for i, norm := range t.GradientNorm {
		epoch := train.Epoch{GradientNorm: norm}
		if i < len(t.Skipped) {
			epoch.Skipped = t.Skipped[i]
		}
		report.Epochs = append(report.Epochs, epoch)
	}
	return report.Unresolved()
}

// LargestGradient returns the largest gradient norm before clipping, including gradients that a guard rejected; 0 if
// none was stored.
func (t *Training) LargestGradient() (norm float64) {
	for _, norms := range [][]float64{t.GradientNorm, t.LargestNorm} {
		for _, n := range norms {
			norm = max(norm, n)
		}
	}
	return norm
}

// Unconverged reports whether the last validation was the best, after all epochs: more epochs might have improved it.
func (t *Training) Unconverged() bool {
	last := len(t.ValidationLoss) - 1
	for last >= 0 && t.ValidationLoss[last] == 0 {
		last--
	}
	return t.Stop == train.StopEpochs && last >= 0 && t.Best == last
}

// Check returns an error if a number cannot be written in JSON.
func (f *Facts) Check() error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for _, scores := range []map[string]float64{f.Scores, f.Before} {
		for name, score := range scores {
			if !finite(score) {
				return fmt.Errorf("experiments/store: score %q is %g, want a finite number", name, score)
			}
		}
	}
	for name, rows := range f.Arrays {
		for i, row := range rows {
			if k := slices.IndexFunc(row, func(x float64) bool { return !finite(x) }); k >= 0 {
				return fmt.Errorf("experiments/store: array %q, row %d, entry %d is %g, want finite numbers", name, i, k, row[k])
			}
		}
	}
	return nil
}
