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
// Published: windows of ten snapshots side by side, otherwise as [England].
func Tennis() *Forecasting {
	return Forecasting{
		Study: experiments.Study{Name: "twitter-tennis", Title: "Mentions during Roland-Garros 2017",
			Data: "twitter_tennis (rg17) of PyTorch Geometric Temporal", About: aboutTennis},
		Time: "snapshot", Target: "ln(1 + mentions)", Node: "account",
		load:   func() (*dyngraph.Series, error) { return pgt.TwitterTennis(pgt.RG17) },
		window: 10, settings: tennisSettings,
		published: [2][2]float64{{0.391, 0.069}, {0.440, 0.053}},
	}.complete()
}

// tennisSize is what every model is told of the data.
var tennisSize = pengcde.Config{Nodes: 1000, Features: 16}

func tennisSettings(p experiments.Profile) []setting {
	published, constant := tennisSize, tennisSize
	published.Hidden, published.Layers = 64, 3
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}
	better := train.Config{Epochs: 6, BatchSize: 4, AdamW: train.AdamW{LearningRate: 3e-3}}
	switch p {
	case experiments.Medium:
		published.Hidden, published.Layers, published.Step = 16, 2, 1
	case experiments.Quick:
		better.Epochs = 2
	}
	peng := network("peng", "PENG-CDE", published, train.Config{})
	small := network("constant", "Constant", constant, train.Config{})
	residual := residual(tennisSize, 2, better)
	residual.stride = 3
	peng.retrainEvery, residual.retrainEvery, small.retrainEvery = 15, 15, 15
	switch p {
	case experiments.Full:
		all := counts(10, 3, 1)
		return slices.Concat(peng.on(all), residual.on(counts(10, 3, 3)), small.on(all),
			heuristics(counts(10, 1, 1)))
	case experiments.Medium:
		residual.stride, small.stride = 4, 3
		some := counts(5, 2, 1)
		return slices.Concat(peng.on(counts(3, 0, 0)), residual.on(some), small.on(some),
			heuristics(counts(5, 1, 1)))
	}
	one := counts(1, 0, 0)
	return slices.Concat(residual.on(one), small.on(one), heuristics(one))
}
