package paper

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/stats"
)

// interval returns the interval of a split, with the test of differences that counts the same dependence: values are by
// seed for Random, else by tested window in order of time.
func (f *Forecasting) interval(split Split) (experiments.Interval, stats.Test, error) {
	// How many windows train is counted side by side, whatever a row makes of the rest: overlapping ones hold little
	// more.
	splits, err := f.splits(setting{Row: untrained, split: split}, 0)
	if err != nil {
		return experiments.Interval{}, stats.Test{}, err
	}
	switch split {
	case Random:
		tested, training := len(splits[0].Test), len(splits[0].Train)
		test := stats.SharedTraining(float64(tested) / float64(training))
		return experiments.Interval{Of: test.CI, Note: fmt.Sprintf("± is the 95%% interval of a mean over seeds; a seed draws "+
			"the split and the initial parameters. Splits of one series share windows, so the variance of the mean is (1/k + "+
			"%d/%d) s² for k seeds, %d tested and %d training windows (Nadeau and Bengio 2003), with Student's t.",
			tested, training, tested, training)}, test, nil
	case PurgedRotation:
		training := math.MaxInt
		for _, s := range splits {
			training = min(training, len(every(f.window, s.Train)))
		}
		test := stats.SharedTraining(1 / float64(training))
		return experiments.Interval{Of: test.CI, Note: fmt.Sprintf("± is the 95%% interval of a mean over the k = %d tested "+
			"windows. Their runs share training windows, so the variance of the mean is (1/k + 1/%d) s² (Nadeau and Bengio "+
			"2003), with Student's t; %d is the least number of windows, counted side by side, that a tested one leaves for "+
			"training.", len(splits), training, training)}, test, nil
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
	over.Note = fmt.Sprintf("± is the 95%% interval of a mean over the %d tested windows, each a %s after the one "+
		"before. Windows up to %d apart share steps, so the variance is Newey and West's (1987) with lag %d, and the "+
		"quantile Kiefer and Vogelsang's (2005) for so long a lag. So few windows make it too narrow where errors stay "+
		"alike over many of them: a p value a little below 0.05 is a hint, no more.", len(tested), f.Time, lag, lag)
	return over, test, nil
}
