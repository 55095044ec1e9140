package xla

import (
	"os"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// allowed are the cores that the process may use, asked for before any of its threads is kept on one.
var allowed = sync.OnceValue(func() (cores []int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	for core := 0; len(cores) < set.Count(); core++ {
		if set.IsSet(core) {
			cores = append(cores, core)
		}
	}
	return cores
})

// coresOfProcess are those of allowed that workers may take: no more than GOMAXPROCS and XLA's own PJRT_NPROC say.
func coresOfProcess() []int {
	cores := allowed()
	most := min(len(cores), runtime.GOMAXPROCS(0))
	if threads, err := strconv.Atoi(os.Getenv(threadsEnv)); err == nil {
		most = max(0, min(most, threads))
	}
	return cores[:most]
}

// newWorker opens a client in a thread that stays on a core, with a pool of one thread that was started there.
func newWorker(open func() (*Backend, error), core int) (*Worker, error) {
	w := &Worker{calls: make(chan func()), stop: make(chan struct{}), ended: make(chan struct{})}
	opened := make(chan error)
	go func() {
		defer close(w.ended)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		compileElsewhere()
		var set unix.CPUSet
		set.Set(core)
		err := unix.SchedSetaffinity(0, &set)
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
