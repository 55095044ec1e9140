package train

import (
	"fmt"
	"math"
	"time"
)

// Progress is where a run stands.
type Progress struct {
	Epoch, Epochs int
	// TrainLoss is the mean over the epoch's batches; Validation is the newest, Best the lowest so far, or both NaN.
	TrainLoss, Validation, Best float64
	// Seconds is the time that the epoch took; the first compiles.
	Seconds float64
	// Left estimates the time to the last epoch from the epochs after the first, which compiles; 0 where none is done.
	// Early stopping may end sooner.
	Elapsed, Left time.Duration
	// Retried and Skipped count the batches of all epochs so far, see [Guard].
	Retried, Skipped int
}

// String is one line for a terminal.
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

// Epoch is what one epoch gave.
type Epoch struct {
	// TrainLoss is the mean over batches, each before its step, NaN where all were skipped. Validation is NaN where it was
	// not evaluated, and +Inf where a [Guard] went on after one that was not finite.
	TrainLoss, Validation float64
	// GradientNorm is the largest norm of the gradients that were used, before clipping, and LargestNorm the largest norm
	// of all gradients: larger where a [Guard] kept one from use, and the largest float64 where that one was not finite.
	GradientNorm, LargestNorm float64
	Seconds                   float64
	// Tries and Rejected are the steps that the solver tried for gradients, summed over samples, and rejected; 0 for a
	// problem that is no [Stepper].
	Tries, Rejected int
	// Retried batches were solved again, and Skipped ones had no gradient to use then either, see [Guard].
	Retried, Skipped int
}

// Stop says why training ended.
type Stop string

const (
	// StopEpochs means that all epochs were run.
	StopEpochs Stop = "all epochs run"
	// StopPatience means early stopping.
	StopPatience Stop = "no better validation"
	// StopTarget means a validation as low as Config.Target.
	StopTarget Stop = "validation at its target"
	// StopInterrupted means that the context ended.
	StopInterrupted Stop = "interrupted"
	// StopNotFinite means that a loss, a gradient or a state was not finite.
	StopNotFinite Stop = "not finite"
	// StopError begins what a training says that another error ended; the error follows.
	StopError Stop = "error"
)

// Report is the record of a run.
type Report struct {
	Epochs []Epoch
	// Best is the index of the epoch whose parameters are kept, -1 when none was validated, with its validation.
	Best           int
	BestValidation float64
	Stop           Stop
	Seconds        float64
	// Stiffness is the largest product of a step of the solver and an eigenvalue of the field, see Config.Stiffness; 0
	// where it was not asked for. Where it is above what the method is stable to, 3.3 for Tsit5, gradients may explode.
	Stiffness float64
}

// A norm that jumps by unresolvedJump over the median of at most unresolvedWindow epochs before it, at least
// unresolvedLeast, is one of a gradient that the solver did not resolve, and so are unresolvedSkips of the epochs with
// skipped batches.
const (
	unresolvedJump   = 1000
	unresolvedWindow = 20
	unresolvedLeast  = 5
	unresolvedSkips  = 0.01
)

// Unresolved says that gradients of the training were not resolved, so that its result tells of the solver's steps as
// much as of the model. One of these holds: it ended not finite; the norm of a gradient that was used was above 1000
// times the median of the 20 epochs before it (of those there are, from the sixth epoch on); a [Guard] skipped batches
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
