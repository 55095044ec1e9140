package train

import (
	"fmt"
	"math"
	"time"
)

// Progress describes how far a training has come.
type Progress struct {
	Epoch, Epochs int
	// TrainLoss is the mean over the epoch's batches. Validation is the newest validation loss and Best the lowest so
	// far; both are NaN before the first validation.
	TrainLoss, Validation, Best float64
	// Seconds is the time that the epoch took; the first epoch includes compilation.
	Seconds float64
	// Left estimates the time to the last epoch. It uses the epochs after the first, which includes compilation, and is
	// 0 if there are none yet. Early stopping may end training sooner.
	Elapsed, Left time.Duration
	// Retried and Skipped count batches over all epochs so far, see [Guard].
	Retried, Skipped int
}

// String returns the progress as one line for a terminal.
func (p Progress) String() string {
	line := fmt.Sprintf("epoch %d/%d  train %.4g", p.Epoch, p.Epochs, p.TrainLoss)
	if !math.IsNaN(p.Validation) {
		line += fmt.Sprintf("  validation %.4g  best %.4g", p.Validation, p.Best)
	}
	if p.Retried > 0 || p.Skipped > 0 {
		line += fmt.Sprintf("  %d retried, %d skipped", p.Retried, p.Skipped)
	}
	if p.Left > 0 {
		line += fmt.Sprintf("  %s left at most", p.Left.Round(time.Second))
	}
	return line
}

// Epoch is the record of one epoch.
type Epoch struct {
	// TrainLoss is the mean over batches, each before its step; NaN if all were skipped. Validation is NaN if it was
	// not evaluated, and +Inf if a [Guard] continued after a validation that was not finite.
	TrainLoss, Validation float64
	// GradientNorm is the largest norm of the gradients that were used, before clipping. LargestNorm is the largest
	// norm of all gradients: it is larger if a [Guard] discarded a gradient, and the largest float64 if that gradient
	// was not finite.
	GradientNorm, LargestNorm float64
	Seconds                   float64
	// Tries is the number of steps that the solver tried for gradients, summed over samples, and Rejected the number
	// that it rejected; both are 0 for a problem that is not a [Stepper].
	Tries, Rejected int
	// Retried counts the batches that were solved again; Skipped counts the batches without a usable gradient even
	// then, see [Guard].
	Retried, Skipped int
}

// Stop is the reason why training ended.
type Stop string

const (
	// StopEpochs means that all epochs were run.
	StopEpochs Stop = "all epochs run"
	// StopPatience means that training stopped early.
	StopPatience Stop = "no better validation"
	// StopTarget means that a validation reached Config.Target.
	StopTarget Stop = "validation at its target"
	// StopTime means that the training took Config.MaxTime.
	StopTime Stop = "time used up"
	// StopInterrupted means that the context ended.
	StopInterrupted Stop = "interrupted"
	// StopNotFinite means that a loss, a gradient or a state was not finite.
	StopNotFinite Stop = "not finite"
	// StopError is the prefix of the stop reason of a training that another error ended; the error text follows it.
	StopError Stop = "error"
)

// Report is the record of a training.
type Report struct {
	Epochs []Epoch
	// Best is the index of the epoch whose parameters are kept, -1 if none was validated; BestValidation is its
	// validation loss.
	Best           int
	BestValidation float64
	Stop           Stop
	Seconds        float64
	// Stiffness is the largest product of a solver step and an eigenvalue of the field, see Config.Stiffness; 0 if it
	// was not requested. Above the stability limit of the method, 3.5 for Tsit5, gradients may explode.
	Stiffness float64
}

// A gradient is unresolved if its norm is more than unresolvedJump times the median of at most unresolvedWindow epochs
// before it, at least unresolvedLeast. A training is also unresolved if more than a share unresolvedSkips of the epochs
// skipped batches.
const (
	unresolvedJump   = 1000
	unresolvedWindow = 20
	unresolvedLeast  = 5
	unresolvedSkips  = 0.01
)

// Unresolved reports whether gradients of the training were not resolved. The result then depends on the solver's steps
// as much as on the model. It is true if training ended not finite; if the norm of a used gradient was above 1000 times
// the median of the 20 epochs before it (or of fewer epochs, from the sixth epoch on); or if a [Guard] skipped batches
// in more than 1% of the epochs.
func (r *Report) Unresolved() bool {
	skips := 0
	var norms []float64
	for i, e := range r.Epochs {
		norms = append(norms, e.GradientNorm)
		before := norms[max(0, i-unresolvedWindow):i]
		if len(before) >= unresolvedLeast && e.GradientNorm > unresolvedJump*median(before) && median(before) > 0 {
			return true
		}
		if e.Skipped > 0 {
			skips++
		}
	}
	return r.Stop == StopNotFinite || float64(skips) > unresolvedSkips*float64(len(r.Epochs))
}
