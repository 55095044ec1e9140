package rivals_test

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// decaying returns a series whose values decay from the first features, with targets at only some times, and with all
// targets.
func decaying(t *testing.T, observations int) (some, all *dyngraph.Series) {
	t.Helper()
	const nodes = 6
	all = network(t, nodes)
	weights, start := all.Weights[0], all.Features[0]
	all.Times, all.Weights, all.Features, all.Targets = nil, nil, nil, nil
	some = &dyngraph.Series{}
	var targets [][]float64
	for k := range observations {
		time := float64(k) / float64(observations)
		row, missing := make([]float64, nodes), slices.Repeat([]float64{math.NaN()}, nodes)
		for u := range row {
			row[u] = (1 + start[2*u]) * math.Exp(-2*time)
		}
		all.Times, all.Weights = append(all.Times, time), append(all.Weights, weights)
		all.Features, all.Targets = append(all.Features, start), append(all.Targets, row)
		if k%3 != 1 {
			missing = row
		}
		targets = append(targets, missing)
	}
	*some = *all
	some.Targets = targets
	return some, all
}

// Networks over a whole series forecast well between the times of their training targets.
func TestForecastsAtTimesWithoutTargets(t *testing.T) {
	const observations = 12
	some, all := decaying(t, observations)
	for name, network := range map[string]sequence.Network{"DCRNN": rivals.DCRNN{Hidden: 8, Layers: 1},
		"ASTGCN": rivals.ASTGCN{Filters: 8}, "STIDGCN": rivals.STIDGCN{Channels: 8, Dropout: -1}} {
		model, err := pengcde.New(xlatest.Go(t), pengcde.Config{Nodes: 6, Features: 2, Network: network,
			Input:     pengcde.Input{Inputs: observations, GraphOnly: true},
			Head:      head.Nodes{At: head.AtEach},
			Execution: pengcde.Execution{Notices: io.Discard}})
		if err != nil {
			t.Fatal(name, err)
		}
		defer model.Close()
		_, err = model.Fit(t.Context(), []dyngraph.Window{some.Whole()}, nil, train.Config{Epochs: 200,
			EvaluateEvery: train.NoValidation, AdamW: train.AdamW{LearningRate: 0.01}})
		if err != nil {
			t.Fatal(name, err)
		}
		y, err := model.Predict(t.Context(), all.Whole(), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		off, size := 0.0, 0.0
		for k := 1; k < observations; k += 3 {
			for u, want := range all.Targets[k] {
				off, size = off+(y.At(k, u, 0)-want)*(y.At(k, u, 0)-want), size+want*want
			}
		}
		if !(off < 0.3*size) { // more than 1 where nothing has trained what forecasts there
			t.Errorf("%s: %.3g of the mean square is left at times without targets, want less than 0.3", name, off/size)
		}
	}
}
