package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// RunContext gives a study what it needs to make one run.
type RunContext struct {
	runner  *runner
	run     Result
	lease   *store.HeldLease
	backend *xla.Backend // nil for an untrained model
	earlier float64      // seconds of training before an interruption
	starts  string       // what a training begins with, in words
	// train trains together with the other runs of the group; with nil it waits for them, see [runner.group]. It
	// returns false if the training must not happen. index distinguishes their learners.
	train    func(*fitting) bool
	index    int
	planning *planning // set if the run is only planned
}

// Learner returns a learner of the run's model, with parameters drawn from a seed. All runs of a study whose models
// have the same ID and equal settings share one compiled learner, which draws its parameters again for each run.
// Seeds that are trained together have a learner each.
func (m *RunContext) Learner(seed uint64) (Learner, error) { return m.LearnerOf(m.run.Model, seed) }

// LearnerOf is [RunContext.Learner] for another model, for a run that uses several.
func (m *RunContext) LearnerOf(model Row, seed uint64) (Learner, error) {
	if m.planning != nil && model.ID != m.run.Model.ID {
		return nil, errPlanned
	}
	settings, err := model.Settings()
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal([]any{m.index, model.ID, settings})
	if err != nil {
		return nil, err
	}
	learner := m.runner.learners[string(key)]
	m.starts = "training"
	if learner == nil {
		m.starts = "compiling"
		if learner, err = model.New(m.backend); err != nil {
			return nil, err
		}
		m.runner.learners[string(key)] = learner
	}
	learner.Reset(seed)
	return learner, nil
}

// Folder returns a folder in the results folder where a study may keep generated data.
func (m *RunContext) Folder(name string) string {
	if m.planning != nil {
		return filepath.Join(m.planning.scratch, name)
	}
	return filepath.Join(filepath.Dir(m.run.slot.Folder()), name)
}

// Fit trains a learner with the settings of the run's model, from the run's checkpoint if a usable one exists. It
// returns the facts of the training, even with an error.
func (m *RunContext) Fit(ctx context.Context, learner Learner, training, validation []dyngraph.Window) (*Facts, error) {
	if m.planning != nil {
		return nil, m.planning.of(learner, training, m.run.Model.Train.BatchSize)
	}
	facts := &Facts{Parameters: learner.Parameters()}
	if m.run.Model.Untrained {
		_, err := learner.Fit(ctx, training, validation, train.Config{})
		return facts, err
	}
	f := &fitting{ctx: ctx, learner: learner, training: training, validation: validation, config: m.run.Model.Train}
	w, r := m.runner, m.run
	f.config.Progress = func(p train.Progress) { w.epoch(r, p) }
	f.config.Checkpoint = r.slot.Checkpoint()
	f.config.Checkpoint.Every = w.options.CheckpointEvery
	f.config.Checkpoint.Notice = func(s string) { w.notice(r.String() + ": " + s) }
	began := w.seconds()
	w.report(r, Position{Text: m.starts})
	f.report, f.err = train.StartOver(f.config.Checkpoint, func() (*train.Report, error) { return m.fit(f) })
	if errors.Is(f.err, train.ErrNotSaved) {
		f.err = store.Unusable(f.err)
	}
	if f.report != nil {
		facts.Training = store.NewTraining(f.report)
		if t, ok := learner.(*tuned); ok {
			t.note(facts.Training)
			facts.Parameters = learner.Parameters()
		}
		m.earlier = max(0, f.report.Seconds-(w.seconds()-began))
	}
	return facts, f.err
}
