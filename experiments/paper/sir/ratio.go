package sir

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// sirThreshold is midway between the recovery rates of the classes, 0.7 and 0.3.
const sirThreshold = 0.5

var ratioNote = prose.Text("ratio")

// RemovedRatio classifies epidemics by their recovery rate, without learning. An epidemic belongs to class 0 if its
// [synthetic.RemovedRatio] is above Threshold.
type RemovedRatio struct {
	Threshold float64 `json:"Threshold"`
}

func (RemovedRatio) Name() string { return "Removed ratio" }

func (RemovedRatio) Fit(_, _ []dyngraph.Window) error { return nil }

// Forecast returns a score for each class: how far the ratio is above the threshold, and below it.
func (c RemovedRatio) Forecast(w dyngraph.Window) ([]float64, error) {
	if w.Series.FeatureSize != 3 {
		return nil, errs.New(synthetic.ErrTrajectory, "experiments: removed ratio of %d features a node, want S, I and R",
			w.Series.FeatureSize)
	}
	ratio, err := synthetic.RemovedRatio(w.InputTimes(), w.Series.Features[w.Start:w.Start+w.Inputs()])
	if err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	return []float64{ratio - c.Threshold, c.Threshold - ratio}, nil
}
