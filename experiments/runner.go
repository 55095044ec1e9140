package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

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
	// Splits are those of forecasting experiments to make or show; none means [Splits].
	Splits []Split
	// Seeds of the runs; nil means those of each setting. Heuristics take them in random splits, else they have no use for a
	// seed.
	Seeds []uint64
	// Retry makes runs again whose error was stored.
	Retry bool
	// Stale makes runs again of which only another [Generation] is stored, and then deletes those of earlier ones.
	// Without it they are left as they are.
	Stale bool
	// CheckpointEvery is the time between checkpoints of a training; 0 means that of [train.Checkpoint].
	CheckpointEvery time.Duration
	// Backend computes; nil means one is opened when a run is missing. Runs of another kind of backend are shown but
	// not reused.
	Backend *xla.Backend
	// Progress, if set, hears the fraction of the missing work that is done, NaN where it is not known, and what is going on.
	Progress func(fraction float64, text string)
	// Notice, if set, hears what is out of the ordinary: a training that goes on from a checkpoint, a run that could not be
	// made.
	Notice func(string)
}

// place is the profile that is asked for, and the folder of results.
func (o Options) place() (profile Profile, folder string, err error) {
	if o.Profile == "" {
		profile, err = CurrentProfile()
	} else {
		profile, err = ParseProfile(string(o.Profile))
	}
	if err != nil {
		return "", "", err
	}
	folder, err = Folder()
	return profile, folder, err
}

// kind is that of the backend that computes, or would; "" where none can be told.
func (o Options) kind() string {
	if o.Backend != nil {
		return o.Backend.Kind()
	}
	kind, err := xla.Expect(xla.Config{})
	if err != nil {
		return "" // opening it will say why
	}
	return kind
}

// wants says whether a model is asked for.
func (o Options) wants(id string) bool { return len(o.Models) == 0 || slices.Contains(o.Models, id) }

// checkModels finds names that an experiment's profile does not have.
func (o Options) checkModels(experiment string, p Profile, has func(id string) bool) error {
	for _, id := range o.Models {
		if !has(id) {
			return fmt.Errorf("experiments: %s has no model %q in profile %s, see its list: %w", experiment, id, p, ErrInput)
		}
	}
	return nil
}

// job is one run as the results folder and the clock see it.
type job struct {
	slot slot
	// name is for people; runs of one kind take equally long.
	name, kind string
	// trained says that it takes time and a backend.
	trained bool
}

// backend is the kind of backend that makes the run where kind computes.
func (j job) backend(kind string) string {
	if !j.trained {
		return noBackend
	}
	return kind
}

// runner makes runs of outcome R, one after the other.
type runner[T interface{ work() job }, R any] struct {
	options Options
	// compute returns a run, and the seconds that it took before it was cut off.
	compute func(ctx context.Context, t T) (run *R, earlier float64, err error)
	// describe is a word on a run that is done.
	describe func(*R) string
	opened   *xla.Backend
	models   map[string]*pengcde.Model // by what they were made of, without the normalisation
	clock    clock
}

