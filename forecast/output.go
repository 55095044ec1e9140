package forecast

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// output is one number that a model forecasts for each node: a target at a step. Both count from 0.
type output struct{ step, target int }

// of returns the output's entries of a row of targets or of a forecast of one, by node.
func (o output) of(s *dyngraph.Series, row []float64) []float64 {
	return column(s.AtStep(row, o.step), o.target, s.Quantities())
}

// column returns every size-th value, from an index on.
func column(row []float64, first, size int) (values []float64) {
	if size == 1 {
		return row
	}
	for at := first; at < len(row); at += size {
		values = append(values, row[at])
	}
	return values
}

// part is a series with a part of the targets, for scores of their forecasts alone.
type part struct {
	series *dyngraph.Series
	of     func(row []float64) []float64
	output
}

// steps returns the parts of a series by step, with all targets.
func steps(s *dyngraph.Series) (all []part) {
	for k := range s.TargetSteps() {
		all = append(all, part{s.OfStep(k), func(row []float64) []float64 { return s.AtStep(row, k) }, output{step: k}})
	}
	return all
}

// outputs returns the parts of a series by step and target.
func outputs(s *dyngraph.Series) (all []part) {
	for _, step := range steps(s) {
		for target := range s.Quantities() {
			o := output{step.step, target}
			all = append(all, part{ofTarget(step.series, target), func(row []float64) []float64 { return o.of(s, row) }, o})
		}
	}
	return all
}

// ofTarget returns a series of one step with one of its targets. Its features are not lags of that target alone.
func ofTarget(s *dyngraph.Series, target int) *dyngraph.Series {
	size := s.TargetSize
	if size == 1 {
		return s
	}
	one := *s
	one.TargetSize, one.Lagged = 1, false
	for _, rows := range []*[][]float64{&one.Targets, &one.LastObserved, &one.RecentMean} {
		all := *rows
		*rows = nil
		for _, row := range all {
			*rows = append(*rows, column(row, target, size))
		}
	}
	one.Scales = slices.Clone(s.Scales)
	for i, scale := range s.Scales {
		if scale.Targets == size {
			scale.Targets, scale.Mean, scale.Std = 1, column(scale.Mean, target, size), column(scale.Std, target, size)
		}
		one.Scales[i] = scale
	}
	return &one
}

// split returns the scores of a forecast for each part of the targets.
func split(s baseline.Score, parts []part) (all []baseline.Score, err error) {
	if len(parts) == 1 || s.Err != nil {
		return slices.Repeat([]baseline.Score{s}, len(parts)), nil
	}
	for _, p := range parts {
		var forecasts [][]float64
		for _, forecast := range s.Forecasts {
			forecasts = append(forecasts, p.of(forecast))
		}
		score, err := baseline.NewScore(s.Name, on(p.series, s.Windows), forecasts)
		if err != nil {
			return nil, err
		}
		all = append(all, score)
	}
	return all, nil
}
