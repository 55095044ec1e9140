package forecast

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// afterScales returns the windows whose inputs reach at least to the last step from which scales were computed. In
// earlier windows the scales may depend on the target.
func afterScales(windows []dyngraph.Window, data *table.Data) []dyngraph.Window {
	last, ok := lastScaled(data)
	return slices.DeleteFunc(slices.Clone(windows), func(w dyngraph.Window) bool { return ok && newest(w) < last })
}

// newest returns the latest step that a window's inputs show.
func newest(w dyngraph.Window) int { return w.Last() - 1 + max(0, w.Series.Alignment.Features.Last) }

// lastScaled returns the last step from which scales were computed: they use the first TrainFraction of the steps
// with known targets. Steps that appear only as lags count as known if the first target is. ok is false without
// scales.
func lastScaled(data *table.Data) (step int, ok bool) {
	config, s := data.Recipe.Config, data.Series
	if config.Unscaled || !(config.TrainFraction > 0) {
		return 0, false
	}
	var steps []int
	for i, targets := range s.Targets {
		for k := range s.TargetSteps() {
			if slices.ContainsFunc(s.AtStep(targets, k), known) {
				steps = append(steps, i+s.Alignment.Targets.First+k)
			}
		}
	}
	if len(steps) == 0 {
		return 0, false
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	if first := steps[0]; first == s.Alignment.Targets.First {
		for lag := range first - s.Alignment.Features.First {
			steps = append(steps, first-1-lag)
		}
		slices.Sort(steps)
	}
	const rounding = 1e-9 // as in package table
	return steps[max(1, int(config.TrainFraction*float64(len(steps))+rounding))-1], true
}
