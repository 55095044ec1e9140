package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// task is one run of a forecasting experiment.
type task struct {
	job
	Setting Setting
	Seed    uint64
	Fold    int
}

func (t task) work() job { return t.job }

func (t task) String() string {
	s := t.Setting.Name
	if t.Setting.Split != Random {
		s += ", " + string(t.Setting.Split)
	}
	if t.Setting.Split.numbered() {
		s += fmt.Sprintf(" %d", t.Fold)
	}
	return fmt.Sprintf("%s, seed %d", s, t.Seed)
}

// plan lists the runs that options ask for, in the order in which they are made.
func (e Forecasting) plan(o Options) (Profile, []task, error) {
	profile, folder, err := o.place()
	if err != nil {
		return "", nil, err
	}
	series, err := e.Series()
	if err != nil {
		return "", nil, err
	}
	data, settings := digestOf(series), e.settings(profile)
	for _, split := range o.Splits {
		if !slices.Contains(allSplits, split) {
			return "", nil, fmt.Errorf("experiments: split %q, want some of %q: %w", split, allSplits, ErrInput)
		}
	}
	has := func(id string) bool { return slices.ContainsFunc(settings, func(s Setting) bool { return s.ID == id }) }
	if err := o.checkModels(e.Name, profile, has); err != nil {
		return "", nil, err
	}
	kind := o.kind()
	var tasks []task
	for _, s := range settings {
		if !o.wants(s.ID) || !o.wantsSplit(s.Split) {
			continue
		}
		chosen := o
		if s.Model == nil && s.Split != Random {
			chosen.Seeds = nil
		}
		splits, err := e.splits(series, s, 0)
		if err != nil {
			return "", nil, err
		}
		for _, seed := range chosen.chosenSeeds(s.Seeds) {
			for fold := range splits {
				t := task{Setting: s, Seed: seed, Fold: fold}
				t.job = job{name: t.String(), kind: string(s.Split) + " " + s.ID, trained: s.Model != nil}
				identity, err := e.identity(series, data, t)
				if err != nil {
					return "", nil, err
				}
				if t.slot, err = newSlot(folder, e.Name, t.backend(kind), identity); err != nil {
					return "", nil, err
				}
				tasks = append(tasks, t)
			}
		}
	}
	return profile, tasks, nil
}

// wantsSplit says whether a split is asked for.
func (o Options) wantsSplit(split Split) bool {
	if len(o.Splits) == 0 {
		return slices.Contains(Splits(), split)
	}
	return slices.Contains(o.Splits, split)
}

// Stored returns what is stored of the runs; the others are missing.
func (e Forecasting) Stored(o Options) (*ForecastingResults, error) {
	profile, tasks, err := e.plan(o)
	if err != nil {
		return nil, err
	}
	standing, err := o.standing(e.Name)
	if err != nil {
		return nil, err
	}
	results := &ForecastingResults{Experiment: e, Profile: profile, Standing: standing}
	return results, stored(tasks, results.add)
}

// Run finds the runs that are stored, makes and stores the others, and returns all. When ctx ends, a training that is under way
// keeps a checkpoint, from which the next call goes on. A run that fails for another reason than its model is stored
// with its error, the others go on, and the error of Run says so. Several processes may work on the same runs: none is
// made twice.
func (e Forecasting) Run(ctx context.Context, o Options) (*ForecastingResults, error) {
	_, tasks, err := e.plan(o)
	if err != nil {
		return nil, err
	}
	w := &forecastingRunner{experiment: e}
	w.options, w.compute, w.describe = o, w.run, (*Run).describe
	if w.series, err = e.Series(); err != nil {
		return nil, err
	}
	if err := w.all(ctx, tasks); err != nil {
		return nil, err
	}
	results, err := e.Stored(o)
	if err != nil {
		return nil, err
	}
	return results, couldNotBeMade(e.Name, len(tasks), results.errors())
}

// couldNotBeMade is the error that tells of stored errors, if there are any.
func couldNotBeMade(experiment string, planned int, stored []string) error {
	if len(stored) == 0 {
		return nil
	}
	return fmt.Errorf("experiments: %d of %d runs of %s could not be made, the first: %s; run again with retry", len(stored), planned, experiment, stored[0])
}

type forecastingRunner struct {
	runner[task, Run]
	experiment Forecasting
	series     *dyngraph.Series
}

func (w *forecastingRunner) run(ctx context.Context, t task) (*Run, float64, error) {
	resident.Reset()
	run := &Run{Setting: t.Setting, Seed: t.Seed, Fold: t.Fold}
	split, err := w.experiment.split(w.series, t.Setting, t.Seed, t.Fold)
	if err != nil {
		return nil, 0, err
	}
	if h := t.Setting.Heuristic; h != nil {
		if err := h.Fit(split.Train, split.Validation); err != nil {
			return nil, 0, err
		}
		return run, 0, run.measure(h.Forecast, split)
	}
	model, err := w.prepare(*t.Setting.Model, t.initial())
	if err != nil {
		return nil, 0, err
	}
	run.Parameters = model.Parameters()
	var earlier float64
	run.Training, earlier, err = w.fit(t.job, t.Setting.Train, func(config train.Config) (*train.Report, error) {
		return model.Fit(ctx, split.Train, split.Validation, config)
	})
	if err == nil {
		err = run.measure(func(w dyngraph.Window) ([]float64, error) {
			y, err := model.Predict(ctx, w, nil)
			if err != nil {
				return nil, err
			}
			return slices.Concat(y[0]...), nil
		}, split)
	}
	if run.diverged(err) {
		err = nil
	}
	run.PeakBytes = resident.Peak()
	return run, earlier, err
}

// initial is the seed of the initial parameters.
func (t task) initial() uint64 { return t.Seed + uint64(t.Fold)*foldSeeds }

// foldSeeds makes the initial parameters of the runs of a rotation or of rolling origins differ.
const foldSeeds = 1000
