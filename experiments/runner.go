package experiments

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/xla"
)

// Run finds the runs that are stored, makes and stores the others, and returns all. When ctx ends, a training that is
// under way keeps a checkpoint, from which the next call goes on. A run that fails for another reason than its model
// is stored with its error, the others go on, and the error of Run says so. Several processes may work on the same
// runs: none is made twice.
func (s Study) Run(ctx context.Context, o Options) (*Report, error) {
	p, err := s.plan(o)
	if err != nil {
		return nil, err
	}
	w := &runner{study: s, options: o, learners: make(map[string]Learner),
		clock: clock{known: make(map[string][]float64)}, began: time.Now()}
	if err := w.all(ctx, p.jobs); err != nil {
		return nil, err
	}
	r, err := s.Stored(o)
	if err != nil {
		return nil, err
	}
	if failed := r.Results.failed(); len(failed) > 0 {
		err = fmt.Errorf("experiments: %d of %d runs of %s could not be made, the first: %v: %s; run again with retry",
			len(failed), len(p.jobs), s.Name, failed[0].Run, failed[0].Record.Error)
	}
	return r, err
}

// poll is when to look again whether another process has ended.
const poll = 300 * time.Millisecond

// runner makes the runs of a study.
type runner struct {
	study    Study
	options  Options
	opened   *xla.Backend
	learners map[string]Learner
	clock    clock
	began    time.Time
}

func (w *runner) seconds() float64 { return time.Since(w.began).Seconds() }

// all makes the runs that are missing: first those that no other process has, then those that others left.
func (w *runner) all(ctx context.Context, jobs []job) error {
	defer w.close()
	var missing []job
	stale := 0
	for _, j := range jobs {
		f, err := j.slot.find()
		if err != nil {
			return err
		}
		if f.made() {
			w.clock.learn(j, f.record.Seconds)
		}
		if w.wanted(f) {
			missing = append(missing, j)
		} else if f.stale {
			stale++
		} else if err := w.tidy(j.slot, f); err != nil {
			return err
		}
	}
	w.clock.missing = slices.Clone(missing)
	if stale > 0 {
		w.notice(staleRemark(stale))
	}
	for len(missing) > 0 {
		var group, held []job
		for len(missing) > 0 {
			group, missing = w.nextGroup(missing)
			left, err := w.group(ctx, group)
			if err != nil {
				return err
			}
			held = append(held, left...)
		}
		if len(held) > 0 && len(held) == len(w.clock.missing) {
			w.report(held[0], 0, "another process has it, waiting")
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(poll):
			}
		}
		missing = held
		w.options.Retry = false // an error that another process stores meanwhile is its retry
	}
	return nil
}

// wanted says whether a run is to be made. One that another backend made is; one of another generation only on request.
func (w *runner) wanted(f found) bool {
	switch {
	case f.stale:
		return w.options.Stale
	case f.record == nil || f.elsewhere:
		return true
	}
	return w.options.Retry && f.record.Error != ""
}

// tidy removes what is no longer of use beside a run that is not to be made.
func (w *runner) tidy(s slot, f found) error {
	if err := s.tidy(); err != nil || !w.options.Stale || !f.made() {
		return err
	}
	return s.removeOlder()
}

// nextGroup divides runs into those that are trained in one program, the seeds of the first one's model, and the rest.
func (w *runner) nextGroup(jobs []job) (group, rest []job) {
	first := jobs[0]
	if first.Model.Untrained || !w.options.SeedsTogether && w.options.kind() != "xla:cuda" {
		return jobs[:1], jobs[1:]
	}
	for _, j := range jobs {
		if j.kind() == first.kind() && j.Fold == first.Fold {
			group = append(group, j)
		} else {
			rest = append(rest, j)
		}
	}
	return group, rest
}

