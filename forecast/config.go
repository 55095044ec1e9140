package forecast

import (
	"cmp"
	"errors"
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

// ErrInput is wrapped by errors about data and settings that no model can be trained with, or that a model does not
// fit.
var ErrInput = errors.New("invalid input")

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "forecast: "+format, args...)
}

// Config sets a training. Its zero value is small: 100 nodes and 100 snapshots take about a minute on 2 CPU cores.
type Config struct {
	// Inputs is the number of snapshots that a forecast sees; 0 means 4.
	Inputs int
	// Field is the vector field by its name, one of [field.Names]; "" means "affine", with what [pengcde.Recommended] and
	// [train.Recommended] add to it. The published field and its training are "peng". Steps are constant in both, of one
	// snapshot, but for long gaps.
	Field string
	// Hidden is the width of a node's state, Layers the depth of the vector field; 0 means 8 and 1.
	Hidden, Layers int
	// Epochs is the most that are run; 0 means 60. Training stops after 10 without a better validation.
	Epochs int
	// LearningRate is AdamW's learning rate; 0 means 5e-3.
	LearningRate float64
	// Seed draws the initial parameters and the order of training windows.
	Seed uint64
	// Checkpoint is the path that the names of checkpoint files begin with, from which a training of the same settings and
	// data that was cut off goes on; "" keeps none. See [Result.RemoveCheckpoints].
	Checkpoint string
	// Progress, if set, hears how much is done, from 0 to 1 (NaN where that is not known), the most time that is left (0
	// where that is not known), and a text on the work under way; Notice hears texts that a user would want to read.
	Progress func(fraction float64, left time.Duration, text string)
	Notice   func(text string)
}

const (
	trainFraction      = 0.6 // as table.Config has it, whose scales come from it
	validationFraction = 0.2
	patience           = 10
	batchSize          = 4
	weightDecay        = 1e-3
	// mostSteps bounds the solver's steps between two snapshots but for the longest 5% of gaps in time, longestSteps for
	// all.
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

// model is the configuration for a series whose median time between snapshots is 1. It is the residual one of the
// england-covid study: the readout gives the deviation from a node's recent mean, and maps that take sums see the
// graph.
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

// published says that the field is the published one, which is trained as published.
func (c Config) published() bool { return c.Field == field.Names()[0] }

// step returns the solver's step, which one long gap hardly changes.
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

// notices hears texts for people, one at a time.
type notices func(text string)

func (n notices) Write(text []byte) (int, error) {
	n(strings.TrimSpace(string(text)))
	return len(text), nil
}

// training is the loop of the first training, which stops early, or of so many epochs.
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
