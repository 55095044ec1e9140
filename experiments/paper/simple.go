package paper

import (
	"cmp"
	"maps"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"gonum.org/v1/gonum/stat"
)

// comparison is what the rows of one split are compared by.
type comparison struct {
	*experiments.Report
	split  Split
	rows   []row
	series *dyngraph.Series
	over   experiments.Interval
	best   *simple // nil while simple forecasts are missing
}

func (f *Forecasting) comparison(r *experiments.Report, split Split) (c comparison, err error) {
	c = comparison{Report: r, split: split, rows: rows(r.Results, split)}
	if c.series, err = f.series(); err != nil {
		return c, err
	}
	if c.over, err = f.interval(split); err != nil {
		return c, err
	}
	c.best, err = f.bestSimple(r, split)
	return c, err
}

// differences are a row's errors minus those of the best simple forecast; nil for that row itself, and where either
// has none.
func (c comparison) differences(r row) ([]float64, error) {
	if c.best == nil || c.best.ID == r.ID {
		return nil, nil
	}
	errors, err := r.testErrors(c.series)
	if err != nil || errors == nil {
		return nil, err
	}
	return errors.minus(c.best.errors), nil
}

// testErrors are what the rows of a split are compared by: for a random split the test error of each seed, else that
// of the mean forecast on each tested window. Nil for a row without numbers.
type testErrors map[int]float64

func (r row) testErrors(series *dyngraph.Series) (testErrors, error) {
	if len(r.Results) == 0 || r.Gap() != "" {
		return nil, nil
	}
	errors := make(testErrors)
	if r.split == Random {
		for i, score := range r.Scores("test") {
			errors[int(r.Results[i].Seed)] = score
		}
		return errors, nil
	}
	windows, err := r.byWindow(series)
	if err != nil {
		return nil, err
	}
	for i, snapshot := range windows.snapshots {
		errors[snapshot] = windows.ensemble[i]
	}
	return errors, nil
}

// minus are the differences from other where both have an error, by seed or in order of time.
func (e testErrors) minus(other testErrors) []float64 {
	var keys []int
	for key := range e {
		if _, both := other[key]; both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	differences := make([]float64, len(keys))
	for i, key := range keys {
		differences[i] = e[key] - other[key]
	}
	return differences
}

// simple is the forecast without a trained network that has the lowest test error of a split.
type simple struct {
	row
	errors testErrors
}

func (s *simple) mean() float64 {
	var values []float64
	for _, key := range slices.Sorted(maps.Keys(s.errors)) {
		values = append(values, s.errors[key])
	}
	return stat.Mean(values, nil)
}

// bestSimple finds it among all rows of the profile, whichever were asked for; nil while any is missing.
func (f *Forecasting) bestSimple(r *experiments.Report, split Split) (*simple, error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	var all []*simple
	for _, row := range rows(r.All, split) {
		if !row.Untrained {
			continue
		}
		errors, err := row.testErrors(series)
		if err != nil || errors == nil {
			return nil, err
		}
		all = append(all, &simple{row, errors})
	}
	if len(all) == 0 {
		return nil, nil
	}
	return slices.MinFunc(all, func(a, b *simple) int { return cmp.Compare(a.mean(), b.mean()) }), nil
}
