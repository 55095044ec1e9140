package paper

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

// Tennis is the twitter-tennis study: forecast how often 1000 Twitter accounts are mentioned during Roland-Garros
// 2017, two snapshots after the last one seen, from nine snapshots of who mentions whom. The paper does not name the
// tournament; its numbers fit this one.
//
// Published: windows of ten snapshots side by side, otherwise as [Epidemics].
func Tennis() *Forecasting {
	return Forecasting{
		Study: experiments.Study{Name: "twitter-tennis", Title: "Mentions during Roland-Garros 2017",
			Data: "twitter_tennis (rg17) of PyTorch Geometric Temporal", About: aboutTennis},
		Time: "snapshot", Target: "ln(1 + mentions)", Node: "account",
		load:   func() (*dyngraph.Series, error) { return pgt.TwitterTennis(pgt.RG17) },
		window: 10, settings: tennisSettings,
		published: publishedTennis,
	}.complete()
}

// tennisSettings are its rows. A training takes long with 1000 nodes, so profile medium has few seeds, and origins are
// forecast in long runs after one training.
func tennisSettings(p experiments.Profile, size pengcde.Config) []setting {
	all := contenders(p, size, tennisHyperparameters)
	constant := size
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}
	small := network("constant", "Constant", constant, train.Config{})
	better := train.Config{Epochs: 6, BatchSize: 4, AdamW: train.AdamW{LearningRate: 3e-3}}
	if p == experiments.Quick {
		better.Epochs = 2
	}
	linear := residual(size, 2, better)
	linear.stride = 3
	linear.retrainEvery, small.retrainEvery = 15, 15
	var rows []setting
	one := counts(1, 0, 0)
	switch p {
	case experiments.Quick:
		return slices.Concat(linear.on(one), small.on(one), heuristics(one))
	case experiments.Medium:
		linear.stride, small.stride = 4, 3
		some := plan{mended: counts(3, 0, 0), defects: counts(3, 0, 0), tuned: one, readouts: []bool{false, true},
			rates: []float64{3e-3}}
		for _, f := range all {
			rows = append(rows, some.rows(f)...)
		}
		return slices.Concat(rows, linear.on(counts(5, 1, 1)), small.on(counts(5, 1, 1)), heuristics(counts(5, 1, 1)))
	}
	every := plan{mended: counts(10, 3, 3), defects: counts(10, 0, 0), tuned: counts(10, 3, 3),
		readouts: []bool{false, true}, rates: []float64{3e-3, 1e-2}}
	for _, f := range all {
		f.retrainEvery = 15
		rows = append(rows, every.rows(f)...)
	}
	return slices.Concat(rows, linear.on(counts(10, 3, 3)), small.on(counts(10, 3, 3)), heuristics(counts(10, 1, 1)))
}
