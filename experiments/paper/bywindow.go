package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// row are the results of a setting on a split.
type row struct {
	setting
	experiments.Results
}

// rows are those of a split.
func rows(results experiments.Results, split Split) (all []row) {
	results = results.Where("split", string(split))
	for _, id := range results.Values("model") {
		some := results.Where("model", id)
		all = append(all, row{some[0].Spec.(setting), some})
	}
	return all
}

// byWindow are the test errors of a row on every tested window of a split whose test windows no seed changes.
type byWindow struct {
	row
	// snapshots are those whose targets were forecast, in order.
	snapshots []int
	// single are the mean squared errors by window, means over seeds; ensemble those of the mean forecast of all seeds,
	// and published its published measure.
	single, ensemble, published []float64
	seeds                       int
}

// byWindow returns what a row's runs gave; nil for a random split, and unless all runs are there and none diverged.
func (r row) byWindow(series *dyngraph.Series) (*byWindow, error) {
	if r.split == Random || len(r.Results) == 0 || r.Gap() != "" {
		return nil, nil
	}
	out := &byWindow{row: r}
	single, forecasts, seeds := make(map[int]float64), make(map[int][][]float64), make(map[uint64]bool)
	for _, result := range r.Results {
		seeds[result.Seed] = true
	}
	out.seeds = len(seeds)
	for _, result := range r.Results {
		arrays := result.Facts().Arrays
		for k, snapshot := range arrays["test snapshots"][0] {
			single[int(snapshot)] += arrays["test errors"][0][k] / float64(out.seeds)
			forecasts[int(snapshot)] = append(forecasts[int(snapshot)], arrays["test forecasts"][k])
		}
	}
	for snapshot := range single {
		out.snapshots = append(out.snapshots, snapshot)
	}
	slices.Sort(out.snapshots)
	for _, snapshot := range out.snapshots {
		all, truth := forecasts[snapshot], series.Targets[snapshot]
		if len(all) != out.seeds || len(all[0]) != len(truth) {
			return nil, fmt.Errorf("experiments: %s: %d forecasts of %d values for snapshot %d, want %d of %d: %w",
				r.Name, len(all), len(all[0]), snapshot, out.seeds, len(truth), experiments.ErrStore)
		}
		mean := make([]float64, len(truth))
		for _, y := range all {
			floats.AddScaled(mean, 1/float64(len(all)), y)
		}
		ensemble, err := train.MSE(mean, truth)
		if err != nil {
			return nil, err
		}
		published, err := train.BroadcastMSE(mean, truth)
		if err != nil {
			return nil, err
		}
		out.single, out.ensemble = append(out.single, single[snapshot]), append(out.ensemble, ensemble)
		out.published = append(out.published, published)
	}
	return out, nil
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
