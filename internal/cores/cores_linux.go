// Package cores lists the cores that a process may use, and starts processes on chosen cores.
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

// Allowed returns the cores that the process may use, as of the first call, which must come before any of its threads
// is kept on a core.
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

// Start starts a command that keeps to these cores with all its threads, since a process inherits the cores of the
// thread that starts it. If cores cannot be chosen, or the list is empty, the command may use all.
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

// Reserve returns the cores with unreserved cores first, and reserves up to count of these until the process ends or
// end is called. So commands that leave cores idle do not share cores. A reservation is a socket without a file, named
// after the core, visible to all processes of a network namespace.
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