// all makes the runs that are missing: first those that no other process has, then those that others left.
func (w *runner[T, R]) all(ctx context.Context, tasks []T) error {
	defer w.close()
	var missing []T
	stale := 0
	for _, t := range tasks {
		j := t.work()
		f, err := find[R](j.slot)
		if err != nil {
			return err
		}
		if f.made() {
			w.clock.learn(j, f.record.Seconds)
		}
		if w.wanted(f) {
			missing = append(missing, t)
			w.clock.missing = append(w.clock.missing, j)
		} else if err := w.tidy(j.slot, f); err != nil {
			return err
		} else if f.record == nil {
			stale++
		}
	}
	if stale > 0 {
		w.notice(staleRemark(stale))
	}
	for len(missing) > 0 {
		var held []T
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
			w.report(held[0].work(), 0, "another process has it, waiting")
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

// wanted says whether a run is to be made. One that another backend made is; one of another generation only on request.
func (w *runner[T, R]) wanted(f found[R]) bool {
	switch {
	case f.record == nil && !f.missing():
		return w.options.Stale
	case f.record == nil || f.elsewhere:
		return true
	}
	return w.options.Retry && f.record.Error != ""
}

// tidy removes what is no longer of use beside a run that is not to be made.
func (w *runner[T, R]) tidy(s slot, f found[R]) error {
	if f.record == nil {
		return nil // stale, and perhaps begun anew
	}
	if err := s.tidy(); err != nil || !w.options.Stale || !f.made() {
		return err
	}
	return s.removeOlder()
}

// one makes a run, or finds it made, unless another process has it.
func (w *runner[T, R]) one(ctx context.Context, t T) (had bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	j := t.work()
	if j.trained {
		if _, err := w.backend(); err != nil {
			return false, err
		}
	}
	unlock, had, err := j.slot.lock()
	if err != nil || !had {
		return false, err
	}
	done := false
	defer func() { err = errors.Join(err, unlock(done)) }()
	f, err := find[R](j.slot)
	if err != nil {
		return false, err
	}
	if !w.wanted(f) {
		w.clock.finish(j, 0)
		done = f.made()
		return true, nil
	}
	done, err = w.make(ctx, t)
	return err == nil, err
}

// make computes a run and stores it, or the error that kept it from being made.
func (w *runner[T, R]) make(ctx context.Context, t T) (done bool, err error) {
	began, j := time.Now(), t.work()
	run, earlier, err := w.compute(ctx, t)
	record := Record[R]{Run: run, Seconds: earlier + time.Since(began).Seconds(), Ended: time.Now().UTC().Truncate(time.Second),
		Machine: w.machine(j), Versions: doctor.Versions()}
	switch {
	case err == nil:
		w.report(j, 1, w.describe(run))
	case ctx.Err() != nil, errors.Is(err, ErrStore), errors.Is(err, errBackend):
		return false, err
	default:
		record.Run, record.Error = nil, err.Error()
		w.notice(fmt.Sprintf("%s: %v", j.name, err))
	}
	if err := save(j.slot, record); err != nil {
		return false, err
	}
	w.clock.finish(j, record.Seconds)
	if record.Error != "" {
		return false, nil
	}
	if w.options.Stale {
		err = j.slot.removeOlder()
	}
	return true, err
}

// fit trains a model from the job's checkpoint, where there is one that can be used. It returns what is kept of the training,
// and the seconds that it took before it was cut off.
func (w *runner[T, R]) fit(j job, config train.Config, fit func(train.Config) (*train.Report, error)) (Training, float64, error) {
	began := time.Now()
	config.Progress = func(p train.Progress) { w.report(j, float64(p.Epoch)/float64(p.Epochs), p.String()) }
	config.Checkpoint = j.slot.checkpoint()
	config.Checkpoint.Every = w.options.CheckpointEvery
	config.Checkpoint.Notice = func(s string) { w.notice(j.name + ": " + s) }
	report, err := fit(config)
	if errors.Is(err, train.ErrCheckpoint) {
		w.notice(fmt.Sprintf("%s: starts over: %v", j.name, err))
		if err = config.Checkpoint.Remove(); err == nil {
			report, err = fit(config)
		}
	}
	if errors.Is(err, train.ErrNotSaved) {
		err = unusable(err)
	}
	if report == nil {
		return Training{}, 0, err
	}
	return newTraining(report), max(0, report.Seconds-time.Since(began).Seconds()), err
}

// stored hands on what is stored of each task.
func stored[T interface{ work() job }, R any](tasks []T, add func(T, found[R])) error {
	for _, t := range tasks {
		f, err := find[R](t.work().slot)
		if err != nil {
			return err
		}
		add(t, f)
	}
	return nil
}

// prepare returns a model with the seed's parameters. It is compiled once for all seeds and normalisations.
func (w *runner[T, R]) prepare(config pengcde.Config, seed uint64) (*pengcde.Model, error) {
	normalise := config.Normalise
	config.Normalise = 0
	content, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprint(string(content), config.Product, config.Memory) // JSON leaves these out
	if w.models[key] == nil {
		backend, err := w.backend()
		if err != nil {
			return nil, err
		}
		model, err := pengcde.New(backend, config)
		if err != nil {
			return nil, err
		}
		if w.models == nil {
			w.models = make(map[string]*pengcde.Model)
		}
		w.models[key] = model
	}
	model := w.models[key]
	model.Reset(seed, normalise)
	return model, nil
}

// errBackend is wrapped when there is nothing to compute on, which is no property of a run.
var errBackend = errors.New("no backend")

func (w *runner[T, R]) backend() (*xla.Backend, error) {
	if w.options.Backend != nil {
		return w.options.Backend, nil
	}
	if w.opened == nil {
		var err error
		if w.opened, err = xla.Open(xla.Config{}); err != nil {
			return nil, fmt.Errorf("experiments: %w: %w", errBackend, err)
		}
		if want, got := w.options.kind(), w.opened.Kind(); got != want {
			return nil, fmt.Errorf("experiments: %w: looked for runs of %s, but %s; set %s=%s to look for its runs and compute "+
				"with it",
				errBackend, want, w.opened, xla.BackendEnv, got)
		}
		w.notice("on " + w.opened.String())
	}
	return w.opened, nil
}

func (w *runner[T, R]) machine(j job) Machine {
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Backend: "none"}
	if !j.trained {
		return m
	}
	if backend, err := w.backend(); err == nil {
		m.Backend = backend.Device
	}
	return m
}

func (w *runner[T, R]) notice(text string) {
	if w.options.Notice != nil {
		w.options.Notice(text)
	}
}

// report says how far a run is.
func (w *runner[T, R]) report(j job, fraction float64, text string) {
	if w.options.Progress != nil {
		whole, left := w.clock.state(j, fraction)
		w.options.Progress(whole, fmt.Sprintf("%s: %s; %d runs to do", j.name, text, left))
	}
}

func (w *runner[T, R]) close() {
	for _, model := range w.models {
		model.Close()
	}
	if w.opened != nil {
		w.opened.Close()
	}
}

// chosenSeeds are the seeds asked for, in order and each once, or the first planned ones.
func (o Options) chosenSeeds(planned int) []uint64 {
	seeds := slices.Compact(slices.Sorted(slices.Values(o.Seeds)))
	if len(seeds) == 0 {
		for seed := range uint64(planned) {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}
