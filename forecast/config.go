package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ErrInput is wrapped by errors about data and settings that cannot be used to train a model, or that do not fit a
// model.
var ErrInput = errs.ErrInput

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "forecast: "+format, args...)
}

// Config configures a training. Its zero value is small: 100 nodes and 100 snapshots take about a minute on 2 CPU
// cores.
type Config struct {
	// Inputs is the number of snapshots that a forecast sees; 0 means 4.
	Inputs int
	// Model names the model to train, one of [Models]; "" means "peng-cde", which is the field "affine" with the
	// additional settings of [pengcde.Recommended] and [train.Recommended]. The published field and its training are
	// "peng". Differential equations use constant steps of one snapshot, except in long gaps.
	//
	// "auto" chooses by the error on validation windows: it tries "peng-cde", the same with Linear, "gn-ode" and "dcrnn",
	// each with several seeds and the same share of Budget, beside the simple forecasts of package baseline. One of
	// these is the model unless a network is shown to be better there than all of them.
	Model string
	// Linear adds a linear regression on a node's visible values to the model, see [head.Linear].
	Linear bool
	// Search also tries twice the width, one more layer and twice the learning rate, and chooses as "auto" does.
	Search bool
	// Graph asks what the graph is worth: the model is also trained without edges and with shuffled edges, see
	// [GraphWorth]. "auto" does it anyway.
	Graph bool
	// Seeds is the number of trainings of a model, with the seeds Seed, Seed + 1 and so on. Models compare by the mean of
	// their seeds' validation errors, so one lucky seed decides nothing; the seed with the lowest one is kept. 0 means 3
	// with "auto", Search or Graph, else 1.
	Seeds int
	// Budget bounds the time of all trainings together; a training whose share is used up keeps its best parameters so
	// far. The last training, on all windows, is never cut. 0 means 5 minutes with "auto", else no bound.
	Budget time.Duration
	// Hidden is the width of a node's state, Layers the depth of the vector field; 0 means 8 and 1.
	Hidden, Layers int
	// Epochs is the largest number of epochs; 0 means 60. Training stops after 10 epochs without a better validation.
	Epochs int
	// LearningRate is AdamW's learning rate; 0 means 5e-3.
	LearningRate float64
	// Seed is the first of Seeds. It draws the initial parameters and the order of training windows.
	Seed uint64
	// Checkpoint is the path prefix of checkpoint files. An interrupted training with the same settings and data
	// continues from them; "" keeps none. See [Result.RemoveCheckpoints].
	Checkpoint string
	// Progress, if not nil, is called with the completed fraction from 0 to 1 (NaN if unknown), an upper bound on the
	// remaining time (0 if unknown), and a text about the work under way. Notice, if not nil, is called with texts
	// that a user would want to read.
	Progress func(fraction float64, left time.Duration, text string)
	Notice   func(text string)

	share time.Duration // of Budget, for all seeds of a model; 0 for no bound
}

const (
	trainFraction      = 0.6 // as in table.Config, whose scales depend on it
	validationFraction = 0.2
	patience           = 10
	batchSize          = 4
	weightDecay        = 1e-3
	// mostSteps bounds the solver's steps between two snapshots, except in the longest 5% of time gaps; longestSteps
	// bounds them in all gaps.
	mostSteps, longestSteps = 20, 1000
)

