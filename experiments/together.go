package experiments

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// program names the program that trains a run: its own, or the shared one of its model's seeds.
func (w *runner) program(r Result) string {
	if r.Model.Untrained || !w.options.SeedsTogether && w.kind != "xla:cuda" {
		return r.slot.Name()
	}
	return fmt.Sprintf("%s %d", r.kind(), r.Fold)
}

// programs returns the missing runs grouped by the program that trains them, in the order of the plan.
func (w *runner) programs() (all []Results) {
	index := make(map[string]int)
	for _, r := range w.missing {
		program := w.program(r)
		i, known := index[program]
		if !known {
			i, index[program] = len(all), len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], r)
	}
	return all
}

// group makes the runs that one program trains. If another process holds one of them, group makes none; with inParts
// it makes the runs that no other process holds. Each run is a coroutine. It stops once its lease is taken, so that
// the leases follow each other at once, and again before training. When all have stopped or ended, the waiting ones
// are trained.
func (w *runner) group(ctx context.Context, runs Results, inParts bool) error {
	contexts, waiting := make([]*RunContext, len(runs)), make([]func() (*fitting, bool), len(runs))
	errs := make([]error, len(runs))
	for i, r := range runs {
		contexts[i] = &RunContext{runner: w, run: r, index: i}
		next, stop := iter.Pull(func(yield func(*fitting) bool) {
			contexts[i].train = yield
			errs[i] = w.one(ctx, contexts[i])
		})
		defer stop()
		waiting[i] = next
	}
	for i, take := range waiting {
		if take(); contexts[i].lease == nil && errs[i] == nil && !inParts {
			return nil
		}
	}
	for {
		var all []*fitting
		for _, next := range waiting {
			if f, ok := next(); ok {
				all = append(all, f)
			}
		}
		if len(all) == 0 {
			w.limitMemory()
			return errors.Join(errs...)
		}
		fitTogether(ctx, all)
	}
}

// errGroupEnded is the error of a training that did not begin because another run of its group panicked.
var errGroupEnded = errors.New("the runs that it was to be trained with came to an end")

// fit trains with the group.
func (m *RunContext) fit(f *fitting) (*train.Report, error) {
	f.report, f.err = nil, nil
	if !m.train(f) && f.report == nil && f.err == nil {
		return nil, errGroupEnded
	}
	return f.report, f.err
}

// fitting is one training and its outcome.
type fitting struct {
	ctx                  context.Context
	learner              Learner
	training, validation []dyngraph.Window
	config               train.Config
	report               *train.Report
	err                  error
}

// fitTogether trains the seeds of one model in one program, or one by one if they cannot share a program.
func fitTogether(ctx context.Context, all []*fitting) {
	var runs []pengcde.SeedRun
	for _, f := range all {
		if network, ok := f.learner.(NetworkLearner); ok {
			runs = append(runs, pengcde.SeedRun{Model: network.Model, Training: f.training, Validation: f.validation,
				Config: f.config})
		}
	}
	var outcomes []pengcde.Outcome
	if len(runs) == len(all) && len(all) > 1 {
		outcomes, _ = pengcde.FitSeeds(ctx, runs)
	}
	for i, f := range all {
		if outcomes == nil {
			f.report, f.err = f.learner.Fit(f.ctx, f.training, f.validation, f.config)
		} else {
			f.report, f.err = outcomes[i].Report, outcomes[i].Err
		}
	}
}
