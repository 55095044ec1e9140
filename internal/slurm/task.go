package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"time"
)

// ExitRequeue is the exit code of a task that must be requeued, EX_TEMPFAIL of sysexits.h, for a cluster's RequeueExit.
const ExitRequeue = 75

// ErrTimeLimit is the cause with which a context of [Context] ends.
var ErrTimeLimit = errors.New("near the time limit of Slurm")

// Inside reports whether this process runs in a Slurm job.
func Inside() bool { return os.Getenv("SLURM_JOB_ID") != "" }

// Context returns a context that also ends when Slurm warns this process of its time limit, as the script of a [Job]
// requests. Outside of a job it returns ctx.
func Context(ctx context.Context) context.Context {
	if !Inside() || len(warnings) == 0 {
		return ctx
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, advanced{}, new(atomic.Bool)))
	warned := make(chan os.Signal, 1)
	signal.Notify(warned, warnings...)
	go func() {
		<-warned
		cancel(ErrTimeLimit)
	}()
	return ctx
}

// ErrTooShort is wrapped if a task is not requeued because it would make no progress.
var ErrTooShort = errors.New("the time limit is too short")

// mostStarts is the largest number of starts without progress, for example because files were slow once.
const mostStarts = 3

type advanced struct{} // the key of a context's value, an *atomic.Bool

// Advance records in a context of [Context] that the task has made progress since it started.
func Advance(ctx context.Context) {
	if done, ok := ctx.Value(advanced{}).(*atomic.Bool); ok {
		done.Store(true)
	}
}

// Requeue requeues this process's task, which ends the task if it is still running. A cluster whose RequeueExit has
// [ExitRequeue] does so by itself after that exit code; both together do no harm. With a context of [Context] without
// an [Advance], its error wraps [ErrTooShort] at the third start.
func Requeue(ctx context.Context) error {
	done, ok := ctx.Value(advanced{}).(*atomic.Bool)
	if restarts, _ := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); ok && !done.Load() && restarts+1 >= mostStarts {
		return fmt.Errorf("slurm: %w: no epoch ended before it, in this start of the task, its number %d; submit again with "+
			"a longer one", ErrTooShort, restarts+1)
	}
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
