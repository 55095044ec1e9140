// Package slurm submits array jobs to Slurm, lists and cancels them, and requeues tasks, using Slurm's commands sbatch,
// squeue, scancel and scontrol of version 20.02 or newer. Start with [Job.Script] and [Submit].
package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// ErrNotFound is wrapped if a Slurm command does not exist.
var ErrNotFound = errors.New("no machine of a Slurm cluster")

// Error reports a command of Slurm that failed, in the command's own words.
type Error struct {
	Command, Said string
	Err           error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("slurm: %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("slurm: %s", e.Said) // begins with the command's name
}

func (e *Error) Unwrap() error { return e.Err }

// call runs a command of Slurm and returns what it prints.
func call(ctx context.Context, command string, args ...string) (string, error) {
	path, err := exec.LookPath(command)
	if err != nil {
		return "", fmt.Errorf("slurm: %w: no %s in $PATH; do this where jobs are submitted, such as on a login "+
			"node, or make the runs here by pengcde run", ErrNotFound, command)
	}
	c := exec.CommandContext(ctx, path, args...)
	var printed, said bytes.Buffer
	c.Stdout, c.Stderr = &printed, &said
	if err := c.Run(); err != nil {
		return "", &Error{command, strings.TrimSpace(said.String()), errors.Join(err, ctx.Err())}
	}
	return printed.String(), nil
}
