package forecast

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// afterScales are the windows whose inputs reach as far as the steps that scales were taken from: in others the scales may
// tell of the target.
func afterScales(windows []dyngraph.Window, data *table.Data) []dyngraph.Window {
	last, ok := lastScaled(data)
	return slices.DeleteFunc(slices.Clone(windows), func(w dyngraph.Window) bool { return ok && newest(w) < last })
}

// newest is the latest step that a window's inputs show.
func newest(w dyngraph.Window) int { return w.Last() - 1 + max(0, w.Series.Alignment.Features.Last) }

// lastScaled is the last step that scales were taken from: those are of the first TrainFraction of the steps of which
// something is known. The steps that are lags alone count as known if the first target is. It is false without scales.
func lastScaled(data *table.Data) (step int, ok bool) {
	config, s := data.Recipe.Config, data.Series
	if config.Unscaled || !(config.TrainFraction > 0) {
		return 0, false
	}
	var steps []int
	for i, targets := range s.Targets {
		if slices.ContainsFunc(targets, known) {
			steps = append(steps, i+s.Alignment.Targets.Last)
		}
	}
	if len(steps) == 0 {
		return 0, false
	}
	if first := steps[0]; first == s.Alignment.Targets.Last {
		for lag := range first - s.Alignment.Features.First {
			steps = append(steps, first-1-lag)
		}
		slices.Sort(steps)
	}
	const rounding = 1e-9 // as package table has it
	return steps[max(1, int(config.TrainFraction*float64(len(steps))+rounding))-1], true
}
