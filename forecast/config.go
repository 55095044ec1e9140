package forecast

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
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
	// Field names the vector field, one of [field.Names]; "" means "affine", with the additional settings of
	// [pengcde.Recommended] and [train.Recommended]. The published field and its training are "peng". Both use
	// constant steps of one snapshot, except in long gaps.
	Field string
	// Hidden is the width of a node's state, Layers the depth of the vector field; 0 means 8 and 1.
	Hidden, Layers int
	// Epochs is the largest number of epochs; 0 means 60. Training stops after 10 epochs without a better validation.
	Epochs int
	// LearningRate is AdamW's learning rate; 0 means 5e-3.
	LearningRate float64
	// Seed draws the initial parameters and the order of training windows.
	Seed uint64
	// Checkpoint is the path prefix of checkpoint files. An interrupted training with the same settings and data
	// continues from them; "" keeps none. See [Result.RemoveCheckpoints].
	Checkpoint string
	// Progress, if not nil, is called with the completed fraction from 0 to 1 (NaN if unknown), an upper bound on the
	// remaining time (0 if unknown), and a text about the work under way. Notice, if not nil, is called with texts
	// that a user would want to read.
	Progress func(fraction float64, left time.Duration, text string)
	Notice   func(text string)
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
	c.Field = cmp.Or(c.Field, "affine")
	if _, err := field.Named(c.Field); err != nil {
		return c, errs.In("forecast: Config.Field", err, ErrInput)
	}
	c.Inputs, c.Hidden, c.Layers = cmp.Or(c.Inputs, 4), cmp.Or(c.Hidden, 8), cmp.Or(c.Layers, 1)
	c.Epochs, c.LearningRate = cmp.Or(c.Epochs, 60), cmp.Or(c.LearningRate, 5e-3)
	if c.Inputs < 1 || c.Epochs < 1 || c.LearningRate < 0 {
		return c, invalid("%d inputs, %d epochs and learning rate %g, want positive numbers", c.Inputs, c.Epochs,
			c.LearningRate)
	}
	if c.Progress == nil {
		c.Progress = func(float64, time.Duration, string) {}
	}
	if c.Notice == nil {
		c.Notice = func(string) {}
	}
	return c, nil
}

// model returns the configuration for a series whose median time between snapshots is 1. It is the residual
// configuration of the england-covid study: the readout gives the deviation from a node's recent mean, and maps that
// take sums see the graph.
func (c Config) model(s *dyngraph.Series) pengcde.Config {
	model := pengcde.Config{Nodes: s.Nodes(), Features: s.FeatureSize, Hidden: c.Hidden, Layers: c.Layers, Seed: c.Seed,
		Input:     pengcde.Input{Normalise: dyngraph.NormalisedAdjacency},
		Head:      head.Nodes{Residual: s.RecentMean != nil},
		Equation:  pengcde.Equation{Step: c.step(s)},
		Execution: pengcde.Execution{Notices: notices(c.Notice)}}
	model.Field, _ = field.Named(c.Field) // resolved has checked it
	if c.published() {
		return model
	}
	return pengcde.Recommended(model)
}

// published reports whether the field is the published one, which is trained as published.
func (c Config) published() bool { return c.Field == field.Names()[0] }

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
// number of epochs.
func (c Config) training(epochs int) train.Config {
	t := train.Config{Epochs: c.Epochs, EvaluateEvery: 1, Patience: patience, MinEpochs: train.AtOnce,
		BatchSize: batchSize, AdamW: train.AdamW{LearningRate: c.LearningRate, WeightDecay: weightDecay}}
	if epochs > 0 {
		t.Epochs, t.EvaluateEvery = epochs, train.NoValidation
	}
	if c.published() {
		return t
	}
	return train.Recommended(t)
}
