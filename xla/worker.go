package xla

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Worker computes on one core or one GPU, in parallel with other workers. It has its own client of XLA: two workers run
// in parallel, two callers of one client do not. On a CPU the client's thread stays on its core.
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

// start opens a worker, whose goroutine keeps its thread. prepare runs in it first.
func start(prepare func() error, open func() (*Backend, error)) (*Worker, error) {
	w := &Worker{calls: make(chan func()), stop: make(chan struct{}), ended: make(chan struct{})}
	opened := make(chan error)
	go func() {
		defer close(w.ended)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := prepare()
		if err == nil {
			w.Backend, err = open()
		}
		opened <- err
		if err == nil {
			defer w.Backend.Close()
			w.serve()
		}
	}()
	if err := <-opened; err != nil {
		return nil, err
	}
	return w, nil
}

// workers holds the workers of a backend. They are opened on first use.
type workers struct {
	most   func() int
	open   func(i int) (*Worker, error)
	lock   sync.Mutex
	opened []*Worker
	failed error
}

// onCores has a worker for each core of the process. open opens a client with one thread.
func onCores(open func() (*Backend, error)) *workers {
	return &workers{most: func() int { return len(coresOfProcess()) }, open: func(i int) (*Worker, error) {
		core := coresOfProcess()[i]
		return start(func() error { return keepOn(core) }, open)
	}}
}

// onGPUs has a worker for each GPU. open opens a client that sees the GPU with an index.
func onGPUs(visible []string, open func(gpu string) (*Backend, error)) *workers {
	return &workers{most: func() int { return len(visible) }, open: func(i int) (*Worker, error) {
		return start(func() error { return nil }, func() (*Backend, error) { return open(visible[i]) })
	}}
}

// MostWorkers returns the maximum number of workers of a backend: for XLA on a CPU, on Linux, the number of cores that
// the process may use, bounded by GOMAXPROCS and PJRT_NPROC; for CUDA the number of GPUs that it sees; else 0.
func (b *Backend) MostWorkers() int {
	if b.Check() != nil || b.workers == nil {
		return 0
	}
	return b.workers.most()
}

// Workers opens count workers, or returns those that are open already. [Backend.Close] closes them.
func (b *Backend) Workers(count int) ([]*Worker, error) {
	if most := b.MostWorkers(); count > most {
		return nil, fmt.Errorf("xla: %d workers, want up to %d on %s", count, most, b)
	}
	b.workers.lock.Lock()
	defer b.workers.lock.Unlock()
	for len(b.workers.opened) < count && b.workers.failed == nil {
		w, err := b.workers.open(len(b.workers.opened))
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
