package series

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Tennis returns the twitter-tennis study. It forecasts how often 1000 Twitter accounts are mentioned during
// Roland-Garros 2017, two snapshots after the last visible one, from nine snapshots of who mentions whom. The paper
// does not name the tournament; its numbers fit this one.
//
// Published: non-overlapping windows of ten snapshots, otherwise as [Epidemics].
func Tennis() *Forecasting {
	return (&Forecasting{
		Study: experiments.Study{Name: "twitter-tennis", Title: "Mentions during Roland-Garros 2017",
			Data: "twitter_tennis (rg17) of PyTorch Geometric Temporal", About: prose.About("twitter-tennis", "splits")},
		Time: "snapshot", Target: "ln(1 + mentions)", Node: "account",
		load:   func() (*dyngraph.Series, error) { return pgt.TwitterTennis(pgt.RG17) },
		window: tennisWindow, settings: tennisSettings,
		published: "tennis",
	}).complete()
}

const tennisWindow = 10

// tennisSettings returns the rows of the study. Training takes long with 1000 nodes, so profile medium trains the
// models of the table only on the random split.
func tennisSettings(p experiments.Profile, size pengcde.Config) (all []setting) {
	constant := size
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}
	small := network("constant", "Constant", constant, train.Config{})
	better := train.Config{Epochs: 6, BatchSize: 4, AdamW: train.AdamW{LearningRate: 3e-3}}
	if p == experiments.Quick {
		better.Epochs = 2
	}
	near := residual(size, 2, better)
	near.stride, near.retrainEvery, small.retrainEvery = 3, 15, 15
	models := contenders(p, size, tennisWindow-1, 2, tennisHyperparameters)
	seeds := counts(10, 3, 3)
	made := rows{corrected: seeds, defects: counts(10, 0, 0), tuned: seeds, sizes: 3, rates: []float64{3e-3, 1e-2}}
	switch p {
	case experiments.Quick:
		seeds, models = counts(1, 0, 0), nil
	case experiments.Medium:
		seeds, near.stride, small.stride = counts(5, 2, 1), 4, 3
		made = rows{corrected: counts(3, 0, 0), defects: counts(1, 0, 0), tuned: counts(3, 0, 0), sizes: 1,
			rates: []float64{3e-3}}
	}
	for _, c := range models {
		c.retrainEvery = 15
		all = append(all, made.of(c)...)
	}
	if p != experiments.Quick {
		const values = tennisWindow - 1 // a snapshot of each input
		beside := affineLinear(size, values, ofItself)
		beside.stride, beside.retrainEvery = 4, 15
		all = slices.Concat(all, beside.on(counts(0, 0, 1)), linearAlone(values, ofItself).on(seeds))
	}
	return slices.Concat(all, near.on(seeds), small.on(seeds), heuristics(seeds))
}
