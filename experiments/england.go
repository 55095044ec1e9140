package experiments

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// England is the england-covid experiment: forecast the Covid cases of 129 regions of England two days after the last ones
// seen, from four snapshots: four days of movements between regions, and the cases of eleven days.
func England() Forecasting {
	return Forecasting{
		Name: "england-covid", Title: "Covid cases in England", Data: "england_covid of PyTorch Geometric Temporal", Time: "day", Target: "standardised cases",
		Series: func() (*dyngraph.Series, error) { return pgt.EnglandCovid() },
		Window: 5, settings: englandSettings, cut: &cut{},
		published: [2][2]float64{{0.836, 0.122}, {0.913, 0.200}},
	}
}

// englandSize is what every model is told of the data.
var englandSize = pengcde.Config{Nodes: 129, Features: 8}

func englandSettings(p Profile) []Setting {
	published := englandSize
	published.Hidden, published.Layers = 64, 3
	as := published
	as.Normalise, as.Parity = dyngraph.Raw, true
	constant := englandSize
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}

	peng := Setting{ID: "peng", Name: "PENG-CDE", Model: &published}
	raw := Setting{ID: "as-published", Name: "PENG-CDE, as published", Model: &as}
	small := Setting{ID: "constant", Name: "Constant", Model: &constant}
	better := residual(englandSize, 1, train.Config{Epochs: 20, BatchSize: 6, AdamW: train.AdamW{LearningRate: 5e-3}})
	peng.RetrainEvery, better.RetrainEvery, small.RetrainEvery = 5, 5, 5
	all := map[Split]int{Random: 10, Chronological: 3, PurgedRotation: 1, RollingOrigin: 1, LeakyRotation: 1}
	switch p {
	case Full:
		more := map[Split]int{Random: 10, Chronological: 5, PurgedRotation: 5, RollingOrigin: 5, LeakyRotation: 5}
		return slices.Concat(peng.on(all), better.on(more), small.on(all), raw.on(map[Split]int{Random: 3}), heuristics(10))
	case Medium:
		published.Step, as.Step = 0.5, 0.5
		peng.Stride, small.Stride, all[Random] = 2, 2, 6
		more := map[Split]int{Random: 6, Chronological: 3, PurgedRotation: 3, RollingOrigin: 3, LeakyRotation: 3}
		return slices.Concat(peng.on(all), better.on(more), small.on(all), raw.on(map[Split]int{Random: 3}), heuristics(6))
	default:
		published.Hidden, published.Layers, published.Step = 16, 2, 0.5
		peng.Train = train.Config{Epochs: 11, EvaluateEvery: 2, Patience: 6, MinEpochs: 6, AdamW: train.AdamW{LearningRate: 7e-3, WeightDecay: 1e-3}}
		better.Train.Epochs, better.Stride, better.RetrainEvery = 8, 2, 10
		return slices.Concat(peng.on(map[Split]int{Random: 3}),
			better.on(map[Split]int{Random: 2, Chronological: 2, PurgedRotation: 1, RollingOrigin: 1, LeakyRotation: 1}),
			small.on(map[Split]int{Random: 3}), heuristics(3))
	}
}
