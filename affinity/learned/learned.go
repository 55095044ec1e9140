// Package learned makes forecasters of node affinity out of the models of package pengcde.
package learned

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Forecaster is an [affinity.Trainer]: a model that sees the last snapshots of the graph before the time that is asked
// about, and ranks classes for each node. [affinity.Evaluate] trains it; Close frees it.
type Forecaster struct {
	Backend *xla.Backend
	// Config is that of the model. Nodes, Features, Outputs and Output are those of the task, and are filled in. The time
	// unit is a snapshot.
	Config pengcde.Config
	// Training sets it: a batch is of label times.
	Training train.Config
	// Inputs is the number of snapshots that are seen, 2 or more; 0 means 3. Where fewer are over, the first is repeated.
	Inputs int

	// Report is that of the last training.
	Report *train.Report

	seen    seen
	task    affinity.Task
	model   *pengcde.Model
	pattern pattern     // of the snapshots that were trained on
	at      float64     // the time that logits are of
	logits  [][]float64 // [nodes][classes]; nil where they are to be computed
}

// Model is the trained one; nil before.
func (f *Forecaster) Model() *pengcde.Model { return f.model }

// Close frees the model.
func (f *Forecaster) Close() {
	if f.model != nil {
		f.model.Close()
	}
	f.model = nil
}

// Reset forgets all but the model.
func (f *Forecaster) Reset(task affinity.Task) {
	f.task, f.logits = task, nil
	f.seen.reset(task, f.inputs())
}

// Observe takes events in order of time.
func (f *Forecaster) Observe(events []dyngraph.Event) error {
	f.logits = nil
	return f.seen.Observe(events)
}

// Learn takes labels.
func (f *Forecaster) Learn(labels affinity.Labels) error {
	f.logits = nil
	return f.seen.Learn(labels)
}

func (f *Forecaster) inputs() int { return cmp.Or(f.Inputs, 3) }

// config is that of the model for a task.
func (f *Forecaster) config(task affinity.Task) pengcde.Config {
	c := f.Config
	c.Nodes, c.Features, c.Outputs, c.Output = task.Nodes, 1, task.Classes, pengcde.Affinity
	return c
}

// Train makes a model and fits it to the questions of past.
func (f *Forecaster) Train(ctx context.Context, past *affinity.Plan) error {
	if f.inputs() < 2 {
		return fmt.Errorf("affinity/learned: %d inputs, want 2 or more: %w", f.Inputs, pengcde.ErrInput)
	}
	model, err := pengcde.New(f.Backend, f.config(past.Task))
	if err != nil {
		return err
	}
	f.Close()
	f.model = model
	examples := &examples{inputs: f.inputs(), keepKnown: f.Config.Residual}
	if err := past.Walk(ctx, examples); err != nil {
		return err
	}
	f.pattern = patternOf(past.Nodes, examples.snapshots())
	windows := make(map[affinity.Part][]dyngraph.Window)
	for _, e := range examples.all {
		window, err := e.window(past.Task, f.pattern)
		if err != nil {
			return err
		}
		windows[e.part] = append(windows[e.part], window)
	}
	config := f.Training
	if len(windows[affinity.Validation]) == 0 {
		config.EvaluateEvery = -1
	}
	f.Report, err = model.Fit(ctx, windows[affinity.Train], windows[affinity.Validation], config)
	return err
}

var errUntrained = errors.New("affinity/learned: the model is not trained: call Train, or affinity.Evaluate")

// Forecast writes logits; nothing where no snapshot is over yet.
func (f *Forecaster) Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error {
	if f.logits == nil || f.at != at {
		if err := f.predict(ctx, at); err != nil {
			return err
		}
	}
	if f.logits != nil {
		for k, u := range nodes {
			copy(scores[k*f.task.Classes:], f.logits[u])
		}
	}
	return nil
}

// predict computes the logits of a time.
func (f *Forecaster) predict(ctx context.Context, at float64) error {
	f.at, f.logits = at, nil
	if f.model == nil {
		return errUntrained
	}
	snapshots, err := f.seen.last(at)
	if err != nil || snapshots == nil {
		return err
	}
	e := example{snapshots: snapshots}
	if f.Config.Residual {
		e.known = f.seen.history.Known()
	}
	p := f.pattern
	if !p.holds(snapshots) {
		p = patternOf(f.task.Nodes, snapshots)
	}
	window, err := e.window(f.task, p)
	if err != nil {
		return err
	}
	y, err := f.model.Predict(ctx, window, nil)
	if err == nil {
		f.logits = y[0]
	}
	return err
}