func (c Config) resolved() (Config, error) {
	c.Model = cmp.Or(c.Model, "peng-cde")
	if !slices.Contains(Models(), c.Model) {
		return c, invalid("no model %q, %s", c.Model, nearest.Want(c.Model, Models()))
	}
	if c.Model == "peng-cde" {
		c.Model = "affine"
	}
	auto, seeds := c.Model == "auto", 1
	switch {
	case c.Linear && (auto || c.Model == "dcrnn"):
		return c, invalid("Linear with the model %q, want a differential equation: auto tries one with a linear part",
			c.Model)
	case c.Graph && c.Model == "constant":
		return c, invalid("Graph with the model \"constant\", which sees no graph: want another model")
	case auto:
		seeds, c.Graph, c.Budget = 3, true, cmp.Or(c.Budget, 5*time.Minute)
	case c.Search || c.Graph:
		seeds = 3
	}
	c.Inputs, c.Hidden, c.Layers = cmp.Or(c.Inputs, 4), cmp.Or(c.Hidden, 8), cmp.Or(c.Layers, 1)
	c.Epochs, c.LearningRate, c.Seeds = cmp.Or(c.Epochs, 60), cmp.Or(c.LearningRate, 5e-3), cmp.Or(c.Seeds, seeds)
	if c.Inputs < 2 {
		return c, invalid("%d inputs (--inputs), want 2 or more snapshots, between which the graph has a path",
			c.Inputs)
	}
	if c.Epochs < 1 || c.LearningRate < 0 || c.Seeds < 1 || c.Budget < 0 {
		return c, invalid("%d epochs, %d seeds, learning rate %g and budget %v, want positive numbers",
			c.Epochs, c.Seeds, c.LearningRate, c.Budget)
	}
	if c.Progress == nil {
		c.Progress = func(float64, time.Duration, string) {}
	}
	if c.Notice == nil {
		c.Notice = func(string) {}
	}
	return c, nil
}

// Models returns the names of models: "auto", "peng-cde", the fields of [field.Names], and "dcrnn", a network in
// discrete steps, see [rivals.DCRNN].
func Models() []string {
	return slices.Concat([]string{"auto", "peng-cde"}, field.Names(), []string{"dcrnn"})
}

// model returns the configuration for a series whose median time between snapshots is 1. It is the residual
// configuration of the england-covid study: the readout gives the deviation from a node's recent mean, and maps that
// take sums see the graph.
func (c Config) model(s *dyngraph.Series) pengcde.Config {
	nodes := head.Nodes{Residual: s.RecentMean != nil}
	model := pengcde.Config{Nodes: s.Nodes(), Features: s.FeatureSize, Outputs: s.TargetSize, Seed: c.Seed, Head: nodes,
		Execution: pengcde.Execution{Notices: notices(c.Notice)}}
	if c.Model == "dcrnn" {
		model.Network = rivals.DCRNN{Hidden: c.Hidden, Layers: c.Layers}
		return model
	}
	model.Hidden, model.Layers, model.Step = c.Hidden, c.Layers, c.step(s)
	model.Normalise = dyngraph.NormalisedAdjacency
	model.Field, _ = field.Named(c.Model) // resolved has checked it
	if c.Linear {
		model.Head = head.Corrected{Nodes: nodes, Linear: head.Linear{
			Values: len(dyngraph.Window{Series: s, Length: c.Inputs + 1}.Visible()) * s.Quantities()}}
	}
	if c.published() {
		return model
	}
	return pengcde.Recommended(model)
}

// published reports whether the field is the published one, which is trained as published.
func (c Config) published() bool { return c.Model == field.Names()[0] }

// step returns the solver's step; one long gap hardly changes it.
func (c Config) step(s *dyngraph.Series) float64 {
	longest, most := longGaps(s)
	step := max(1, most/mostSteps, longest/longestSteps)
	if longest > mostSteps {
		c.Notice(fmt.Sprintf("the longest gap between snapshots is %.3g times the median: the solver's steps are %.3g times "+
			"the median, and %.0f go across that gap; fill it, or give a step (--step, table.Config.Step), which makes "+
			"snapshots of equal length", longest, step, math.Ceil(longest/step)))
	}
	return step
}

// notices passes on texts for people, one at a time.
type notices func(text string)

func (n notices) Write(text []byte) (int, error) {
	n(strings.TrimSpace(string(text)))
	return len(text), nil
}

// training returns the training configuration: of the first training, which stops early, or of a training with this
// number of epochs. limit is its time, 0 for no limit.
func (c Config) training(epochs int, limit time.Duration) train.Config {
	t := train.Config{MaxTime: limit, Epochs: c.Epochs, EvaluateEvery: 1, Patience: patience, MinEpochs: train.AtOnce,
		BatchSize: batchSize, AdamW: train.AdamW{LearningRate: c.LearningRate, WeightDecay: weightDecay}}
	if epochs > 0 {
		t.Epochs, t.EvaluateEvery = epochs, train.NoValidation
	}
	if c.published() {
		return t
	}
	return train.Recommended(t)
}
