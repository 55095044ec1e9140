package experiments

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Options choose runs and how they are made; the zero value is all of the current profile.
type Options struct {
	// Profile is the size; "" means [CurrentProfile].
	Profile Profile
	// Models are IDs of settings; none means all.
	Models []string
	// Seeds of the runs; nil means those of each setting. Heuristics take them where windows are dealt at random, else they
	// have no use for a seed.
	Seeds []uint64
	// Retry makes runs again whose error was stored.
	Retry bool
	// CheckpointEvery is the time between checkpoints of a training; 0 means that of [train.Checkpoint].
	CheckpointEvery time.Duration
	// Backend computes; nil means one is opened when a run is missing.
	Backend *xla.Backend
	// Progress, if set, hears the fraction of the missing work that is done, NaN where it is not known, and what is going on.
	Progress func(fraction float64, text string)
	// Notice, if set, hears what is out of the ordinary: a training that goes on from a checkpoint, a run that could not be
	// made.
	Notice func(string)
}

// task is one run of the plan.
type task struct {
	Setting Setting
	Seed    uint64
	Fold    int
	slot    slot
}

func (t task) String() string {
	s := t.Setting.Name
	if t.Setting.Deal != Random {
		s += ", " + string(t.Setting.Deal)
	}
	if t.Setting.Deal == Rotation {
		s += fmt.Sprintf(" %d", t.Fold)
	}
	return fmt.Sprintf("%s, seed %d", s, t.Seed)
}

// plan lists the runs that options ask for, in the order in which they are made.
func (e Experiment) plan(o Options) (Profile, []task, error) {
	profile := o.Profile
	var err error
	if profile == "" {
		profile, err = CurrentProfile()
	} else {
		_, err = ParseProfile(string(profile))
	}
	if err != nil {
		return "", nil, err
	}
	folder, err := Folder()
	if err != nil {
		return "", nil, err
	}
	series, err := e.Series()
	if err != nil {
		return "", nil, err
	}
	settings := e.settings(profile)
	for _, id := range o.Models {
		if !slices.ContainsFunc(settings, func(s Setting) bool { return s.ID == id }) {
			return "", nil, fmt.Errorf("experiments: %s has no model %q in profile %s, see its list: %w", e.Name, id, profile, ErrInput)
		}
	}
	var tasks []task
	for _, s := range settings {
		if len(o.Models) > 0 && !slices.Contains(o.Models, s.ID) {
			continue
		}
		seeds := slices.Compact(slices.Sorted(slices.Values(o.Seeds)))
		if len(seeds) == 0 || s.Model == nil && s.Deal != Random {
			seeds = nil
			for seed := range uint64(s.Seeds) {
				seeds = append(seeds, seed)
			}
		}
		folds := 1
		if s.Deal == Rotation {
			folds = e.folds(series)
		}
		for _, seed := range seeds {
			for fold := range folds {
				t := task{Setting: s, Seed: seed, Fold: fold}
				if t.slot, err = newSlot(folder, e.Name, map[string]any{"version": e.version, "setting": s, "seed": seed, "fold": fold}); err != nil {
					return "", nil, err
				}
				tasks = append(tasks, t)
			}
		}
	}
	return profile, tasks, nil
}

// Stored returns what is stored of the runs; the others are missing.
func (e Experiment) Stored(o Options) (*Results, error) {
	profile, tasks, err := e.plan(o)
	if err != nil {
		return nil, err
	}
	results := &Results{Experiment: e, Profile: profile}
	for _, t := range tasks {
		record, err := t.slot.find()
		if err != nil {
			return nil, err
		}
		results.add(t, record)
	}
	return results, nil
}

// Run finds the runs that are stored, makes and stores the others, and returns all. When ctx ends, a training that is under way
// keeps a checkpoint, from which the next call goes on. A run that fails for another reason than its model is stored
// with its error, the others go on, and the error of Run says so. Several processes may work on the same runs: none is
// made twice.
func (e Experiment) Run(ctx context.Context, o Options) (*Results, error) {
	_, tasks, err := e.plan(o)
	if err != nil {
		return nil, err
	}
	w := &worker{experiment: e, options: o}
	defer w.close()
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
	if failed := results.failed(); failed > 0 {
		return results, fmt.Errorf("experiments: %d of %d runs of %s could not be made, the first: %s; run again with retry", failed, len(tasks), e.Name, results.firstError())
	}
	return results, nil
}

// worker makes runs, one after the other.
type worker struct {
	experiment Experiment
	options    Options
	series     *dyngraph.Series
	opened     *xla.Backend
	model      *pengcde.Model // of the setting run last
	config     pengcde.Config // what it was made of, without the control
	clock      clock
}

// all makes the runs that are missing: first those that no other process has, then those that others left.
func (w *worker) all(ctx context.Context, tasks []task) error {
	var missing []task
	for _, t := range tasks {
		record, err := t.slot.find()
		if err != nil {
			return err
		}
		w.clock.learn(t, record)
		if w.wanted(record) {
			missing = append(missing, t)
		} else if err := t.slot.tidy(); err != nil {
			return err
		}
	}
	w.clock.missing = missing
	for len(missing) > 0 {
		var held []task
		for _, t := range missing {
			had, err := w.one(ctx, t)
			if err != nil {
				return err
			}
			if !had {
				held = append(held, t)
			}
		}
		if len(held) == len(missing) {
			w.report(held[0], 0, "another process has it, waiting")
			if err := wait(ctx); err != nil {
				return err
			}
		}
		missing = held
		w.options.Retry = false // an error that another process stores meanwhile is its retry
	}
	return nil
}

// wait lets other processes work.
func wait(ctx context.Context) error {
	const poll = 300 * time.Millisecond
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(poll):
		return nil
	}
}

