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

// Task says which of the runs that its arguments choose a worker makes.
type Task struct {
	// Alone makes runs with no other process beside them, else those that may be made side by side.
	Alone bool
	// RetryBefore is when the command began, by the clock of the results folder, if runs whose error was stored before
	// are to be made again.
	RetryBefore time.Time `json:",omitzero"`
}

// IsWorker says whether a pool started this process.
func IsWorker() bool { return os.Getenv(Env) != "" }

// CurrentTask returns the task of this process, which is a worker.
func CurrentTask() (t Task, err error) {
	if err = json.Unmarshal([]byte(os.Getenv(Env)), &t); err != nil {
		err = fmt.Errorf("experiments/workers: $%s is %q, want a task in JSON: %w", Env, os.Getenv(Env), err)
	}
	return t, err
}

// note is what a worker tells the process that started it, a line of JSON on its standard output.
type note struct {
	Notice string `json:",omitempty"`
	// Error is why the worker ends, and Kind names the sentinel that the error wraps.
	Error string `json:",omitempty"`
	Kind  string `json:",omitempty"`
}

// Serve does the work of a worker. The work's context ends with ctx, or with the process that started this one: life is
// a pipe that the other end closes then. Notes go to that process, and so does the error, with the name of the sentinel
// in kinds that it wraps.
func Serve(ctx context.Context, life io.Reader, notes io.Writer, kinds map[string]error,
	work func(ctx context.Context, notice func(string)) error) error {
	signal.Ignore(syscall.SIGPIPE) // a notice that nobody reads any more must not end a run
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, life)
	}()
	tell := json.NewEncoder(notes)
	err := work(ctx, func(text string) { _ = tell.Encode(note{Notice: text}) })
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return err
	}
	last := note{Error: err.Error()}
	for kind, sentinel := range kinds {
		if errors.Is(err, sentinel) {
			last.Kind = kind
		}
	}
	_ = tell.Encode(last)
	return err
}
