package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/peng-cde/pengcde-go/experiments/paper"
)

// workerCommand returns a command that runs this program with the same arguments, to make runs for this process.
func workerCommand(args []string, stderr io.Writer) *exec.Cmd {
	program := "/proc/self/exe" // this program, even if its file was replaced meanwhile
	if _, err := os.Stat(program); err != nil {
		program = os.Args[0]
		if own, err := os.Executable(); err == nil {
			program = own
		}
	}
	c := exec.Command(program, args...)
	c.Stderr = stderr
	return c
}

// work makes runs for the parent process, which reports errors.
func (c *runCommand) work(ctx context.Context) int {
	o := c.options()
	c.complete(&o)
	study, err := paper.ByName(c.Study)
	if err = errors.Join(err, chooseBackend(c.Backend)); err == nil {
		err = study.Work(ctx, o, os.Stdin, os.Stdout)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return interruptedCode(ctx)
	}
	return 1
}
