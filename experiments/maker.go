package experiments

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Maker is what a study makes one run with.
type Maker struct {
	runner  *runner
	job     job
	earlier float64 // seconds of training before it was cut off
	// together, where set, trains with the other seeds of the model; place tells their learners apart.
	together func(*fitting) bool
	place    int
}

// Learner is one of the run's model, with parameters drawn by a seed. It is compiled once for all runs of a study
// whose models have equal settings; the next run draws its own parameters.
func (m *Maker) Learner(seed uint64) (Learner, error) {
	key, err := m.job.Model.key()
	if err != nil {
		return nil, err
	}
	key = fmt.Sprintf("%d %s", m.place, key)
	learner := m.runner.learners[key]
	if learner == nil {
		var backend *xla.Backend
		if !m.job.Model.Untrained {
			if backend, err = m.runner.backend(); err != nil {
				return nil, err
			}
		}
		if learner, err = m.job.Model.New(backend); err != nil {
			return nil, err
		}
		m.runner.learners[key] = learner
	}
	learner.Reset(seed)
	return learner, nil
}

// Folder is one beside the results that a study may keep generated data in.
func (m *Maker) Folder(name string) string {
	return filepath.Join(filepath.Dir(m.job.slot.folder), name)
}

// Fit trains a learner as the run's model says, from the run's checkpoint where there is one that can be used, and
// returns what is known of the training, also beside an error.
func (m *Maker) Fit(ctx context.Context, learner Learner, training, validation []dyngraph.Window) (*Facts, error) {
	facts := &Facts{Parameters: learner.Parameters()}
	if m.job.Model.Untrained {
		_, err := learner.Fit(ctx, training, validation, train.Config{})
		return facts, err
	}
	f := &fitting{learner: learner, training: training, validation: validation, config: m.job.Model.Train}
	w, j := m.runner, m.job
	f.config.Progress = func(p train.Progress) { w.report(j, float64(p.Epoch)/float64(p.Epochs), p.String()) }
	f.config.Checkpoint = j.slot.checkpoint()
	f.config.Checkpoint.Every = w.options.CheckpointEvery
	f.config.Checkpoint.Notice = func(s string) { w.notice(j.String() + ": " + s) }
	began := w.seconds()
	m.fit(ctx, f)
	if errors.Is(f.err, train.ErrCheckpoint) {
		w.notice(fmt.Sprintf("%v: starts over: %v", j, f.err))
		if f.err = f.config.Checkpoint.Remove(); f.err == nil {
			m.fit(ctx, f)
		}
	}
	if errors.Is(f.err, train.ErrNotSaved) {
		f.err = unusable(f.err)
	}
	if f.report != nil {
		facts.Training = newTraining(f.report)
		m.earlier = max(0, f.report.Seconds-(w.seconds()-began))
	}
	return facts, f.err
}

// fitting is one training, and how it ended.
type fitting struct {
	learner              Learner
	training, validation []dyngraph.Window
	config               train.Config
	report               *train.Report
	err                  error
}

func (m *Maker) fit(ctx context.Context, f *fitting) {
	if m.together == nil || !m.together(f) {
		f.alone(ctx)
	}
}

func (f *fitting) alone(ctx context.Context) {
	f.report, f.err = f.learner.Fit(ctx, f.training, f.validation, f.config)
}

// fitTogether trains the seeds of one model in one program, or one by one where they do not fit each other.
func fitTogether(ctx context.Context, all []*fitting) {
	runs := make([]pengcde.SeedRun, 0, len(all))
	for _, f := range all {
		if network, ok := f.learner.(NetworkLearner); ok {
			runs = append(runs, pengcde.SeedRun{Model: network.Model, Training: f.training, Validation: f.validation,
				Config: f.config})
		}
	}
	if len(runs) == len(all) && len(all) > 1 {
		if outcomes, _ := pengcde.FitSeeds(ctx, runs); outcomes != nil {
			for i, f := range all {
				f.report, f.err = outcomes[i].Report, outcomes[i].Err
			}
			return
		}
	}
	for _, f := range all {
		f.alone(ctx)
	}
}
