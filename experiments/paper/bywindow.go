package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ByWindow are the test errors of one row on every tested window of a split whose test windows no seed changes.
type ByWindow struct {
	Setting Setting
	// Snapshots are those whose targets were forecast, in order.
	Snapshots []int
	// Single are the mean squared errors by window, means over seeds; Ensemble those of the mean forecast of all seeds, and
	// Published its published measure.
	Single, Ensemble, Published []float64
	Seeds                       int
}

// byWindow returns what a row's runs gave; nil for a random split, and unless all runs are there and none diverged.
func (r *Row) byWindow(series *dyngraph.Series) (*ByWindow, error) {
	if r.Setting.Split == Random || len(r.Runs) == 0 || r.gap() != "" {
		return nil, nil
	}
	tests, seeds := make(map[int][]Target), make(map[uint64]bool)
	for _, run := range r.Runs {
		seeds[run.Seed] = true
		for _, target := range run.Targets {
			if target.Part == "test" {
				tests[target.Snapshot] = append(tests[target.Snapshot], target)
			}
		}
	}
	out := &ByWindow{Setting: r.Setting, Seeds: len(seeds)}
	for snapshot := range tests {
		out.Snapshots = append(out.Snapshots, snapshot)
	}
	slices.Sort(out.Snapshots)
	for _, snapshot := range out.Snapshots {
		targets := tests[snapshot]
		if len(targets) != out.Seeds || len(targets[0].Forecast) != len(series.Targets[snapshot]) {
			return nil, fmt.Errorf("experiments: %s: %d forecasts of %d values for snapshot %d, want %d of %d: %w",
				r.Setting.Name, len(targets), len(targets[0].Forecast), snapshot, out.Seeds,
				len(series.Targets[snapshot]), ErrStore)
		}
		mean, single := make([]float64, len(targets[0].Forecast)), 0.0
		for _, t := range targets {
			for i, y := range t.Forecast {
				mean[i] += y / float64(len(targets))
			}
			single += t.PerNode / float64(len(targets))
		}
		ensemble, err := train.MSE(mean, series.Targets[snapshot])
		if err != nil {
			return nil, err
		}
		published, err := train.BroadcastMSE(mean, series.Targets[snapshot])
		if err != nil {
			return nil, err
		}
		out.Single, out.Ensemble = append(out.Single, single), append(out.Ensemble, ensemble)
		out.Published = append(out.Published, published)
	}
	return out, nil
}

// ByWindow returns the errors of every row of the split that is complete.
func (r *ForecastingResults) ByWindow(series *dyngraph.Series, split Split) ([]ByWindow, error) {
	var all []ByWindow
	for i := range r.Rows {
		if r.Rows[i].Setting.Split != split {
			continue
		}
		row, err := r.Rows[i].byWindow(series)
		if err != nil {
			return nil, err
		}
		if row != nil {
			all = append(all, *row)
		}
	}
	return all, nil
}

// testErrors are what the rows of a split are compared by: for a random split the test error of each seed, else that of the
// mean forecast on each tested window. Nil for a row without numbers.
type testErrors map[int]float64

func (r *Row) testErrors(series *dyngraph.Series) (testErrors, error) {
	if len(r.Runs) == 0 || r.gap() != "" {
		return nil, nil
	}
	errors := make(testErrors)
	if r.Setting.Split == Random {
		for _, run := range r.Runs {
			errors[int(run.Seed)] = run.Test.PerNode
		}
		return errors, nil
	}
	row, err := r.byWindow(series)
	if err != nil {
		return nil, err
	}
	for i, snapshot := range row.Snapshots {
		errors[snapshot] = row.Ensemble[i]
	}
	return errors, nil
}

func (e testErrors) mean() float64 {
	sum := 0.0
	for _, v := range e {
		sum += v
	}
	return sum / float64(len(e))
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
	setting Setting
	errors  testErrors
}

// bestSimple finds it among all rows that the experiment has, whichever were asked for; nil while any is missing.
func (r *ForecastingResults) bestSimple(series *dyngraph.Series, split Split) (*simple, error) {
	all, err := r.Experiment.Stored(Options{Profile: r.Profile, Splits: []Split{split}})
	if err != nil {
		return nil, err
	}
	var rows []*simple
	for i := range all.Rows {
		row := &all.Rows[i]
		if row.Setting.Model != nil {
			continue
		}
		errors, err := row.testErrors(series)
		if err != nil || errors == nil {
			return nil, err
		}
		rows = append(rows, &simple{row.Setting, errors})
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return slices.MinFunc(rows, func(a, b *simple) int { return cmp.Compare(a.errors.mean(), b.errors.mean()) }), nil
}

// differences are a row's errors minus those of the best simple forecast; nil for that row itself, and where either has none.
func (r *Row) differences(series *dyngraph.Series, best *simple) ([]float64, error) {
	if best == nil || best.setting.ID == r.Setting.ID {
		return nil, nil
	}
	errors, err := r.testErrors(series)
	if err != nil || errors == nil {
		return nil, err
	}
	return errors.minus(best.errors), nil
}

// verdict says in words how the models of a split do against its best simple forecast; "" while either is missing.
func (r *ForecastingResults) verdict(series *dyngraph.Series, split Split, best *simple, i interval) (string, error) {
	if best == nil {
		return "", nil
	}
	var worse, better string
	add := func(list *string, text string) {
		if *list != "" {
			*list += ", "
		}
		*list += text
	}
	for k := range r.Rows {
		row := &r.Rows[k]
		if row.Setting.Split != split || row.Setting.Model == nil {
			continue
		}
		differences, err := row.differences(series, best)
		if err != nil {
			return "", err
		}
		if len(differences) == 0 {
			continue
		}
		mean, half := i.of(differences)
		text := fmt.Sprintf("%s (by %.3f", row.Setting.Name, math.Abs(mean))
		switch {
		case math.IsInf(half, 0) || math.IsNaN(half):
			text += ")"
		case math.Abs(mean) > half:
			text += ", an interval without 0)"
		default:
			text += ", an interval that holds 0)"
		}
		if mean < 0 {
			add(&better, text)
		} else {
			add(&worse, text)
		}
	}
	if worse == "" && better == "" {
		return "", nil
	}
	text := fmt.Sprintf("The best simple forecast here is %q.", best.setting.Name)
	if worse != "" {
		text += " Worse than it: " + worse + "."
	}
	if better != "" {
		text += " Better than it: " + better + "."
	}
	return text, nil
}