func (w *worker) wanted(r *Record) bool { return r == nil || w.options.Retry && r.Error != "" }

// one makes a run, or finds it made, unless another process has it.
func (w *worker) one(ctx context.Context, t task) (had bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	unlock, had, err := t.slot.lock()
	if err != nil || !had {
		return false, err
	}
	done := false
	defer func() { err = errors.Join(err, unlock(done)) }()
	record, err := t.slot.find()
	if err != nil {
		return false, err
	}
	if !w.wanted(record) {
		w.clock.finish(t, 0)
		done = record.Error == ""
		return true, nil
	}
	done, err = w.make(ctx, t)
	return err == nil, err
}

// make computes a run and stores it, or the error that kept it from being made.
func (w *worker) make(ctx context.Context, t task) (done bool, err error) {
	began := time.Now()
	resetPeak()
	run, earlier, err := w.compute(ctx, t)
	record := Record{Run: run, Seconds: earlier + time.Since(began).Seconds(), Ended: time.Now().UTC().Truncate(time.Second),
		Machine: w.machine(t), Versions: doctor.Versions()}
	switch {
	case err == nil:
		run.PeakBytes = peakBytes()
		w.report(t, 1, run.describe())
	case ctx.Err() != nil, errors.Is(err, ErrStore), errors.Is(err, errBackend):
		return false, err
	default:
		record.Run, record.Error = nil, err.Error()
		w.notice(fmt.Sprintf("%s: %v", t, err))
	}
	if err := t.slot.save(record); err != nil {
		return false, err
	}
	w.clock.finish(t, record.Seconds)
	return record.Error == "", nil
}

// compute returns the run, and the seconds of training in earlier sessions.
func (w *worker) compute(ctx context.Context, t task) (*Run, float64, error) {
	run := &Run{Setting: t.Setting, Seed: t.Seed, Fold: t.Fold}
	split, err := w.experiment.split(w.series, t.Setting, t.Seed, t.Fold)
	if err != nil {
		return nil, 0, err
	}
	if h := t.Setting.Heuristic; h != nil {
		if err := h.Fit(split.Train); err != nil {
			return nil, 0, err
		}
		return run, 0, run.measure(h.Forecast, split)
	}
	if err := w.prepare(t); err != nil {
		return nil, 0, err
	}
	run.Parameters = w.model.Parameters()
	began := time.Now()
	report, err := w.fit(ctx, t, split)
	earlier := 0.0
	if report != nil {
		run.record(report)
		earlier = max(0, report.Seconds-time.Since(began).Seconds())
	}
	if err == nil {
		err = run.measure(forecaster(ctx, w.model), split)
	}
	if run.diverged(err) {
		err = nil
	}
	return run, earlier, err
}

// fit trains the model from the checkpoint, where there is one that can be used.
func (w *worker) fit(ctx context.Context, t task, split dyngraph.Split) (*train.Report, error) {
	config := t.Setting.Train
	config.Progress = func(p train.Progress) { w.report(t, float64(p.Epoch)/float64(p.Epochs), p.String()) }
	config.Checkpoint = t.slot.checkpoint()
	config.Checkpoint.Every = w.options.CheckpointEvery
	config.Checkpoint.Notice = func(s string) { w.notice(t.String() + ": " + s) }
	report, err := w.model.Fit(ctx, split.Train, split.Validation, config)
	if errors.Is(err, train.ErrCheckpoint) {
		w.notice(fmt.Sprintf("%s: starts over: %v", t, err))
		if err = config.Checkpoint.Remove(); err == nil {
			report, err = w.model.Fit(ctx, split.Train, split.Validation, config)
		}
	}
	if errors.Is(err, train.ErrNotSaved) {
		err = unusable(err)
	}
	return report, err
}

// prepare makes the setting's model, which is compiled once for all its seeds and controls, with the seed's parameters.
func (w *worker) prepare(t task) error {
	config := *t.Setting.Model
	control := config.Control
	if config.Control = 0; w.model == nil || w.config != config {
		w.closeModel()
		backend, err := w.backend()
		if err != nil {
			return err
		}
		w.config = config
		if w.model, err = pengcde.New(backend, config); err != nil {
			return err
		}
	}
	w.model.Reset(t.Seed+uint64(t.Fold)*foldSeeds, control)
	return nil
}

// foldSeeds keeps the initial parameters of different windows of a rotation apart.
const foldSeeds = 1000

// errBackend is wrapped when there is nothing to compute on, which is no property of a run.
var errBackend = errors.New("no backend")

func (w *worker) backend() (*xla.Backend, error) {
	if w.options.Backend != nil {
		return w.options.Backend, nil
	}
	if w.opened == nil {
		var err error
		if w.opened, err = xla.Open(xla.Config{}); err != nil {
			return nil, fmt.Errorf("experiments: %w: %w", errBackend, err)
		}
		w.notice("on " + w.opened.String())
	}
	return w.opened, nil
}

func (w *worker) machine(t task) Machine {
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Backend: "none"}
	if t.Setting.Model == nil {
		return m
	}
	if backend, err := w.backend(); err == nil {
		m.Backend = backend.Device
	}
	return m
}

func (w *worker) notice(text string) {
	if w.options.Notice != nil {
		w.options.Notice(text)
	}
}

// report says how far a run is.
func (w *worker) report(t task, fraction float64, text string) {
	if w.options.Progress != nil {
		whole, left := w.clock.state(t, fraction)
		w.options.Progress(whole, fmt.Sprintf("%s: %s; %d runs to do", t, text, left))
	}
}

func (w *worker) closeModel() {
	if w.model != nil {
		w.model.Close()
		w.model = nil
	}
}

func (w *worker) close() {
	w.closeModel()
	if w.opened != nil {
		w.opened.Close()
	}
}
