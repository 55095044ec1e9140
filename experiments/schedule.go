package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/resident"
)

// task are runs for a worker, which one program trains.
type task struct {
	runs    Results
	retry   bool
	held    bool // other processes have the runs, or had one when they were tried first
	cared   bool // tasks of Slurm that live have them all
	inParts bool // those are to be made that no other process has
	alone   bool // no other is to be made beside it
	// ended counts the workers that ended while they had the task. After the first the task is made alone; after the
	// second, failure says how.
	ended   int
	failure string
}

// schedule is who makes what.
type schedule struct {
	*runner
	crew  *crew
	queue []*task
	heard map[string]bool // notices, which all workers may have
	kills func() int64    // that the machine has seen, for lack of memory
	seen  int64           // of them
	early int             // workers that ended before they took orders, in a row
}

// errNoWorker is the error of options with jobs and without a command for them.
var errNoWorker = errs.New(ErrInput, "experiments: Options.Jobs without Options.Worker: say which command makes runs")

// hire lets workers make the runs that are missing.
func (w *runner) hire(ctx context.Context) error {
	if w.options.Worker == nil {
		return errNoWorker
	}
	s := &schedule{runner: w, heard: make(map[string]bool), kills: resident.Kills,
		crew: newCrew(w.options)}
	s.seen = s.kills()
	for _, runs := range w.programs() {
		s.queue = append(s.queue, &task{runs: runs, retry: w.options.Retry, alone: slices.ContainsFunc(runs,
			func(r Result) bool { return r.Alone })})
	}
	defer s.crew.end()
	wait := store.Poll
	tick := time.NewTimer(wait)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.assign(); err != nil {
			return err
		}
		if s.over() {
			return nil
		}
		select {
		case e := <-s.crew.events:
			if err := s.hear(e); err != nil {
				return err
			}
			if e.Done || e.ended {
				wait = store.Poll
				tick.Reset(wait)
			}
		case <-tick.C: // another process may have let go of a run
			before := s.held()
			if err := s.review(); err != nil {
				return err
			}
			if wait = s.options.leases.Slower(wait); s.held() < before {
				wait = store.Poll
			}
			tick.Reset(wait)
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// over says that nothing is left to do: all is made, or in a task of an array of Slurm's the rest by others. Those go
// back into the queue where their node dies, so that this one need not keep its node to take their runs over.
func (s *schedule) over() bool {
	if s.crew.count((*worker).busy) > 0 {
		return false
	}
	if len(s.queue) > 0 && (store.ArrayTask() == "" || slices.ContainsFunc(s.queue, func(t *task) bool {
		return !t.held || !t.cared
	})) {
		return false
	}
	if len(s.missing) > 0 {
		s.notice(fmt.Sprintf("runs left: %d, all under way in other tasks; this one is done", len(s.missing)))
	}
	return true
}

// held is the number of tasks whose runs other processes have.
func (s *schedule) held() (count int) {
	for _, t := range s.queue {
		if t.held {
			count++
		}
	}
	return count
}

// due says whether a task can be given to a worker, one that works alone or not.
func (t *task) due(alone bool) bool { return !t.held && t.failure == "" && t.alone == alone }

// due is the number of such tasks.
func (s *schedule) due(alone bool) (count int) {
	for _, t := range s.queue {
		if t.due(alone) {
			count++
		}
	}
	return count
}

// give gives a worker the first task for it.
func (s *schedule) give(w *worker) {
	i := slices.IndexFunc(s.queue, func(t *task) bool { return t.due(w.alone) })
	w.give(s.queue[i])
	s.queue = slices.Delete(s.queue, i, i+1)
}

// assign gives tasks to workers: first those that may go side by side, then one by one those that may not.
func (s *schedule) assign() error {
	lonely := s.crew.count(func(w *worker) bool { return w.alone }) > 0
	for !lonely && s.due(false) > 0 {
		if w := s.crew.free(false); w != nil {
			s.give(w)
			continue
		}
		starting := s.crew.count(func(w *worker) bool { return !w.ready })
		if len(s.crew.workers) >= s.crew.most || starting >= s.due(false) {
			return nil
		}
		if _, err := s.crew.hire(false); err != nil {
			return err
		}
	}
	if s.due(true) == 0 || s.crew.count((*worker).busy) > 0 {
		return nil
	}
	if w := s.crew.free(true); w != nil {
		s.give(w)
		return nil
	}
	if !lonely {
		s.crew.dismiss(s.crew.workers...)
	}
	if len(s.crew.workers) == 0 {
		_, err := s.crew.hire(true)
		return err
	}
	return nil
}

// hear acts on what a worker said.
func (s *schedule) hear(e event) error {
	switch {
	case e.ended:
		return s.ended(e)
	case e.Ready:
		e.of.ready, s.early = true, 0
	case e.Run != "":
		for _, r := range s.missing {
			if r.slot.Name() == e.Run {
				s.underWay[e.Run] = e.At
				s.say()
			}
		}
	case e.Notice != "":
		if !s.heard[e.Notice] {
			s.heard[e.Notice] = true
			s.notice(e.Notice)
		}
	case e.Failed != "":
		return e.failure()
	case e.Done:
		t := e.of.task
		e.of.task = nil
		if e.of.alone {
			s.crew.dismiss(e.of)
		}
		if err := s.settle(t, func(r Result) bool { return !slices.Contains(e.Left, r.slot.Name()) }); err != nil {
			return err
		}
		t.retry = false // an error that another process stores meanwhile is its retry
		t.held, t.cared, t.inParts = true, false, true
		s.again(t)
	}
	return nil
}

// say reports the runs under way.
func (s *schedule) say() {
	var all []string
	for _, r := range s.missing {
		if at, underWay := s.underWay[r.slot.Name()]; underWay {
			all = append(all, fmt.Sprintf("%v: %s", r, at.Text))
		}
	}
	if all == nil {
		all = append(all, "other processes have them, waiting")
	}
	s.progress(fmt.Sprintf("%d under way, %d to do: %s", len(s.underWay), len(s.missing), strings.Join(all, " · ")))
}

// settle takes the runs of a task that are over off the lists.
func (s *schedule) settle(t *task, over func(Result) bool) error {
	for _, r := range t.runs {
		delete(s.underWay, r.slot.Name())
		if !over(r) {
			continue
		}
		found, err := r.find()
		if err != nil {
			return err
		}
		if found.Record != nil {
			s.learn(r, found.Record)
		}
		s.finish(r)
	}
	t.runs = t.runs.only(func(r Result) bool { return !over(r) })
	return nil
}

// again queues the rest of a task.
func (s *schedule) again(t *task) {
	if len(t.runs) > 0 {
		s.queue = append(s.queue, t)
	}
}

// ended is for a worker that has. Where it had a task and was not to leave, its runs are made once more by a worker
// beside which no other works, and fail if that one ends too.
func (s *schedule) ended(e event) error {
	s.crew.gone(e.of)
	t := e.of.task
	switch {
	case e.of.leaving:
		return nil
	case !e.of.ready:
		if s.early++; s.early > 1 {
			return fmt.Errorf("experiments: two workers ended before they took a run: %s", e.ending())
		}
		s.notice(fmt.Sprintf("a worker ended before it took a run (%s): another is started", e.ending()))
		return nil
	case t == nil:
		return nil
	}
	if err := s.settle(t, Result.stored); err != nil {
		return err
	}
	if len(t.runs) == 0 {
		return nil
	}
	t.ended++
	t.alone = true
	s.again(t)
	if t.ended > 1 {
		t.failure = fmt.Sprintf("its process ended before it was done, twice, the second time with no other beside it: %s",
			e.ending())
		return nil
	}
	for _, r := range t.runs {
		s.notice(fmt.Sprintf("%v: its process ended before it was done (%s): made again when the others are, with no "+
			"process beside it", r, e.ending()))
	}
	if kills := s.kills(); kills > s.seen && s.crew.most > 1 {
		s.seen = kills
		s.crew.most--
		s.notice(fmt.Sprintf("the kernel killed a process as memory ran out: at most %d make runs from now on", s.crew.most))
	}
	return nil
}

// stored says whether the run was made meanwhile.
func (r Result) stored() bool {
	found, err := r.find()
	return err == nil && found.here()
}

// review finds out whether what other processes had is over or free, and stores the errors of tasks that failed.
func (s *schedule) review() error {
	tried := -1 // to claim is to write, so one after the other in turns; all are watched, as only looks in a row count
	for i, t := range s.queue {
		var err error
		switch {
		case t.failure != "":
			err = s.fail(t)
		case t.held:
			if err = s.met(t); err == nil {
				err = s.watch(t)
			}
			if err == nil && tried < 0 {
				tried, err = i, s.free(t)
			}
		}
		if err != nil {
			return err
		}
	}
	if tried >= 0 {
		t := s.queue[tried]
		s.queue = append(slices.Delete(s.queue, tried, tried+1), t)
	}
	s.queue = slices.DeleteFunc(s.queue, func(t *task) bool { return len(t.runs) == 0 })
	if len(s.queue) > 0 && s.due(false)+s.due(true)+s.crew.count((*worker).busy) == 0 {
		s.say()
	}
	return nil
}

// fail stores why the runs of a task could not be made, as soon as the claims of its worker have ended.
func (s *schedule) fail(t *task) error {
	var over []string
	for _, r := range t.runs {
		locked, err := r.slot.Lock(func(*store.HeldLease) (made bool, err error) {
			if r.stored() {
				return true, nil
			}
			record := newRecord(nil)
			record.Error = t.failure
			s.notice(fmt.Sprintf("%v: %s", r, t.failure))
			return false, r.slot.Save(record)
		})
		if err != nil {
			return err
		}
		if locked {
			over = append(over, r.slot.Name())
		}
	}
	return s.settle(t, func(r Result) bool { return slices.Contains(over, r.slot.Name()) })
}

// met takes the runs of a task that other processes have made off the lists.
func (s *schedule) met(t *task) error {
	return s.settle(t, func(r Result) bool {
		found, err := r.find()
		return err == nil && found.Record != nil && !found.Elsewhere
	})
}

// watch looks at the claims that other processes have on the runs of a task.
func (s *schedule) watch(t *task) error {
	t.cared = true
	for _, r := range t.runs {
		claim, lives, err := r.slot.Watch()
		if err != nil {
			return err
		}
		t.cared = t.cared && lives && claim.Task != ""
	}
	return nil
}

// free finds out whether other processes let go of runs of a task.
func (s *schedule) free(t *task) error {
	t.held = true
	for _, r := range t.runs {
		locked, err := r.slot.Lock(func(*store.HeldLease) (bool, error) { return false, nil })
		if err != nil {
			return err
		}
		t.held = t.held && !locked
	}
	return nil
}
