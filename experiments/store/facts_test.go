package store

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// The stored form of a training is unchanged if it has no guard and counts no steps, and is valid JSON if a guard
// continued after numbers that are not finite.
func TestStoredTrainings(t *testing.T) {
	plain := &train.Report{Epochs: []train.Epoch{
		{TrainLoss: 2, Validation: 3, GradientNorm: 4, LargestNorm: 4, Seconds: 1},
		{TrainLoss: 1, Validation: math.NaN(), GradientNorm: 5, LargestNorm: 5, Seconds: 3}}, Stop: train.StopEpochs}
	text, err := json.Marshal(NewTraining(plain))
	const want = `{"TrainLoss":[2,1],"ValidationLoss":[3,0],"GradientNorm":[4,5],"Best":0,"Stop":"all epochs run",` +
		`"SecondsPerEpoch":1}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	guarded := &train.Report{Stiffness: 2.5, Epochs: []train.Epoch{
		{TrainLoss: 2, Validation: math.Inf(1), GradientNorm: 4, LargestNorm: math.MaxFloat64, Tries: 90, Rejected: 20,
			Retried: 2, Skipped: 1},
		{TrainLoss: math.NaN(), Validation: 1, LargestNorm: 7e5, Tries: 80, Rejected: 10, Retried: 3, Skipped: 3}}}
	text, err = json.Marshal(NewTraining(guarded))
	if err != nil {
		t.Fatal(err)
	}
	var got Training
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Training{TrainLoss: []float64{2, 0}, ValidationLoss: []float64{0, 1},
		GradientNorm: []float64{4, 0}, LargestNorm: []float64{math.MaxFloat64, 7e5}, Tries: []int{90, 80},
		Rejected: []int{20, 10}, Retried: []int{2, 3}, Skipped: []int{1, 3}, Stiffness: 2.5}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A repeated run agrees with a run stored before steps were counted; its skipped batches count.
func TestCountedStepsAreNoOtherOutcome(t *testing.T) {
	before := Facts{Training: &Training{TrainLoss: []float64{1}}}
	after := Facts{Training: &Training{TrainLoss: []float64{1}, Tries: []int{9}, Rejected: []int{1}, Stiffness: 3}}
	if before.Outcome() != after.Outcome() {
		t.Error("counted steps make another outcome")
	}
	after.Training.Skipped = []int{1}
	if before.Outcome() == after.Outcome() {
		t.Error("skipped batches make no other outcome")
	}
}

// The rule is the report's, also for trainings that were stored without counts.
func TestUnresolvedTrainings(t *testing.T) {
	level := slices.Repeat([]float64{3}, 40)
	for name, c := range map[string]struct {
		training Training
		want     bool
	}{
		"level":            {Training{GradientNorm: level}, false},
		"a jump":           {Training{GradientNorm: append(slices.Clone(level), 1e14)}, true},
		"norms not stored": {Training{TrainLoss: level}, false},
		"not finite":       {Training{GradientNorm: level, Stop: train.StopNotFinite}, true},
		"skipped":          {Training{GradientNorm: level, Skipped: append(make([]int, 39), 2)}, true},
	} {
		if got := c.training.Unresolved(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A training has not converged if its last validation is the best one after all epochs.
func TestUnconverged(t *testing.T) {
	for name, c := range map[string]struct {
		training Training
		want     bool
	}{
		"best at the end": {Training{ValidationLoss: []float64{0, 2, 0, 1}, Best: 3, Stop: train.StopEpochs}, true},
		"not validated after its best epoch": {
			Training{ValidationLoss: []float64{0, 2, 1, 0}, Best: 2, Stop: train.StopEpochs}, true},
		"best before":   {Training{ValidationLoss: []float64{0, 1, 0, 2}, Best: 1, Stop: train.StopEpochs}, false},
		"stopped":       {Training{ValidationLoss: []float64{0, 2, 0, 1}, Best: 3, Stop: train.StopPatience}, false},
		"no validation": {Training{ValidationLoss: []float64{0, 0}, Best: 0, Stop: train.StopEpochs}, false},
	} {
		if got := c.training.Unconverged(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Gradients that a guard rejected count; runs that were stored without norms have 0.
func TestLargestGradient(t *testing.T) {
	kept := Training{GradientNorm: []float64{1, 3, 2}, LargestNorm: []float64{1, 70, 2}}
	used := Training{GradientNorm: []float64{1, 3, 2}}
	for want, training := range map[float64]*Training{70: &kept, 3: &used, 0: {}} {
		if got := training.LargestGradient(); got != want {
			t.Errorf("%g, want %g", got, want)
		}
	}
}
