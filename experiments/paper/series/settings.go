package series

import (
	"cmp"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// setting is a model on a split: a row of a table of a [Forecasting].
type setting struct {
	experiments.Row
	// base is the ID of the model of which the row is a variant; "" if the row is the model itself.
	base    string
	title   string // the name of that model
	variant variant
	// matrix names the matrix of the control path, as in tables; "" for a model without a graph.
	matrix string
	split  Split
	study  *Forecasting
	// overlapping trains on overlapping windows, shuffled by the seed; for Random, on all windows that share no
	// snapshot with a validation or test window. In other splits the training windows of all rows overlap.
	overlapping bool
	// stride keeps the overlapping windows that start at its multiples; 0 means 1.
	stride int
	// retrainEvery is, for RollingOrigin, the number of origins that are forecast after each training; 0 means 1.
	retrainEvery int
	// seeds is the number of runs; for rotations and rolling origins, the number of runs for each part.
	seeds int
}

// variant distinguishes the rows of one model.
type variant string

const (
	standard    variant = "" // with the published hyperparameters
	tuned       variant = "tuned"
	asPublished variant = "as published" // with the defects of the published code too
)

// model returns the ID of the row's model.
func (s setting) model() string { return cmp.Or(s.base, s.ID) }

// named returns the name of the row's model.
func (s setting) named() string { return cmp.Or(s.title, s.Name) }

// network returns the setting of a configuration of package pengcde.
func network(id, name string, config pengcde.Config, training train.Config) setting {
	s := setting{Row: experiments.NetworkRow(id, name, config, training)}
	if config.Field != (field.Constant{}) {
		s.matrix = string(cmp.Or(config.Normalise, dyngraph.NormalisedLaplacian))
	}
	return s
}

// stopsEarly reports whether training looks at validation windows.
func (s setting) stopsEarly() bool { return !s.Untrained && s.Train.EvaluateEvery >= 0 }

// counts returns the seeds of every split.
func counts(random, rotation, origins int) map[Split]int {
	return map[Split]int{Random: random, PurgedRotation: rotation, RollingOrigin: origins}
}

// on returns the setting with each split that has seeds.
func (s setting) on(seeds map[Split]int) []setting {
	var all []setting
	for _, split := range allSplits {
		if seeds[split] == 0 {
			continue
		}
		row := s
		row.split, row.seeds = split, seeds[split]
		if split != RollingOrigin {
			row.retrainEvery = 0
		}
		all = append(all, row)
	}
	return all
}

// heuristics returns the forecasts that need no training, with the number of seeds of every split; on random splits
// they have as many seeds as the models. Fitted forecasts see all windows that a model may see.
func heuristics(seeds map[Split]int) []setting {
	var all []setting
	for _, h := range baseline.Heuristics() {
		id := strings.NewReplacer(", ", "-", " ", "-").Replace(experiments.StoredName(h))
		s := setting{Row: experiments.BaselineRow(id, h), overlapping: true}
		s.Note = heuristicNotes[id]
		all = append(all, s.on(seeds)...)
	}
	return all
}

// unfitted lists the heuristics that see no training windows.
var unfitted = []string{"zero", "last-visible", "recent-mean"}

var heuristicNotes = map[string]string{
	"ridge": "ridge: linear regression, the same for all nodes, on the visible values of the node, their means over " +
		"nodes and a constant, with penalty 0.01 for each row; it sees no graph and is fitted anew for every tested window.",
	"ridge-with-neighbours": "ridge with neighbours: also sees the means of the visible values of a node's neighbours, " +
		"of edges in and of edges out, by the weights of the newest visible graph. What it gains on ridge is " +
		"what the graph is worth to a linear model.",
	"ridge-chosen-penalty": "ridge, chosen penalty: the penalty with the least error on validation windows, without any " +
		"on the latest quarter of the training windows; never on tested ones.",
}

// residual returns a configuration found by trials on the windows of the leaky rotation. It has a single layer of 8
// features whose readout gives the deviation from a node's recent mean, and is trained for a fixed number of epochs
// in batches on all windows that the split allows. The following was tried without success: validation on one window,
// which stops at random epochs; the Laplacian as control, whose sums vanish, so that maps which take sums see
// nothing; steps on single windows in order of time; weight decay up to 4.
func residual(config pengcde.Config, step float64, training train.Config) setting {
	config.Hidden, config.Layers, config.Step = 8, 1, step
	config.Normalise, config.Head = dyngraph.NormalisedAdjacency, head.Nodes{Residual: true}
	training.EvaluateEvery = -1
	training.AdamW.WeightDecay = 1e-3
	s := network("residual", "PENG-CDE residual", config, training)
	s.overlapping = true
	s.Note = prose.Text("residual")
	return s
}

// untrained is a row that looks at no validation windows.
var untrained = experiments.Row{Untrained: true}
