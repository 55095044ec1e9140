package store

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Facts are what a run gave. All numbers are finite.
type Facts struct {
	// Parameters is the number of learnable entries.
	Parameters int `json:"Parameters,omitempty"`
	// Scores are single numbers by name, such as "test".
	Scores map[string]float64 `json:"Scores,omitempty"`
	// Arrays are rows of numbers by name, such as the forecasts on tested windows. Rows may differ in length.
	Arrays map[string][][]float64 `json:"Arrays,omitempty"`
	// Failure says that the model diverged: the state or the loss was not finite, or changed too fast to be solved. Such
	// a run has no scores and no arrays. "" for a run that went well.
	Failure string `json:"Failure,omitempty"`
	// Before are scores, by name, of a model that diverged with the parameters that were validated best until then, as
	// early stopping takes them; nil where the study makes none. No comparison counts them.
	Before map[string]float64 `json:"Before,omitempty"`
	// Training is nil for an untrained model.
	Training *Training `json:"Training,omitempty"`
	// PeakBytes is the largest resident memory of the process while the run was made; 0 where it is not known.
	PeakBytes int64 `json:"PeakBytes,omitempty"`
}

// Training has the losses, gradient norms, steps and times of a model's training.
type Training struct {
	// TrainLoss and ValidationLoss are by epoch. The former holds 0 where a guard skipped all batches, the latter where it
	// was not evaluated or not finite.
	TrainLoss      []float64 `json:"TrainLoss"`
	ValidationLoss []float64 `json:"ValidationLoss"`
	// GradientNorm is by epoch, the largest before clipping: a spike tells of a solve whose gradient explodes.
	GradientNorm []float64 `json:"GradientNorm,omitempty"`
	// LargestNorm is by epoch the largest of all gradients, also of one that a guard kept from use; nil where it is
	// GradientNorm.
	LargestNorm []float64 `json:"LargestNorm,omitempty"`
	// Tries and Rejected are by epoch the solver's steps for gradients, summed over samples; nil where none were counted.
	Tries    []int `json:"Tries,omitempty"`
	Rejected []int `json:"Rejected,omitempty"`
	// Retried and Skipped are by epoch the batches that a guard had solved again, and left out; nil where there are none.
	Retried []int `json:"Retried,omitempty"`
	Skipped []int `json:"Skipped,omitempty"`
	// Stiffness is [train.Report].Stiffness, 0 where it was not asked for.
	Stiffness float64    `json:"Stiffness,omitempty"`
	Best      int        `json:"Best"`
	Stop      train.Stop `json:"Stop,omitempty"`
	// SecondsPerEpoch is the median.
	SecondsPerEpoch float64 `json:"SecondsPerEpoch"`
	// Trials are the least validation errors of the trials of a tuned model, 0 of one that diverged, and Chosen the
	// trial that forecasts; the rest is of that trial.
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
		t.SecondsPerEpoch = seconds[(len(seconds)-1)/2]
	}
	return t
}

func finiteOr0(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// Unresolved says that gradients of the training were not resolved, by the rule of [train.Report.Unresolved]: of runs
// that were stored with their gradient norms also those from before there was such a rule.
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

// LargestGradient is the largest norm of a gradient before clipping, also of one that a guard kept from use; 0 where
// none was stored.
func (t *Training) LargestGradient() (norm float64) {
	for _, norms := range [][]float64{t.GradientNorm, t.LargestNorm} {
		for _, n := range norms {
			norm = max(norm, n)
		}
	}
	return norm
}

// Unconverged says that the last validation was the best one, after all epochs: with more of them it might have become
// better still.
func (t *Training) Unconverged() bool {
	last := len(t.ValidationLoss) - 1
	for last >= 0 && t.ValidationLoss[last] == 0 {
		last--
	}
	return t.Stop == train.StopEpochs && last >= 0 && t.Best == last
}

// Check finds a number that JSON has no place for.
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
