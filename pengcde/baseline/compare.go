package baseline

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Compare fits forecasters without a trained network and tests each on the windows split.Test. The windows may be of
// any series with targets. An error of a forecaster that wraps ErrInput, for example because there is no LastObserved,
// becomes its Score.Err; any other ends Compare. Without arguments the forecasters are [Heuristics].
//
//	scores, err := baseline.Compare(ctx, split)
//	best, _ := baseline.Best(scores)
//
// [NewScore] turns the forecasts of a model on the same windows into a [Score], and [Score.Minus] compares two scores
// in pairs.
func Compare(ctx context.Context, split dyngraph.Split, forecasters ...Forecaster) ([]Score, error) {
	if len(split.Train) == 0 || len(split.Test) == 0 {
		return nil, invalid("a split with %d windows for training and %d for testing, want at least one each",
			len(split.Train), len(split.Test))
	}
	observed := false
	for _, w := range split.Test {
		if err := checkTested("a comparison", w, split.Test[0]); err != nil {
			return nil, err
		}
		observed = observed || slices.ContainsFunc(w.Target(), func(y float64) bool { return !math.IsNaN(y) })
	}
	if !observed {
		return nil, invalid("no target of %d tested windows is observed, want one at least", len(split.Test))
	}
	if len(forecasters) == 0 {
		forecasters = Heuristics()
	}
	var scores []Score
	for _, f := range forecasters {
		score, err := test(ctx, f, split)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrInput):
			score = Score{Name: f.Name(), Err: err}
		case err != nil:
			return nil, err
		}
		scores = append(scores, score)
	}
	return scores, nil
}

// test fits a forecaster and returns its score.
func test(ctx context.Context, f Forecaster, split dyngraph.Split) (Score, error) {
	if err := f.Fit(split.Train, split.Validation); err != nil {
		return Score{}, err
	}
	forecasts := make([][]float64, len(split.Test))
	for i, w := range split.Test {
		if err := ctx.Err(); err != nil {
			return Score{}, err
		}
		var err error
		if forecasts[i], err = f.Forecast(w); err != nil {
			return Score{}, err
		}
	}
	return NewScore(f.Name(), split.Test, forecasts)
}
