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
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, advanced{}, new(atomic.Bool)))
	warned := make(chan os.Signal, 1)
	signal.Notify(warned, warnings...)
	go func() {
		<-warned
		cancel(ErrTimeLimit)
	}()
	return ctx
}

// ErrTooShort is wrapped where a task is not put into the queue again, as it would not come further there.
var ErrTooShort = errors.New("the time limit is too short")

// mostStarts is how often a task may start and end without an advance, such as where files were slow for once.
const mostStarts = 3

type advanced struct{} // the key of a context's value, an *atomic.Bool

// Advance notes in a context of [Context] that what the task does has come further since it started.
func Advance(ctx context.Context) {
	if done, ok := ctx.Value(advanced{}).(*atomic.Bool); ok {
		done.Store(true)
	}
}

// Requeue puts the task that this process runs in into the queue again, which ends it where it has not ended yet. A
// cluster whose RequeueExit has [ExitRequeue] does so by itself after that exit code; both at once do no harm. With a
// context of [Context] that no [Advance] was noted in, it wraps [ErrTooShort] at the third start.
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
