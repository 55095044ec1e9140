//go:build unix

package slurm

import (
	"os"
	"syscall"
)

// warnings are the signals by which Slurm warns of the time limit.
var warnings = []os.Signal{syscall.SIGUSR1}
