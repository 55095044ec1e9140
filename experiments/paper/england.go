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

// England is the england-covid study: forecast the Covid cases of 129 regions of England two days after the last ones
// seen, from four snapshots: four days of movements between regions, and the cases of eleven days.
//
// Published: windows of five days side by side, 60% for training, 20% for validation, shuffled by ten seeds; hidden
// 64, 3 layers, constant steps, AdamW, at most 200 epochs with patience 15. Beside it stand splits that do not leak,
// and forecasts without a trained network.
func England() *Forecasting {
	return Forecasting{
		Study: experiments.Study{Name: "england-covid", Title: "Covid cases in England",
			Data: "england_covid of PyTorch Geometric Temporal", About: aboutEngland},
		Time: "day", Target: "standardised cases", Node: "region",
		load:   func() (*dyngraph.Series, error) { return pgt.EnglandCovid() },
		window: 5, settings: englandSettings,
		published: [2][2]float64{{0.836, 0.122}, {0.913, 0.200}},
	}.complete()
}

// englandSize is what every model is told of the data.
var englandSize = pengcde.Config{Nodes: 129, Features: 8}

func englandSettings(p experiments.Profile) []setting {
	published, as, constant := englandSize, englandSize, englandSize
	published.Hidden, published.Layers = 64, 3
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}
	var training train.Config
	better := train.Config{Epochs: 20, BatchSize: 6, AdamW: train.AdamW{LearningRate: 5e-3}}
	switch p {
	case experiments.Medium:
		published.Step = 0.5
	case experiments.Quick:
		published.Hidden, published.Layers, published.Step = 16, 2, 0.5
		training = train.Config{Epochs: 11, EvaluateEvery: 2, Patience: 6, MinEpochs: 6,
			AdamW: train.AdamW{LearningRate: 7e-3, WeightDecay: 1e-3}}
		better.Epochs = 8
	}
	as.Hidden, as.Layers, as.Step = published.Hidden, published.Layers, published.Step
	as.Normalise, as.Parity = dyngraph.Raw, true

	peng := network("peng", "PENG-CDE", published, training)
	raw := network("as-published", "PENG-CDE, as published", as, train.Config{})
	small := network("constant", "Constant", constant, train.Config{})
	residual := residual(englandSize, 1, better)
	peng.retrainEvery, residual.retrainEvery, small.retrainEvery = 5, 5, 5
	all, more, random := counts(10, 3, 1), counts(10, 5, 5), 10
	switch p {
	case experiments.Quick:
		residual.stride = 2
		one := counts(1, 0, 0)
		return slices.Concat(peng.on(one), residual.on(one), small.on(one), heuristics(one))
	case experiments.Medium:
		peng.stride, small.stride = 2, 2
		all, more, random = counts(6, 3, 1), counts(6, 3, 3), 6
	}
	return slices.Concat(peng.on(all), residual.on(more), small.on(all), raw.on(counts(3, 0, 0)),
		heuristics(counts(random, 1, 1)))
}
