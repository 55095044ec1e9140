package experiments

import (
	"errors"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Training is what is kept of how a model was trained.
type Training struct {
	// TrainLoss and ValidationLoss are by epoch; the latter holds 0 where it was not evaluated.
	TrainLoss, ValidationLoss []float64
	// GradientNorm is by epoch, the largest before clipping: a spike tells of a solve whose gradient explodes.
	GradientNorm []float64 `json:",omitempty"`
	Best         int
	Stop         train.Stop `json:",omitempty"`
	// SecondsPerEpoch is the median.
	SecondsPerEpoch float64
}

func newTraining(report *train.Report) Training {
	var t Training
	var seconds []float64
	for _, epoch := range report.Epochs {
		validation := epoch.Validation
		if math.IsNaN(validation) || math.IsInf(validation, 0) {
			validation = 0
		}
		t.TrainLoss = append(t.TrainLoss, epoch.TrainLoss)
		t.GradientNorm = append(t.GradientNorm, epoch.GradientNorm)
		t.ValidationLoss = append(t.ValidationLoss, validation)
		seconds = append(seconds, epoch.Seconds)
	}
	t.Best, t.Stop = report.Best, report.Stop
	if len(seconds) > 0 {
		slices.Sort(seconds)
		t.SecondsPerEpoch = seconds[(len(seconds)-1)/2]
	}
	return t
}

// diverged says whether an error is that of the model, not of the computer: the state or the loss left the floats or changed too
// fast to be solved.
func diverged(err error) bool {
	for _, reason := range []error{train.ErrNotFinite, ode.NotFinite, ode.StepLimit, ode.StepTooSmall} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}
