package series

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// partNames are the names of a split's parts in order of time.
var partNames = []string{"validation", "test"}

// measure forecasts windows in order of time, and stores the forecasts and the mean errors: by node, and with a star
// the published measure, see [train.BroadcastMSE].
func measure(ctx context.Context, facts *experiments.Facts, learner experiments.Learner, part string,
	windows []dyngraph.Window) error {
	windows = slices.SortedFunc(slices.Values(windows),
		func(a, b dyngraph.Window) int { return cmp.Compare(a.Last(), b.Last()) })
	var snapshots, errors []float64
	var forecasts [][]float64
	for _, w := range windows {
		y, err := learner.Forecast(ctx, []dyngraph.Window{w})
		if err != nil {
			return err
		}
		perNode, published, err := errorsOf(y[0], w.Target())
		if err != nil {
			return err
		}
		if sum := perNode + published; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("experiments: error of the forecast for snapshot %d is %g: %w", w.Last(), sum,
				train.ErrNotFinite)
		}
		facts.Scores[part] += perNode / float64(len(windows))
		facts.Scores[part+"*"] += published / float64(len(windows))
		snapshots, errors = append(snapshots, float64(w.Last())), append(errors, perNode)
		forecasts = append(forecasts, y[0])
	}
	if len(windows) > 0 {
		facts.Arrays[part+" snapshots"], facts.Arrays[part+" errors"] = [][]float64{snapshots}, [][]float64{errors}
		facts.Arrays[part+" forecasts"] = forecasts
	}
	return nil
}
