package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Tuned returns a row whose model is chosen among trials in each run. Every trial is trained on the training windows
// and stops early by the validation windows. The trial with the smallest validation error forecasts. Tuned never sees
// test windows, so a study that trains again for each tested part nests the choice in it. Models that are compared
// should have equally many trials. [Training] records which trial was chosen.
//
// Without validation windows, because the row's Train.EvaluateEvery is [train.NoValidation], trials are compared on the
// latest quarter of the training windows, see [dyngraph.HoldOut]. The chosen trial is then trained anew on all training
// windows, for the epochs after which its validation error was smallest.
//
// Each trial has its own checkpoint: after an interruption, trials that had ended are not trained again.
func Tuned(id, name string, trials []Row) Row {
	m := Row{ID: id, Name: name,
		New: func(backend *xla.Backend) (Learner, error) {
			l := &tuned{trials: trials, learners: make([]Learner, len(trials))}
			for i, trial := range trials {
				var err error
				if l.learners[i], err = trial.New(backend); err != nil {
					l.Close()
					return nil, fmt.Errorf("experiments: trial %q of %q: %w", trial.Name, name, err)
				}
			}
			return l, nil
		},
		Settings: once(func() (any, error) {
			all := make([]map[string]any, len(trials))
			for i, trial := range trials {
				all[i] = make(map[string]any)
				if err := trial.Identity(all[i]); err != nil {
					return nil, fmt.Errorf("experiments: trial %q of %q: %w", trial.Name, name, err)
				}
				if trial.Train.EvaluateEvery < 0 {
					return nil, errs.New(ErrInput, "experiments: trial %q of %q trains without validation, by which trials are "+
						"compared: want EvaluateEvery of 0 or more", trial.Name, name)
				}
			}
			if len(trials) == 0 {
				return nil, errs.New(ErrInput, "experiments: %q has no trials to choose from", name)
			}
			return map[string]any{"trials": all}, nil
		})}
	if len(trials) > 0 {
		m.Train = trials[0].Train
	}
	for _, trial := range trials {
		m.Trials = append(m.Trials, trial.Name)
	}
	return m
}

// tuned is the learner of [Tuned].
type tuned struct {
	trials   []Row
	learners []Learner
	seed     uint64
	// errors holds the smallest validation error of each trial, 0 if it diverged. chosen is the trial that forecasts.
	errors []float64
	chosen int
}

// Fit trains all trials, each with its own settings, and chooses one.
func (l *tuned) Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report,
	error) {
	l.errors, l.chosen = make([]float64, len(l.trials)), 0
	all := training
	if config.EvaluateEvery < 0 {
		if training, validation = dyngraph.HoldOut(all); len(training) == 0 {
			return nil, errs.New(ErrInput, "experiments: trials are compared on the latest %d of %d training windows, and "+
				"each other window shares a step with them: want more windows", len(validation), len(all))
		}
	}
	var best *train.Report
	var diverged []error
	seconds := 0.0
	for i := range l.learners {
		report, err := l.fit(ctx, i, training, validation, l.config(i, config))
		if report != nil {
			seconds += report.Seconds
		}
		switch {
		case err != nil && (ctx.Err() != nil || recordDivergence(&Facts{}, err) != nil): // not because of the model
			return report, fmt.Errorf("trial %q: %w", l.trials[i].Name, err)
		case err != nil:
			diverged = append(diverged, fmt.Errorf("trial %q: %w", l.trials[i].Name, err))
			continue
		}
		l.errors[i] = report.BestValidation
		if best == nil || report.BestValidation < best.BestValidation {
			best, l.chosen = report, i
		}
	}
	if best == nil {
		return nil, fmt.Errorf("experiments: all trials diverged: %w", errors.Join(diverged...))
	}
	chosen := *best
	if config.EvaluateEvery < 0 {
		l.learners[l.chosen].Reset(l.seed)
		own := l.config(l.chosen, config)
		own.Epochs, own.EvaluateEvery = chosen.Best+1, train.NoValidation
		if own.Checkpoint != nil {
			own.Checkpoint.Path += "-anew"
		}
		report, err := l.fit(ctx, l.chosen, all, nil, own)
		if err != nil {
			return report, fmt.Errorf("trial %q on all windows: %w", l.trials[l.chosen].Name, err)
		}
		seconds += report.Seconds
	}
	chosen.Seconds = seconds
	return &chosen, nil
}

// fit trains a trial. An untrained one, which reports no errors, gets its validation error by a forecast.
func (l *tuned) fit(ctx context.Context, trial int, training, validation []dyngraph.Window, config train.Config) (
	*train.Report, error) {
	learner := l.learners[trial]
	if !l.trials[trial].Untrained {
		return train.StartOver(config.Checkpoint, func() (*train.Report, error) {
			return learner.Fit(ctx, training, validation, config)
		})
	}
	report, err := learner.Fit(ctx, training, validation, config)
	if err != nil || len(validation) == 0 {
		return report, err
	}
	forecasts, err := learner.Forecast(ctx, validation)
	if err != nil {
		return nil, err
	}
	score, err := baseline.NewScore(l.trials[trial].Name, validation, forecasts)
	report.BestValidation, _ = score.Mean()
	return report, err
}

// config returns the configuration of a trial: its own settings, with the progress and the checkpoint of the whole
// training.
func (l *tuned) config(trial int, whole train.Config) train.Config {
	config := l.trials[trial].Train
	if report := whole.Progress; report != nil {
		config.Progress = func(p train.Progress) {
			whole := p
			whole.Epoch, whole.Epochs = trial*p.Epochs+p.Epoch, len(l.trials)*p.Epochs
			whole.Left = 0 // trials differ
			report(whole)
		}
	}
	if whole.Checkpoint != nil {
		checkpoint := *whole.Checkpoint
		checkpoint.Path = fmt.Sprintf("%s%s%d", checkpoint.Path, store.TrialInfix, trial)
		config.Checkpoint = &checkpoint
	}
	return config
}

// Plan returns the plan of the trial that takes the most memory.
func (l *tuned) Plan(training []dyngraph.Window, _, steps int) (most *pengcde.Plan, err error) {
	for i, learner := range l.learners {
		if l.trials[i].Untrained {
			continue
		}
		p, ok := learner.(Planner)
		if !ok {
			return nil, errPlanned
		}
		plan, err := p.Plan(training, l.trials[i].Train.BatchSize, steps)
		if err != nil {
			return nil, fmt.Errorf("trial %q: %w", l.trials[i].Name, err)
		}
		if most == nil || plan.DeviceBytes > most.DeviceBytes {
			most = plan
		}
	}
	return most, nil
}

func (l *tuned) Forecast(ctx context.Context, windows []dyngraph.Window) ([][]float64, error) {
	return l.learners[l.chosen].Forecast(ctx, windows)
}

func (l *tuned) Parameters() int        { return l.learners[l.chosen].Parameters() }
func (l *tuned) Save(path string) error { return l.learners[l.chosen].Save(path) }

func (l *tuned) Reset(seed uint64) {
	l.seed, l.chosen = seed, 0
	for _, learner := range l.learners {
		learner.Reset(seed)
	}
}

func (l *tuned) Close() {
	for _, learner := range l.learners {
		if learner != nil {
			learner.Close()
		}
	}
}

// note adds the errors of the trials and the chosen trial to a training.
func (l *tuned) note(t *Training) {
	t.Trials, t.Chosen = slices.Clone(l.errors), l.chosen
	for i, e := range t.Trials {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			t.Trials[i] = 0
		}
	}
}
