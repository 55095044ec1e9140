// Package learned makes forecasters of node affinity from the models of package pengcde.
package learned

import (
	"cmp"
	"context"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Config completes a configuration for a task: it sets Nodes, Features and Outputs, and replaces a Head that is not a
// ranking by head.Ranking{}.
func Config(c pengcde.Config, task affinity.Task) pengcde.Config {
	c.Nodes, c.Features, c.Outputs = task.Nodes, 1, task.Classes
	if _, ok := c.Head.(head.Ranking); !ok {
		c.Head = head.Ranking{}
	}
	return c
}

// Prior is a forecast that a model corrects: [affinity.GatedState] and [affinity.LogLinear].
type Prior interface {
	affinity.Forecaster
	// Prior returns the logits that are known before a question, see [dyngraph.Series], of nodes that have had labels.
	// nodes must increase; nil means all nodes.
	Prior(nodes []int32) *dyngraph.Affinities
}

// Forecaster is an [affinity.Trainer]. Its model sees the last snapshots of the graph before the time of the question,
// and ranks classes for each node. The unit of the model's time is a snapshot. In parity time the current, incomplete
// snapshot is the newest. On more than 256 nodes, an edge that did not occur in training makes programs compile again.
type Forecaster struct {
	// Model is a model with a configuration from [Config].
	Model *pengcde.Model
	// Inputs is the number of snapshots that the model sees, 2 or more; 0 means 3. If fewer are complete, the first is
	// repeated.
	Inputs int
	// Prior makes the logits that a model with head.Ranking{Residual: true} corrects. If it is an [affinity.Trainer] it is
	// trained before the model. nil means [affinity.LogLinear] with coefficients that are trained with the model. It
	// serves this Forecaster alone, and files of the model do not contain it.
	Prior Prior
	// Training configures the training. A batch consists of label times.
	Training train.Config

	// Report is the report of the last training.
	Report *train.Report

	logLinear *affinity.LogLinear // used if there is no Prior

	seen    seen
	task    affinity.Task
	pattern *pattern            // of the training edges and those seen since; nil before
	at      float64             // time of the logits
	logits  *dyngraph.Forecasts // nil until computed
}

// Reset discards everything except the model and trained parameters of the Prior.
func (f *Forecaster) Reset(task affinity.Task) {
	f.task, f.logits = task, nil
	f.seen = seen{inputs: f.inputs(), prior: f.prior()}
	f.seen.reset(task)
}

// prior returns the forecast that the model corrects, nil if it corrects none.
func (f *Forecaster) prior() Prior {
	if f.Model == nil {
		return nil
	}
	if ranking, _ := f.Model.Config().Head.(head.Ranking); !ranking.Residual {
		return nil
	}
	if f.Prior != nil {
		return f.Prior
	}
	if f.logLinear == nil {
		f.logLinear = &affinity.LogLinear{}
	}
	return f.logLinear
}

func (f *Forecaster) inputs() int { return cmp.Or(f.Inputs, 3) }

// Observe takes events in order of time.
func (f *Forecaster) Observe(events []dyngraph.Event) error {
	f.logits = nil
	return f.seen.Observe(events)
}

// Learn receives labels.
func (f *Forecaster) Learn(labels affinity.Labels) error {
	f.logits = nil
	return f.seen.Learn(labels)
}

// check returns an error if the model does not fit a task.
func (f *Forecaster) check(task affinity.Task) error {
	if f.Model == nil {
		return errs.New(pengcde.ErrInput, "affinity/learned: a Forecaster without a Model: make one of learned.Config")
	}
	if f.inputs() < 2 {
		return errs.New(pengcde.ErrInput, "affinity/learned: a Forecaster with %d inputs, want 2 or more, or 0 for 3", f.Inputs)
	}
	c := f.Model.Config()
	if _, ok := c.Head.(head.Ranking); !ok || c.Nodes != task.Nodes || c.Outputs != task.Classes {
		return errs.New(pengcde.ErrInput, "affinity/learned: a model with a %T for %d nodes and %d classes, the task has "+
			"%d and %d: make it of learned.Config", c.Head, c.Nodes, c.Outputs, task.Nodes, task.Classes)
	}
	return nil
}

// Windows trains the Prior, converts the questions of past to windows of the model, for training and for validation,
// and resets the forecaster. Questions before the first snapshot is complete are left out. The forecaster stores the
// edges of the windows, so that forecasts use the same.
func (f *Forecaster) Windows(ctx context.Context, past *affinity.Plan) (training, validation []dyngraph.Window,
	err error) {
	if err := f.check(past.Task); err != nil {
		return nil, nil, err
	}
	prior := f.prior()
	if trainer, ok := f.Prior.(affinity.Trainer); ok && prior != nil {
		if err := trainer.Train(ctx, past); err != nil {
			return nil, nil, err
		}
	}
	examples := &examples{seen: seen{inputs: f.inputs(), prior: prior}}
	if err := past.Walk(ctx, examples); err != nil {
		return nil, nil, err
	}
	f.Reset(past.Task)
	f.pattern = patternOf(past.Nodes)
	f.pattern.grow(examples.snapshots())
	for _, e := range examples.all {
		window, err := e.window(past.Task, f.pattern)
		if err != nil {
			return nil, nil, err
		}
		switch e.part {
		case affinity.Train:
			training = append(training, window)
		case affinity.Validation:
			validation = append(validation, window)
		}
	}
	return training, validation, nil
}

// Train draws new parameters from the seed of the model's configuration, and fits them to the questions of past.
func (f *Forecaster) Train(ctx context.Context, past *affinity.Plan) error {
	training, validation, err := f.Windows(ctx, past)
	if err != nil {
		return err
	}
	config := f.Training
	if len(validation) == 0 {
		config.EvaluateEvery = train.NoValidation
	}
	c := f.Model.Config()
	f.Model.Reset(c.Seed)
	f.Report, err = f.Model.Fit(ctx, training, validation, config)
	return err
}

// Forecast writes logits, or nothing before the first snapshot is complete.
func (f *Forecaster) Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error {
	if f.logits == nil || f.at != at {
		if err := f.predict(ctx, at); err != nil {
			return err
		}
	}
	if f.logits != nil {
		for k, u := range nodes {
			copy(scores[k*f.task.Classes:], f.logits.Node(0, int(u)))
		}
	}
	return nil
}

// predict computes the logits of a time.
func (f *Forecaster) predict(ctx context.Context, at float64) error {
	f.at, f.logits = at, nil
	if err := f.check(f.task); err != nil {
		return err
	}
	snapshots, err := f.seen.last(at)
	if err != nil || snapshots == nil {
		return err
	}
	e := example{snapshots: snapshots, prior: f.seen.logits(nil)}
	if f.pattern == nil {
		f.pattern = patternOf(f.task.Nodes)
	}
	f.pattern.grow(snapshots)
	f.pattern.keep(snapshots)
	window, err := e.window(f.task, f.pattern)
	if err != nil {
		return err
	}
	y, err := f.Model.Predict(ctx, window, nil)
	if err == nil {
		f.logits = &y
	}
	return err
}
