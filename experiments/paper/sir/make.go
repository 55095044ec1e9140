package sir

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Scores of a run.
const (
	accuracy     = "accuracy"
	crossEntropy = "cross-entropy"
)

// labelled holds trajectories with their classes.
type labelled struct {
	windows []dyngraph.Window
	labels  []int
}

// data returns the sets of a run. They are generated for each run, in less than a second; stored, they would take
// gigabytes.
func (s sirRun) data(ctx context.Context) (sets [3]labelled, err error) {
	for i, classes := range s.sets {
		set, err := synthetic.GenerateClasses(ctx, classes)
		if err == nil && s.noise > 0 {
			set, err = set.Noisy(s.noise, classes.Config.Seed)
		}
		if err != nil {
			return sets, err
		}
		if sets[i].windows, err = set.Windows(); err != nil {
			return sets, err
		}
		sets[i].labels = set.Labels
	}
	return sets, nil
}

// make trains on whole trajectories and classifies the validation and test sets, or times inferences.
func (o Oversampling) make(ctx context.Context, m *experiments.RunContext, r experiments.Run) (
	*experiments.Facts, error) {
	at := r.Spec.(sirRun)
	sets, err := at.data(ctx)
	if err != nil {
		return nil, fmt.Errorf("experiments: data of %v: %w", r, err)
	}
	training, validation, test := sets[0], sets[1], sets[2]
	if r.Model.ID == catalogue.InferenceID {
		return at.clock(ctx, m, r.Seed, test.windows)
	}
	learner, err := m.Learner(r.Seed)
	if err != nil {
		return nil, err
	}
	facts, err := m.Fit(ctx, learner, remedyOf(at.ID).training(training.windows, r.Seed), validation.windows)
	if err != nil {
		return facts, err
	}
	return facts, classify(ctx, facts, learner, test)
}

// inferenceBatch is the published number of test trajectories. All profiles infer, and time inference, in batches of
// this size, so that one program serves all.
const inferenceBatch = 100

// filled repeats windows to fill a whole batch.
func filled(windows []dyngraph.Window) []dyngraph.Window {
	return slices.Repeat(windows, 1+inferenceBatch/len(windows))[:inferenceBatch]
}

// classify scores a set, and stores logits and labels.
func classify(ctx context.Context, facts *experiments.Facts, l experiments.Learner, set labelled) error {
	facts.Scores, facts.Arrays = make(map[string]float64), make(map[string][][]float64)
	var logits [][]float64
	for part := range slices.Chunk(set.windows, inferenceBatch) {
		some, err := l.Forecast(ctx, filled(part))
		if err != nil {
			return err
		}
		logits = append(logits, some[:len(part)]...)
	}
	mean := 0.0
	for i, row := range logits {
		if slices.ContainsFunc(row, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
			return fmt.Errorf("experiments: logits of trajectory %d are %g: %w", i, row, train.ErrNotFinite)
		}
		loss, err := train.CrossEntropy(row, set.labels[i])
		if err != nil {
			return err
		}
		mean += loss / float64(len(logits))
	}
	if facts.Training != nil { // scores without training are not logits
		facts.Scores[crossEntropy] = mean
	}
	classes := make([]float64, len(set.labels))
	for i, label := range set.labels {
		classes[i] = float64(label)
	}
	facts.Arrays["logits"], facts.Arrays["labels"] = logits, [][]float64{classes}
	var err error
	facts.Scores[accuracy], err = train.Accuracy(logits, set.labels)
	return err
}
