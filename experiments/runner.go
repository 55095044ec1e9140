package experiments

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/xla"
)

// Run finds the stored runs, makes and stores the missing ones, and returns all of them. When ctx ends, a training in
// progress keeps a checkpoint from which the next call continues. If a run fails for a reason other than its model,
// its error is stored, the other runs continue, and Run returns an error. Several processes may work on the same
// runs: no run is made twice.
func (s Study) Run(ctx context.Context, o Options) (*Report, error) {
	planned, err := s.find(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.Planned != nil {
		o.Planned(planned)
	}
	w := s.runner(planned, o)
	work := w.all
	if o.Jobs > 1 || o.Cores > 0 && o.Worker != nil {
		work = w.supervise
	}
	if err := w.look(planned.Results); err != nil {
		return nil, err
	}
	if o.Retry && o.RetryBefore.IsZero() && len(w.missing) > 0 { // a later error comes from its own retry
		w.options.RetryBefore = w.missing[0].slot.Now()
	}
	if err := work(ctx); err != nil {
		return nil, err
	}
	r, err := s.Stored(ctx, o)
	if err != nil {
		return nil, err
	}
	if failed := r.Results.failed(); len(failed) > 0 {
		err = errs.New(ErrRuns, "experiments: %d of %d runs of %s could not be made, the first: %v: %s; run again "+
			"with --retry (Options.Retry)",
			len(failed), len(r.Results), s.Name, failed[0].Run, failed[0].Record.Error)
	}
	return r, err
}

// toMake finds the runs, and returns a runner of the missing ones.
func (s Study) toMake(ctx context.Context, o Options) (*Report, *runner, error) {
	r, err := s.find(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	w := s.runner(r, o)
	w.missing = r.Results.only(w.wanted)
	return r, w, nil
}

func (s Study) runner(planned *Report, o Options) *runner {
	if o.leases == nil {
		o.leases = new(store.Leases)
	}
	return &runner{study: s, options: o, kind: planned.Backend, began: time.Now(), learners: make(map[string]Learner),
		known: make(byKind[[]float64]), underWay: make(map[string]Position), held: make(map[string]*store.HeldLease)}
}

// runner makes the runs of a study.
type runner struct {
	study    Study
	options  Options
	kind     string // of the backend
	opened   *xla.Backend
	learners map[string]Learner
	began    time.Time
	missing  Results                     // runs to make
	known    byKind[[]float64]           // seconds of trained runs
	underWay map[string]Position         // runs in training now, by name
	held     map[string]*store.HeldLease // the leases of this process, by name
	trained  int                         // number of missing runs trained so far
	advanced bool                        // an epoch or a run of this process or its workers has ended
}

func (w *runner) seconds() float64 { return time.Since(w.began).Seconds() }

// look finds the missing runs.
func (w *runner) look(results Results) error {
	w.missing = results.only(w.wanted)
	files, err := results.files()
	if err != nil {
		return err
	}
	stale := 0
	for _, r := range results {
		if r.here() {
			w.learn(r, r.Record)
		}
		if w.wanted(r) {
			continue
		}
		if r.Stale {
			stale++
		} else if err := w.tidy(r, files); err != nil {
			return err
		}
	}
	if stale > 0 {
		w.notice(staleRemark(stale))
	}
	return nil
}

// all makes the missing runs: first the runs that no other process holds, then the runs that other processes left.
func (w *runner) all(ctx context.Context) error {
	defer w.close()
	wait := store.Poll
	for inParts := false; len(w.missing) > 0; inParts = true {
		before := len(w.missing)
		if err := w.pass(ctx, inParts); err != nil {
			return err
		}
		if len(w.missing) < before {
			wait = store.Poll
		}
		if len(w.missing) > 0 {
			w.report(w.missing[0], Position{Text: "another process has it, waiting"})
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
			wait = w.options.leases.Slower(wait)
		}
	}
	return nil
}

// pass makes the missing runs that no other process holds.
func (w *runner) pass(ctx context.Context, inParts bool) error {
	for _, runs := range w.programs() {
		var left Results
		for _, r := range runs { // other processes may have made runs since the pass began
			if made, err := w.stored(r); err != nil {
				return err
			} else if !made {
				left = append(left, r)
			}
		}
		if err := w.group(ctx, left, inParts); err != nil {
			return err
		}
	}
	return nil
}

// stored removes a run from the list if it has been stored meanwhile.
func (w *runner) stored(r Result) (bool, error) {
	if !r.slot.Exists() {
		return false, nil
	}
	found, err := r.find()
	if err != nil || w.wanted(found) {
		return false, err
	}
	w.learn(r, found.Record)
	w.finish(r)
	return true, nil
}

// wanted reports whether a run must be made. A run of another backend is made again; a run of another generation only
// on request.
func (w *runner) wanted(r Result) bool {
	switch {
	case r.Stale:
		return w.options.Stale
	case r.Record == nil || r.OtherBackend:
		return true
	}
	if before := w.options.RetryBefore; !before.IsZero() {
		return r.Record.Error != "" && !r.slot.WrittenAfter(before)
	}
	return w.options.Retry && r.Record.Error != ""
}

// here reports whether the run's own slot holds its facts.
func (r Result) here() bool { return r.made() && !r.OtherBackend }

// tidy removes files that are no longer needed for a run that will not be made.
func (w *runner) tidy(r Result, files store.Files) error {
	if r.Record.Error != "" { // a retry needs its checkpoint
		return nil
	}
	if err := r.slot.Tidy(files); err != nil || !w.options.Stale || !r.here() {
		return err
	}
	return r.slot.RemoveOlder()
}

// one makes a run, or finds it stored, unless another process holds it.
func (w *runner) one(ctx context.Context, m *RunContext) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !m.run.Model.Untrained {
		if m.backend, err = w.backend(); err != nil {
			return err
		}
	}
	_, err = m.run.slot.Lock(func(lease *store.HeldLease) (done bool, err error) {
		m.lease, w.held[m.run.slot.Name()] = lease, lease
		defer delete(w.held, m.run.slot.Name())
		r, err := m.run.find()
		if err != nil {
			return false, err
		}
		if !w.wanted(r) {
			w.finish(r)
			return r.here(), nil
		}
		if !m.train(nil) {
			return false, nil
		}
		return w.make(lease.While(ctx), m)
	})
	if errors.Is(err, store.ErrLost) {
		delete(w.underWay, m.run.slot.Name())
		w.notice(fmt.Sprintf("%v: %v", m.run, err))
		return nil
	}
	return err
}

// make computes and stores a run, or stores the error that prevented it.
func (w *runner) make(ctx context.Context, m *RunContext) (done bool, err error) {
	began, r := w.seconds(), m.run
	resident.Reset()
	w.report(r, Position{Text: "preparing"})
	facts, err := w.study.Execute(ctx, m, r.Run)
	if facts == nil {
		facts = &Facts{}
	}
	if err = recordDivergence(facts, err); err == nil {
		err = facts.Check()
	}
	record := newRecord(m.backend)
	record.Facts, record.Seconds = facts, m.earlier+w.seconds()-began
	if lost := m.lease.Check(); lost != nil {
		return false, lost
	}
	switch {
	case err == nil:
		if !r.Model.Untrained {
			facts.PeakBytes = resident.Peak()
		}
		w.report(r, Position{Part: 1, Text: outcomeText(facts)})
	case ctx.Err() != nil, errors.Is(err, ErrStore), errors.Is(err, errBackend), errors.Is(err, errGroupEnded):
		return false, err
	default:
		record.Facts, record.Error = nil, err.Error()
		m.lease.SetTries(0)
		w.notice(fmt.Sprintf("%v: %v", r, err))
	}
	if err := r.slot.Save(record); err != nil {
		return false, err
	}
	w.learn(r, &record)
	w.advanced = true
	w.finish(r)
	if record.Error != "" {
		return false, nil
	}
	if w.options.Stale {
		err = r.slot.RemoveOlder()
	}
	return true, err
}

// newRecord returns a record of this machine and time.
func newRecord(backend *xla.Backend) Record {
	machine := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Backend: noBackend}
	if backend != nil {
		machine.Backend = backend.Device
	}
	return Record{Machine: machine, Ended: time.Now().UTC().Truncate(time.Second), Versions: doctor.Versions()}
}

// errBackend is wrapped when no backend is available, which is not a property of a run.
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
		if got := w.opened.Kind(); got != w.kind {
			return nil, fmt.Errorf("experiments: %w: looked for runs of %s, but %s; set %s=%s to look for its runs and "+
				"compute with it", errBackend, w.kind, w.opened, xla.BackendEnv, got)
		}
		w.notice("on " + w.opened.String())
	}
	return w.opened, nil
}

func (w *runner) notice(text string) {
	if w.options.Notice != nil {
		w.options.Notice(text)
	}
}

// muchMemory is the resident memory in bytes above which freed memory is returned between runs. If that is not
// enough, learners are closed: programs compiled for the data of earlier runs pile up, and can be loaded from disk or
// compiled again.
const muchMemory = 2 << 30

func (w *runner) limitMemory() {
	if resident.Now() > muchMemory {
		xla.ReturnFreedMemory()
	}
	if resident.Now() > muchMemory {
		w.closeLearners()
		xla.ReturnFreedMemory()
	}
}

func (w *runner) closeLearners() {
	for _, learner := range w.learners {
		learner.Close()
	}
	clear(w.learners)
}

func (w *runner) close() {
	w.closeLearners()
	if w.opened != nil {
		w.opened.Close()
	}
}
