package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/internal/resident"
)

// Board manages the runs that workers make.
type Board interface {
	// Review removes stored runs from the list, frees runs whose holder is gone, and counts the rest. own reports
	// whether a process of this machine is a live worker.
	Review(own func(process int) bool) (Left, error)
	// Ended takes over the runs that a worker had when it ended, and reports whether there were any. began is when
	// the worker began.
	Ended(process int, began time.Time, ending string) (had bool, err error)
	// Notice tells people about an unusual event. Report tells them how far the runs are.
	Notice(text string)
	Report()
	// Slower returns the time to wait for the next review after a review that found nothing new.
	Slower(wait time.Duration) time.Duration
}

// Left is the remaining work.
type Left struct {
	// Runs counts the runs that are not stored.
	Runs int
	// Side and Alone name the programs that no process is training now: Side may be trained in parallel, Alone must
	// be trained with no other running.
	Side, Alone []string
	// Busy lists the workers that have a run.
	Busy []int
	// Cared reports that live array tasks hold all runs, so that this process may end.
	Cared bool
	// Changed reports that the review found something new.
	Changed bool
}

const (
	firstWait = 300 * time.Millisecond
	// busyWait is the longest time between two reviews while a worker has a run, because a run does not report its
	// progress more often.
	busyWait = time.Second
)

// Supervisor lets the workers of a pool make the runs of a board.
type Supervisor struct {
	pool  *Pool
	board Board
	task  Task
	kills func() int64 // counts the machine's out-of-memory kills
	seen  int64        // last value of kills
	early int          // workers in a row that ended before they took a run
	heard map[string]bool
	left  Left
}

// NewSupervisor returns a supervisor that starts workers with a task.
func NewSupervisor(pool *Pool, board Board, task Task) *Supervisor {
	return &Supervisor{pool: pool, board: board, task: task, kills: resident.Kills, seen: resident.Kills(),
		heard: make(map[string]bool)}
}

// Run returns when all runs are stored, or only live array tasks hold the rest. When ctx ends, the workers keep
// checkpoints, and the error also wraps theirs if they cannot.
func (s *Supervisor) Run(ctx context.Context) (err error) {
	defer func() {
		if failed := s.pool.stop(); err != nil && ctx.Err() != nil { // else err tells it, or no run is left
			err = errors.Join(err, failed)
		}
	}()
	wait := firstWait
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		var ended *event
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-s.pool.events:
			if !e.ended {
				if err := s.hear(e); err != nil {
					return err
				}
				continue
			}
			s.pool.remove(e.of)
			ended = &e
		case <-tick.C:
		}
		if err := s.review(ended); err != nil {
			return err
		}
		if s.over() {
			return nil
		}
		if err := s.start(); err != nil {
			return err
		}
		switch {
		case ended != nil || s.left.Changed:
			wait = firstWait
		case len(s.pool.workers) > 0:
			wait = min(2*wait, busyWait)
		default:
			wait = s.board.Slower(wait)
		}
		tick.Reset(wait)
	}
}

// hear acts on a note. A notice that all workers send is passed on once.
func (s *Supervisor) hear(e event) error {
	if e.Error != "" {
		return s.pool.failure(e.note)
	}
	if !s.heard[e.Notice] {
		s.heard[e.Notice] = true
		s.board.Notice(e.Notice)
	}
	return nil
}

// review updates the count of the remaining work, also after a worker has ended.
func (s *Supervisor) review(ended *event) (err error) {
	had := false
	if ended != nil {
		w := ended.of
		if had, err = s.board.Ended(w.process.Process.Pid, w.started, ended.ending()); err != nil {
			return err
		}
		if kills := s.kills(); had && kills > s.seen && s.pool.most > 1 {
			s.seen = kills
			s.pool.most--
			s.board.Notice(fmt.Sprintf("the kernel killed a process as memory ran out: at most %d make runs from now on",
				s.pool.most))
		}
	}
	if s.left, err = s.board.Review(s.pool.has); err != nil {
		return err
	}
	for _, w := range s.pool.workers {
		if slices.Contains(s.left.Busy, w.process.Process.Pid) {
			w.took, s.early = true, 0
		}
	}
	s.board.Report()
	if ended == nil || had || ended.of.took {
		return nil
	}
	free := slices.Concat(s.left.Side, s.left.Alone)
	gone := func(name string) bool { return !slices.Contains(free, name) }
	if ended.err == nil && slices.ContainsFunc(ended.of.free, gone) { // it made a run quickly, or others were faster
		return nil
	}
	if s.early++; s.early > 1 {
		return fmt.Errorf("experiments/workers: two workers ended before they took a run: %s", ended.ending())
	}
	s.board.Notice(fmt.Sprintf("a worker ended before it took a run (%s): another is started", ended.ending()))
	return nil
}

// over reports whether nothing is left to do: all runs are stored, or this is a task of an array of Slurm or Kubernetes
// and other tasks hold the rest. Those tasks start again if their node dies, so this task need not keep its node to
// take over their runs.
func (s *Supervisor) over() bool {
	if s.left.Runs > 0 && !s.left.Cared {
		return false
	}
	if s.left.Runs > 0 {
		s.board.Notice(fmt.Sprintf("runs left: %d, all under way in other tasks; this one is done", s.left.Runs))
	}
	return true
}

// start starts workers for the free programs: first those that may run in parallel, then, one by one, those that may
// not.
func (s *Supervisor) start() error {
	alone := s.pool.count(func(w *worker) bool { return w.task.Alone }) > 0
	idle := s.pool.count(func(w *worker) bool { return !slices.Contains(s.left.Busy, w.process.Process.Pid) })
	for ; !alone && idle < len(s.left.Side) && len(s.pool.workers) < s.pool.most; idle++ {
		if err := s.pool.start(s.task, s.left.Side); err != nil {
			return err
		}
	}
	if len(s.left.Alone) == 0 || len(s.pool.workers) > 0 {
		return nil
	}
	task := s.task
	task.Alone = true
	return s.pool.start(task, s.left.Alone)
}
