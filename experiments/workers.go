package experiments

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/experiments/workers"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// errNoWorker is the error for options that set Jobs but no Worker.
var errNoWorker = errs.New(ErrInput, "experiments: Options.Jobs without Options.Worker: say which command makes runs")

// sentinels maps names to the errors that end a study.
var sentinels = map[string]error{"store": ErrStore, "backend": errBackend, "input": ErrInput,
	"checkpoint": train.ErrNotSaved}

// Work makes runs in a worker process, which another process started by calling [Study.Run] with [Options].Jobs and
// the same options. It returns when other processes hold all runs that it could make. When life or ctx ends, it keeps
// a checkpoint of the training in progress. Both streams are pipes: Run connects them to the standard input and
// output of the command.
func (s Study) Work(ctx context.Context, o Options, life io.Reader, notes io.Writer) error {
	return workers.Serve(ctx, life, notes, sentinels, func(ctx context.Context, notice func(string)) error {
		task, err := workers.CurrentTask()
		if err != nil {
			return err
		}
		o.Progress, o.Jobs, o.Notice, o.RetryBefore = nil, 0, notice, task.RetryBefore
		if o.leases == nil {
			o.leases = new(store.Leases)
		}
		o.leases.BeginOnly = !task.Alone // only the parent process decides whether a holder is gone
		planned, err := s.find(ctx, o)
		if err != nil {
			return err
		}
		w := s.runner(planned, o)
		defer w.close()
		w.missing = planned.Results.only(w.wanted)
		if task.Alone {
			return w.nextAlone(ctx)
		}
		w.missing = w.missing.only(func(r Result) bool { return !r.Alone })
		for inParts, before := false, 0; !inParts || len(w.missing) < before; inParts = true {
			before = len(w.missing)
			if err := w.pass(ctx, inParts); err != nil {
				return err
			}
		}
		return nil
	})
}

// nextAlone makes the runs of one program that must be trained with no other program running.
func (w *runner) nextAlone(ctx context.Context) error {
	for _, runs := range w.programs() {
		alone := false
		for _, r := range runs {
			lease, _, err := r.slot.Watch()
			if err != nil {
				return err
			}
			alone = alone || r.Alone || lease.Free
		}
		if !alone {
			continue
		}
		before := len(w.missing)
		if err := w.group(ctx, runs, true); err != nil || len(w.missing) < before {
			return err
		}
	}
	return nil
}

// supervise lets workers make the missing runs.
func (w *runner) supervise(ctx context.Context) error {
	if w.options.Worker == nil {
		return errNoWorker
	}
	pool := workers.NewPool(w.options.Worker, w.options.Jobs, w.options.Cores, sentinels)
	return workers.NewSupervisor(pool, &board{runner: w}, workers.Task{RetryBefore: w.options.RetryBefore}).Run(ctx)
}

// board implements [workers.Board] for the missing runs.
type board struct {
	*runner
	turn int  // index into runs of other processes, to check whether their holder is gone
	held bool // whether other processes hold runs
}

// Review implements [workers.Board].
func (b *board) Review(own func(process int) bool) (left workers.Left, err error) {
	if len(b.missing) == 0 {
		return left, nil
	}
	before := len(b.missing)
	files, err := b.missing.files()
	if err != nil {
		return left, err
	}
	was := b.underWay
	b.underWay = make(map[string]Position)
	left.Cared = store.ArrayTask() != ""
	var held Results
	for _, program := range b.programs() {
		free, alone := false, false
		for _, r := range program {
			_, began := was[r.slot.Name()]
			if files.Record(r.slot) || began && !files.Lease(r.slot) {
				if made, err := b.stored(r); err != nil {
					return left, err
				} else if made {
					b.advanced = b.advanced || began
					continue
				}
			}
			alone = alone || r.Alone
			if !files.Lease(r.slot) {
				free = true
				continue
			}
			lease, lives, err := r.slot.Watch()
			switch {
			case err != nil:
				return left, err
			case lease.Free:
				free, alone = true, true
			case lease.Here() && own(lease.Process):
				b.underWay[r.slot.Name()] = lease.At
				left.Busy = append(left.Busy, lease.Process)
				left.Cared = false
			default:
				held = append(held, r)
				left.Cared = left.Cared && lives && lease.Task != ""
			}
		}
		switch {
		case !free:
		case alone:
			left.Alone = append(left.Alone, program[0].slot.Name())
		default:
			left.Side = append(left.Side, program[0].slot.Name())
		}
		left.Cared = left.Cared && !free
	}
	left.Runs = len(b.missing)
	left.Changed, b.held = left.Runs < before, len(held) > 0
	if len(held) > 0 { // taking a run writes to disk, so one run per review, in turn
		b.turn++
		freed, err := held[b.turn%len(held)].slot.Lock(func(*store.HeldLease) (bool, error) { return false, nil })
		left.Changed = left.Changed || freed
		return left, err
	}
	return left, nil
}

// Ended implements [workers.Board]. The runs of the worker are made once more, by a worker with no other running, and
// fail if that worker ends too.
func (b *board) Ended(process int, began time.Time, ending string) (had bool, err error) {
	for _, r := range slices.Clone(b.missing) {
		lease, _, err := r.slot.Watch()
		if err != nil {
			return had, err
		}
		if lease.Process != process || lease.Free || !lease.Here() || lease.Began.Before(began.Truncate(time.Second)) {
			continue
		}
		r.slot.Bury(lease)
		if _, err := r.slot.Lock(func(held *store.HeldLease) (bool, error) {
			found, err := r.find()
			if err != nil || !b.wanted(found) {
				return found.here(), err
			}
			had = true
			held.SetTries(held.Tries() + 1)
			if held.Tries() == 1 {
				b.notice(fmt.Sprintf("%v: its process ended before it was done (%s): made again when the others are, with no "+
					"process beside it", r, ending))
				return false, nil
			}
			held.SetTries(0)
			record := newRecord(nil)
			record.Error = fmt.Sprintf("its process ended before it was done, twice, the second time with no other beside "+
				"it: %s", ending)
			b.notice(fmt.Sprintf("%v: %s", r, record.Error))
			return false, r.slot.Save(record)
		}); err != nil {
			return had, err
		}
	}
	return had, nil
}

// Notice implements [workers.Board].
func (b *board) Notice(text string) { b.notice(text) }

// Slower implements [workers.Board].
func (b *board) Slower(wait time.Duration) time.Duration { return b.options.leases.Slower(wait) }

// Report implements [workers.Board].
func (b *board) Report() {
	var all []string
	for _, r := range b.missing {
		if at, underWay := b.underWay[r.slot.Name()]; underWay {
			all = append(all, strings.TrimSuffix(fmt.Sprintf("%v: %s", r, at.Text), ": "))
		}
	}
	switch {
	case all == nil && b.held:
		all = append(all, "other processes have them, waiting")
	case all == nil:
		all = append(all, "starting")
	}
	b.progress(fmt.Sprintf("%d under way, %d to do: %s", len(b.underWay), len(b.missing), strings.Join(all, " · ")))
}
