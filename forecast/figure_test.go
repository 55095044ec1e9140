package forecast

import (
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// A result is drawn though an epoch skipped all of its batches, or had a validation that was not finite.
func TestLossesWithGaps(t *testing.T) {
	r := Result{Report: &train.Report{Best: 2, Epochs: []train.Epoch{{TrainLoss: 2, Validation: 3},
		{TrainLoss: 0, Validation: math.Inf(1)}, {TrainLoss: 1, Validation: 2}}}}
	if _, err := r.losses(); err != nil {
		t.Error(err)
	}
}
