package series

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/stats"
)

// interval returns the interval of a split, with the test of differences that accounts for the same dependence:
// values are by seed for Random, otherwise by tested window in order of time.
func (f *Forecasting) interval(split Split) (experiments.Interval, stats.Test, error) {
	// Training windows are counted without overlap, whatever a row makes of the rest: overlapping ones hold little
	// more.
	splits, err := f.splits(setting{Row: untrained, split: split}, 0)
	if err != nil {
		return experiments.Interval{}, stats.Test{}, err
	}
	switch split {
	case Random:
		tested, training := len(splits[0].Test), len(splits[0].Train)
		test := stats.SharedTraining(float64(tested) / float64(training))
		return experiments.Interval{Of: test.CI, Note: fmt.Sprintf(prose.Text("interval of seeds"),
			tested, training, tested, training)}, test, nil
	case PurgedRotation:
		training := math.MaxInt
		for _, s := range splits {
			training = min(training, len(every(f.window, s.Train)))
		}
		test := stats.SharedTraining(1 / float64(training))
		return experiments.Interval{Of: test.CI, Note: fmt.Sprintf(prose.Text("interval of windows"), len(splits), training,
			training)}, test, nil
	}
	var tested []dyngraph.Window
	for _, s := range splits {
		tested = append(tested, s.Test...)
	}
	lag := baseline.Lag(tested)
	test := stats.Overlapping(lag)
	over := experiments.Interval{Of: test.CI}
	if lag >= len(tested) {
		over.Note = fmt.Sprintf("Means are over %d tested windows, each a %s after the one before. All share steps with "+
			"each other (a window touches %d), so they allow no interval.", len(tested), f.Time, lag+1)
		return over, test, nil
	}
	over.Note = fmt.Sprintf(prose.Text("interval of origins"), len(tested), f.Time, lag, lag)
	return over, test, nil
}
