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

// Tennis is the twitter-tennis experiment: forecast how often 1000 Twitter accounts are mentioned during Roland-Garros
// 2017, two snapshots after the last one seen, from nine snapshots of who mentions whom. The paper does not name the
// tournament; its numbers fit this one.
func Tennis() Forecasting {
	return Forecasting{
		Name: "twitter-tennis", Title: "Mentions during Roland-Garros 2017", Data: "twitter_tennis (rg17) of PyTorch Geometric Temporal",
		Time: "snapshot", Target: "ln(1 + mentions)",
		Series: func() (*dyngraph.Series, error) { return pgt.TwitterTennis(pgt.RG17) },
		Window: 10, settings: tennisSettings, cut: &cut{},
		published: [2][2]float64{{0.391, 0.069}, {0.440, 0.053}},
	}
}

// tennisSize is what every model is told of the data.
var tennisSize = pengcde.Config{Nodes: 1000, Features: 16}

func tennisSettings(p Profile) []Setting {
	published := tennisSize
	published.Hidden, published.Layers = 64, 3
	constant := tennisSize
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}

	peng := Setting{ID: "peng", Name: "PENG-CDE", Model: &published}
	small := Setting{ID: "constant", Name: "Constant", Model: &constant}
	better := residual(tennisSize, 2, train.Config{Epochs: 6, BatchSize: 4, AdamW: train.AdamW{LearningRate: 3e-3}})
	better.Stride = 3
	peng.RetrainEvery, better.RetrainEvery, small.RetrainEvery = 15, 15, 15
	all := map[Split]int{Random: 10, Chronological: 3, PurgedRotation: 1, RollingOrigin: 1, LeakyRotation: 1}
	switch p {
	case Full:
		more := map[Split]int{Random: 10, Chronological: 3, PurgedRotation: 3, RollingOrigin: 3, LeakyRotation: 3}
		return slices.Concat(peng.on(all), better.on(more), small.on(all), heuristics(10))
	case Medium:
		published.Hidden, published.Layers, published.Step = 16, 2, 1
		better.Stride, small.Stride = 4, 3
		some := map[Split]int{Random: 5, Chronological: 2, PurgedRotation: 1, RollingOrigin: 1, LeakyRotation: 1}
		return slices.Concat(peng.on(map[Split]int{Random: 3}), better.on(some), small.on(some), heuristics(5))
	default:
		better.Train.Epochs = 2
		return slices.Concat(better.on(map[Split]int{Random: 1}), small.on(map[Split]int{Random: 2}), heuristics(2))
	}
}
