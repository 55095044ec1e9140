package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/peng-cde/pengcde-go/experiments/paper"
)

// workerEnv marks a process that "run --jobs" started, with its own arguments, to make runs as it is told to.
const workerEnv = "PENGCDE_WORKER"

func isWorker() bool { return os.Getenv(workerEnv) != "" }

// workerCommand is such a process.
func workerCommand(args []string, stderr io.Writer) *exec.Cmd {
	program := "/proc/self/exe" // this one, also where its file was replaced meanwhile
	if _, err := os.Stat(program); err != nil {
		program = os.Args[0]
		if own, err := os.Executable(); err == nil {
			program = own
		}
	}
	c := exec.Command(program, args...)
	c.Env, c.Stderr = append(os.Environ(), workerEnv+"=1"), stderr
	return c
}

// reportsFile is where a worker reports, see [experiments.Study.Work].
const reportsFile = 3

// work makes runs for the process that started this one, which says what fails.
func (c *runCommand) work(ctx context.Context) int {
	o := c.options()
	c.complete(&o)
	reports := os.NewFile(reportsFile, "reports")
	study, err := paper.ByName(c.Study)
	if err = errors.Join(err, c.chooseBackend()); err == nil {
		err = study.Work(ctx, o, os.Stdin, reports)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return 1
}