// group makes runs that are trained together, and returns those that another process has. Each is a coroutine that
// stops where it wants to train; when all have stopped, or ended, those that wait are trained.
func (w *runner) group(ctx context.Context, jobs []job) (held []job, err error) {
	if len(jobs) == 1 {
		had, err := w.one(ctx, &Maker{runner: w, job: jobs[0]})
		if !had {
			held = jobs
		}
		return held, err
	}
	waiting := make([]func() (*fitting, bool), len(jobs))
	had, errs := make([]bool, len(jobs)), make([]error, len(jobs))
	for i, j := range jobs {
		next, stop := iter.Pull(func(yield func(*fitting) bool) {
			had[i], errs[i] = w.one(ctx, &Maker{runner: w, job: j, together: yield, place: i})
		})
		defer stop()
		waiting[i] = next
	}
	for {
		var all []*fitting
		for _, next := range waiting {
			if f, ok := next(); ok {
				all = append(all, f)
			}
		}
		if len(all) == 0 {
			break
		}
		fitTogether(ctx, all)
	}
	for i, j := range jobs {
		if errs[i] == nil && !had[i] {
			held = append(held, j)
		}
	}
	return held, errors.Join(errs...)
}

// one makes a run, or finds it made, unless another process has it.
func (w *runner) one(ctx context.Context, m *Maker) (had bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	j := m.job
	if !j.Model.Untrained {
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
	f, err := j.slot.find()
	if err != nil {
		return false, err
	}
	if !w.wanted(f) {
		w.clock.finish(j, 0)
		done = f.made()
		return true, nil
	}
	done, err = w.make(ctx, m)
	return err == nil, err
}

// make computes a run and stores it, or the error that kept it from being made.
func (w *runner) make(ctx context.Context, m *Maker) (done bool, err error) {
	began, j := w.seconds(), m.job
	resident.Reset()
	facts, err := w.study.Make(ctx, m, j.Run)
	if facts == nil {
		facts = &Facts{}
	}
	err = facts.settle(err)
	record := Record{Facts: facts, Seconds: m.earlier + w.seconds() - began, Machine: w.machine(j),
		Ended: time.Now().UTC().Truncate(time.Second), Versions: doctor.Versions()}
	switch {
	case err == nil:
		if !j.Model.Untrained {
			facts.PeakBytes = resident.Peak()
		}
		w.report(j, 1, facts.describe())
	case ctx.Err() != nil, errors.Is(err, ErrStore), errors.Is(err, errBackend):
		return false, err
	default:
		record.Facts, record.Error = nil, err.Error()
		w.notice(fmt.Sprintf("%v: %v", j, err))
	}
	if err := j.slot.save(record); err != nil {
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

// errBackend is wrapped when there is nothing to compute on, which is no property of a run.
var errBackend = errors.New("no backend")

func (w *runner) backend() (*xla.Backend, error) {
	if w.options.Backend != nil {
		return w.options.Backend, nil
	}
	if w.opened == nil {
		var err error
		if w.opened, err = xla.Open(xla.Config{}); err != nil {
			return nil, fmt.Errorf("experiments: %w: %w", errBackend, err)
		}
		if want, got := w.options.kind(), w.opened.Kind(); got != want {
			return nil, fmt.Errorf("experiments: %w: looked for runs of %s, but %s; set %s=%s to look for its runs and "+
				"compute with it", errBackend, want, w.opened, xla.BackendEnv, got)
		}
		w.notice("on " + w.opened.String())
	}
	return w.opened, nil
}

func (w *runner) machine(j job) Machine {
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Backend: noBackend}
	if j.Model.Untrained {
		return m
	}
	if backend, err := w.backend(); err == nil {
		m.Backend = backend.Device
	}
	return m
}

func (w *runner) notice(text string) {
	if w.options.Notice != nil {
		w.options.Notice(text)
	}
}

// report says how far a run is.
func (w *runner) report(j job, fraction float64, text string) {
	if w.options.Progress != nil {
		whole, left := w.clock.state(j, fraction)
		w.options.Progress(whole, fmt.Sprintf("%v: %s; %d to do", j, text, left))
	}
}

func (w *runner) close() {
	for _, learner := range w.learners {
		learner.Close()
	}
	if w.opened != nil {
		w.opened.Close()
	}
}
