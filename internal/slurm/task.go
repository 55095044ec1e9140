package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// ExitRequeue is the exit code of a task that is to be put into the queue again, EX_TEMPFAIL of sysexits.h: what a
// cluster's RequeueExit is set to.
const ExitRequeue = 75

// ErrTimeLimit is the cause of the end of a context of [Context].
var ErrTimeLimit = errors.New("near the time limit of Slurm")

// Inside says whether this process runs in a job.
func Inside() bool { return os.Getenv("SLURM_JOB_ID") != "" }

// Context is one that also ends when Slurm warns this process of its time limit, as the script of a [Job] asks for. It
// is ctx outside of a job.
func Context(ctx context.Context) context.Context {
	if !Inside() || len(warnings) == 0 {
		return ctx
	}
	ctx, cancel := context.WithCancelCause(ctx)
	warned := make(chan os.Signal, 1)
	signal.Notify(warned, warnings...)
	go func() {
		<-warned
		cancel(ErrTimeLimit)
	}()
	return ctx
}

// Requeue puts the task that this process runs in into the queue again, which ends it where it has not ended yet. A
// cluster whose RequeueExit has [ExitRequeue] does so by itself after that exit code; both at once do no harm.
func Requeue(ctx context.Context) error {
	id := os.Getenv("SLURM_JOB_ID")
	if job := os.Getenv("SLURM_ARRAY_JOB_ID"); job != "" { // one task has the number of the whole array as its own
		id = Task{Job: job, Index: os.Getenv("SLURM_ARRAY_TASK_ID")}.ID()
	}
	if id == "" {
		return errors.New("slurm: this process is no task of Slurm's, so that there is nothing to put into its queue")
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if _, err := call(ctx, "scontrol", "requeue", id); err != nil {
		return fmt.Errorf("%w; unless the cluster's RequeueExit has %d, submit again", err, ExitRequeue)
	}
	return nil
}
