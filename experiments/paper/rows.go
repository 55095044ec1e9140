package paper

import (
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Rows of one model have its ID and these endings.
const (
	publishedEnding = "-as-published"
	tunedEnding     = "-tuned"
)

// contender are the rows of one model: with the published hyperparameters, with the defects of the published code too, and
// tuned.
type contender struct {
	id, name string
	// config has the published hyperparameters, defects the defects as well.
	config, defects pengcde.Config
	training        train.Config
	// sizes are those that trials try.
	sizes []trialSize
	// stride and retrainEvery are those of [setting].
	stride, retrainEvery int
}

// trialSize is one of a model's, with the hyperparameters that it stands for.
type trialSize struct {
	name   string
	config pengcde.Config
}

// plan is which rows of a contender are made with how many seeds of each split.
type plan struct {
	mended, defects, tuned map[Split]int
	// trials is the budget of a tuned row: sizes by readouts by learning rates.
	readouts []bool
	rates    []float64
}

// rows are those of a contender.
func (p plan) rows(f contender) []setting {
	mended := network(f.id, f.name, f.config, f.training)
	defects := network(f.id+publishedEnding, f.name+", as published", f.defects, f.training)
	defects.Note = asPublishedNote
	mended.stride, mended.retrainEvery = f.stride, f.retrainEvery
	defects.stride, defects.retrainEvery = f.stride, f.retrainEvery
	tuned := mended
	tuned.Model = experiments.Tuned(f.id+tunedEnding, f.name+", tuned", p.trials(f))
	tuned.Note = fmt.Sprintf(tunedNote, len(f.sizes)*len(p.readouts)*len(p.rates))
	return slices.Concat(mended.on(p.mended), tuned.on(p.tuned), defects.on(p.defects))
}

const (
	asPublishedNote = "as published: with the defects of the published code: control by raw weights, and for PENG-CDE, " +
		"Original GN-CDE, GN-ODE and STG-NCDE a loss that forgets which node is which. The rows without it have the " +
		"published hyperparameters, a normalised control and a loss by node."
	tunedNote = "tuned: each run trains %d trials on its training windows, stops each by its validation windows, and " +
		"forecasts with the trial of the least validation error. Every model has as many: sizes of its own, each with a " +
		"readout of the target or of its deviation from the node's recent mean, and with learning rates. No tested window " +
		"is looked at."
)

// trials are all combinations of what is tried.
func (p plan) trials(f contender) (all []experiments.Model) {
	for _, size := range f.sizes {
		for _, residual := range p.readouts {
			for _, rate := range p.rates {
				config, training, name := size.config, f.training, size.name
				config.Residual, training.AdamW.LearningRate = residual, rate
				if residual {
					name += ", residual"
				}
				if len(p.rates) > 1 {
					name = fmt.Sprintf("%s, rate %g", name, rate)
				}
				all = append(all, experiments.Network(fmt.Sprint(len(all)), name, config, training))
			}
		}
	}
	return all
}

// parity gives a configuration the defects of the published code: raw weights, and a loss that forgets which node is
// which.
func parity(c pengcde.Config) pengcde.Config {
	c.Normalise, c.Parity = dyngraph.Raw, true
	return c
}
