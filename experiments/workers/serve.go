package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Env names the environment variable that makes a process a worker. A [Pool] sets it to a [Task] in JSON.
const Env = "PENGCDE_WORKER"

// Task selects the runs that a worker makes, among the runs that its arguments select.
type Task struct {
	// Alone selects runs that must be made with no other process running; otherwise the worker makes runs that may be
	// made in parallel.
	Alone bool
	// RetryBefore is when the command began or its job was submitted, by the clock of the results folder. It is set if
	// runs with an earlier stored error must be made again.
	RetryBefore time.Time `json:",omitzero"`
}

// IsWorker reports whether a pool started this process.
func IsWorker() bool { return os.Getenv(Env) != "" }

// CurrentTask returns the task of this process, which must be a worker.
func CurrentTask() (t Task, err error) {
	if err = json.Unmarshal([]byte(os.Getenv(Env)), &t); err != nil {
		err = fmt.Errorf("experiments/workers: $%s is %q, want a task in JSON: %w", Env, os.Getenv(Env), err)
	}
	return t, err
}

// note is a message from a worker to its parent process, a line of JSON on its standard output.
type note struct {
	Notice string `json:",omitempty"`
	// Error says why the worker ends. Kinds names the sentinels that the error wraps.
	Error string   `json:",omitempty"`
	Kinds []string `json:",omitempty"`
}

// Serve does the work of a worker. The context of the work ends with ctx, or with the parent process: life is a pipe
// whose other end closes then. Notes go to the parent, and so does the error, with the names of the sentinels in kinds
// that it wraps; the end of the context alone is no error to tell.
func Serve(ctx context.Context, life io.Reader, notes io.Writer, kinds map[string]error,
	work func(ctx context.Context, notice func(string)) error) error {
	signal.Ignore(syscall.SIGPIPE) // a notice that has no reader must not end a run
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, life)
	}()
	tell := json.NewEncoder(notes)
	err := work(ctx, func(text string) { _ = tell.Encode(note{Notice: text}) })
	if err == nil {
		return nil
	}
	last := note{Error: err.Error()}
	for kind, sentinel := range kinds {
		if errors.Is(err, sentinel) {
			last.Kinds = append(last.Kinds, kind)
		}
	}
	if last.Kinds == nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return err
	}
	_ = tell.Encode(last)
	return err
}
