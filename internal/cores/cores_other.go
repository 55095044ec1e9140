//go:build !linux

package cores

import (
	"os/exec"
	"runtime"
)

// Allowed returns all cores of the machine.
func Allowed() (cores []int) {
	for core := range runtime.NumCPU() {
		cores = append(cores, core)
	}
	return cores
}

// Start starts a command, which has all cores.
func Start(command *exec.Cmd, _ []int) error { return command.Start() }

// Reserve leaves the cores as they are.
func Reserve(all []int, _ int) (ordered []int, end func()) { return all, func() {} }
