package pengcde

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// SeedRun describes the training of one model by [FitSeeds], with the arguments of [Model.Fit].
type SeedRun struct {
	Model                *Model
	Training, Validation []dyngraph.Window
	Config               train.Config
}

// Outcome is the result of a [SeedRun].
type Outcome struct {
	// Report is the report of [train.Fit]; nil if the training did not begin.
	Report *train.Report
	// Err is the error that [Model.Fit] would return.
	Err error
}

// FitSeeds trains several models of one configuration at once; only Seed and Notices may differ. For S runs the
// parameters [S, dims...] and batches of S·B samples go through programs that are compiled once.
//
// Each run gives the same result as [Model.Fit], up to rounding and its effect on adaptive steps (docs/tolerances.md).
// Its samples take their own steps. It has its own optimiser, early stopping, checkpoint and progress, and its model
// ends with its own best parameters. Runs may have different data, with the same numbers of training and validation
// samples, the same number of knots in each, and the same BatchSize. The other fields of train.Config may differ.
//
// A run whose solve or loss is not finite ends without affecting the others, with its error in its [Outcome]. The
// returned error joins the errors of all runs. When ctx ends, all runs end, each with its checkpoint saved. [Model.Fit]
// writes the same checkpoints, so either function can continue a training. Runs may be resumed at different positions;
// a run that is ahead waits until all are at the same batch of their epochs. When half of the runs or more have ended,
// programs are compiled for the remaining runs.
//
// Config.Memory covers the states of all runs together. FitSeeds refuses networks in discrete steps and fields that do
// not support the parameters of several seeds ([field.Traits]), such as fields with identities. If runs are
// incompatible with each other, the error wraps [ErrInput], there are no outcomes, and nothing is trained. Progress is
// called for one run at a time.
func FitSeeds(ctx context.Context, runs []SeedRun) ([]Outcome, error) {
	if err := checkRuns(runs); err != nil {
		return nil, err
	}
	outcomes, err := fit(ctx, runs)
	var failed []error
	for i, o := range outcomes {
		if o.Err != nil {
			failed = append(failed, errs.In(fmt.Sprintf("pengcde: run %d", i), o.Err))
		}
	}
	return outcomes, cmp.Or(err, errors.Join(failed...))
}

func batchSize(r SeedRun) int { return min(max(r.Config.BatchSize, 1), len(r.Training)) }

// checkRuns returns an error if runs cannot be trained together.
func checkRuns(runs []SeedRun) error {
	if len(runs) == 0 {
		return invalid("FitSeeds got no runs, want at least one")
	}
	models, paths := make(map[*Model]int), make(map[string]int)
	for i, r := range runs {
		first := runs[0]
		switch {
		case r.Model == nil:
			return invalid("run %d has no model", i)
		case r.Model.params == nil:
			return errs.In(fmt.Sprintf("pengcde: run %d", i), ErrClosed)
		}
		if other, found := models[r.Model]; found {
			return invalid("runs %d and %d train the same model: make one for each with New", other, i)
		}
		models[r.Model] = i
		if name := difference(first.Model.config, r.Model.config); name != "" {
			return invalid("the models of runs 0 and %d differ in Config.%s, want the same configuration but for its Seed: "+
				"train them one by one", i, name)
		}
		switch {
		case r.Model.backend != first.Model.backend:
			return invalid("the models of runs 0 and %d have different backends: open one for all", i)
		case r.Model.config.Network != nil:
			return invalid("run %d has a network in discrete steps, which does not take several seeds at once: train them one "+
				"by one", i)
		case r.Model.config.RowFeatures > 0 || r.Model.config.Head.Traits().Whole:
			return invalid("run %d has RowFeatures or a head, %T, that do not take several seeds at once: train them one by one",
				i, r.Model.config.Head)
		case !traits(r.Model.config.Field).Seeds:
			return invalid("run %d has the field %q, which does not take several seeds at once as it is (with identities none "+
				"does): train them one by one", i, field.Name(r.Model.config.Field))
		case len(r.Training) != len(first.Training) || len(r.Validation) != len(first.Validation):
			return invalid("run %d has %d windows for training and %d for validation, run 0 has %d and %d, want as many",
				i, len(r.Training), len(r.Validation), len(first.Training), len(first.Validation))
		case batchSize(r) != batchSize(first):
			return invalid("run %d has BatchSize %d, run 0 has %d, want the same", i, r.Config.BatchSize, first.Config.BatchSize)
		}
		if c := r.Config.Checkpoint; c != nil {
			if other, found := paths[c.Path]; found {
				return invalid("runs %d and %d have the checkpoint %q, want one of its own for each", other, i, c.Path)
			}
			paths[c.Path] = i
		}
	}
	return nil
}

// difference returns the name of a field, other than Seed and Notices, in which two configurations differ; "" if there
// is none.
func difference(a, b Config) string {
	a.Seed, a.Notices, b.Notices = b.Seed, nil, nil // functions are never equal
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, f := range reflect.VisibleFields(x.Type()) {
		if !f.Anonymous && !reflect.DeepEqual(x.FieldByIndex(f.Index).Interface(), y.FieldByIndex(f.Index).Interface()) {
			return f.Name
		}
	}
	return ""
}
