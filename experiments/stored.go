package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Types of package store that describe a stored run and its location.
type (
	Facts    = store.Facts
	Training = store.Training
	Record   = store.Record
	Machine  = store.Machine
	Position = store.Position
)

// ResultsEnv names the environment variable that sets the results folder.
const ResultsEnv = store.ResultsEnv

// ErrInput is wrapped by errors about names and options that do not exist. ErrStore is wrapped when results cannot be
// written or read.
var ErrInput, ErrStore = store.ErrInput, store.ErrStore

// ErrNotStored is wrapped by errors about runs that are not stored yet, so that there is nothing to show.
var ErrNotStored = errors.New("not stored")

// ErrRuns is wrapped by the error about runs that could not be made. All other runs are stored then.
var ErrRuns = errors.New("runs ended with errors")

// Interrupted reports whether work ended only because its context was cancelled, so that it goes on from there when it
// is called again. It is false if a checkpoint or a result could not be written too.
func Interrupted(err error) bool {
	return errors.Is(err, context.Canceled) && !errors.Is(err, ErrStore) && !errors.Is(err, train.ErrNotSaved)
}

// Folder returns the results folder; see the package documentation.
func Folder() (string, error) { return store.Folder() }

// open returns the store of the study with these options.
func (s Study) open(o Options) (store.Store, error) {
	return store.Open(s.Name, o.Fresh, o.leases, s.Like...)
}

// find reads the record of a run.
func (r Result) find() (Result, error) { return r.with(r.slot.Find()) }

// with returns the result with what was found.
func (r Result) with(f store.Found, err error) (Result, error) {
	return Result{Run: r.Run, slot: r.slot, Record: f.Record, Stale: f.Stale, OtherBackend: f.OtherBackend,
		Shipped: f.Shipped}, err
}

// recordDivergence records an error that blames the model, not the computer: such a run is stored as diverged. It
// returns any other error.
func recordDivergence(f *Facts, err error) error {
	for _, reason := range []error{train.ErrNotFinite, ode.NotFinite, ode.StepLimit, ode.StepTooSmall} {
		if errors.Is(err, reason) {
			f.Failure, f.Scores, f.Arrays = err.Error(), nil, nil
			return nil
		}
	}
	return err
}

// outcomeText returns a word for how a run ended.
func outcomeText(f *Facts) string {
	if f.Failure != "" {
		return "diverged"
	}
	if test, ok := f.Scores["test"]; ok {
		return fmt.Sprintf("test %.3g", test)
	}
	return "done"
}
