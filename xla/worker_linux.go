package xla

import (
	"os"
	"runtime"
	"strconv"

	"github.com/peng-cde/pengcde-go/internal/cores"
)

// coresOfProcess returns the process's cores for workers, at most GOMAXPROCS and XLA's PJRT_NPROC of them.
func coresOfProcess() []int {
	allowed := cores.Allowed()
	most := min(len(allowed), runtime.GOMAXPROCS(0))
	if threads, err := strconv.Atoi(os.Getenv(threadsEnv)); err == nil {
		most = max(0, min(most, threads))
	}
	return allowed[:most]
}

// newWorker opens a client in a thread pinned to a core, with a pool of one thread started from it.
func newWorker(open func() (*Backend, error), core int) (*Worker, error) {
	w := &Worker{calls: make(chan func()), stop: make(chan struct{}), ended: make(chan struct{})}
	opened := make(chan error)
	go func() {
		defer close(w.ended)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		compileElsewhere()
		err := cores.Keep([]int{core})
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
