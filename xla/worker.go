package xla

import (
	"errors"
	"fmt"
	"sync"
)

// Worker computes on one core, in parallel with other workers. It has its own client of XLA on a CPU, whose thread
// stays on the core. Two workers run in parallel; two callers of one client do not.
type Worker struct {
	*Backend
	calls       chan func()
	stop, ended chan struct{}
}

// Do runs f, which may use the worker's backend, and waits for it. If the backend was closed, Do returns ErrNotOpen and
// does not run f.
func (w *Worker) Do(f func()) error {
	done := make(chan struct{})
	select {
	case w.calls <- func() {
		defer close(done)
		f()
	}:
		<-done
		return nil
	case <-w.ended:
		return fmt.Errorf("xla: a worker of a backend that was closed: %w", ErrNotOpen)
	}
}

func (w *Worker) close() {
	close(w.stop)
	<-w.ended
}

// serve runs calls until it is stopped.
func (w *Worker) serve() {
	for {
		select {
		case call := <-w.calls:
			call()
		case <-w.stop:
			return
		}
	}
}

// workers holds the workers of a backend. They are opened on first use.
type workers struct {
	open   func() (*Backend, error) // opens a client with one thread
	lock   sync.Mutex
	opened []*Worker
	failed error
}

// Cores returns the maximum number of workers of a backend. For XLA on a CPU, on Linux, it is the number of cores that
// the process may use, bounded by GOMAXPROCS and PJRT_NPROC; else 0.
func (b *Backend) Cores() int {
	if b.Check() != nil || b.workers == nil {
		return 0
	}
	return len(coresOfProcess())
}

// Workers opens count workers, or returns those that are open already. [Backend.Close] closes them.
func (b *Backend) Workers(count int) ([]*Worker, error) {
	cores := coresOfProcess()
	if count > b.Cores() {
		return nil, fmt.Errorf("xla: %d workers, want up to %d on %s", count, b.Cores(), b)
	}
	b.workers.lock.Lock()
	defer b.workers.lock.Unlock()
	for len(b.workers.opened) < count && b.workers.failed == nil {
		w, err := newWorker(b.workers.open, cores[len(b.workers.opened)])
		if err != nil {
			b.workers.failed = fmt.Errorf("xla: worker %d: %w", len(b.workers.opened), err)
			break
		}
		b.workers.opened = append(b.workers.opened, w)
	}
	if b.workers.failed != nil {
		return nil, b.workers.failed
	}
	return b.workers.opened[:count], nil
}

func (b *Backend) closeWorkers() {
	if b.workers == nil {
		return
	}
	b.workers.lock.Lock()
	defer b.workers.lock.Unlock()
	for _, w := range b.workers.opened {
		w.close()
	}
	b.workers.opened, b.workers.failed = nil, errors.New("the backend was closed")
}
