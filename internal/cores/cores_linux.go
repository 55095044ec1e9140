// Package cores tells which cores a process may use, and starts processes that keep to some of them.
package cores

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// Allowed are the cores that the process may use, as it was when they were first asked for: before any of its threads
// is kept on one.
var Allowed = sync.OnceValue(func() (cores []int) {
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

// Keep keeps the calling thread, which the caller has locked, on these cores.
func Keep(on []int) error {
	var set unix.CPUSet
	for _, core := range on {
		set.Set(core)
	}
	return unix.SchedSetaffinity(0, &set)
}

// Start starts a command that keeps to these cores with all its threads, as a process has the cores of the thread that
// starts it. Where they cannot be chosen, or there are none, it has all.
func Start(command *exec.Cmd, on []int) error {
	if len(on) == 0 {
		return command.Start()
	}
	all := Allowed()
	failed := make(chan error)
	go func() {
		runtime.LockOSThread()
		_ = Keep(on)
		err := command.Start()
		if Keep(all) == nil {
			runtime.UnlockOSThread() // else the thread ends with the goroutine
		}
		failed <- err
	}()
	return <-failed
}

// Reserve orders the cores with the free ones first, which no other command has reserved, and reserves up to count of
// these until the process ends or end is called. Commands that leave cores idle then do not meet on the same cores. A
// reservation is a socket without a file, named after the core, which all processes of a network namespace see.
func Reserve(all []int, count int) (ordered []int, end func()) {
	var free, taken []int
	var held []io.Closer
	for _, core := range all {
		if len(held) == count {
			taken = append(taken, core)
			continue
		}
		if l, err := net.Listen("unix", fmt.Sprintf("@pengcde/core/%d", core)); err == nil {
			held = append(held, l)
			free = append(free, core)
		} else {
			taken = append(taken, core)
		}
	}
	return append(free, taken...), func() {
		for _, l := range held {
			l.Close()
		}
	}
}
