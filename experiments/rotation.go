package experiments

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Rotated are the errors of one row on every window of a rotation, each tested by a run that did not train on it.
type Rotated struct {
	Setting Setting
	// Snapshots are those whose targets were forecast, in order.
	Snapshots []int
	// Single are the mean squared errors by window, means over seeds; Ensemble those of the mean forecast of all seeds, and
	// Published its published measure.
	Single, Ensemble, Published []float64
	Seeds                       int
}

// Rotated returns what a row's runs of a rotation gave; nil unless all are there and none diverged.
func (r *Row) rotated(series *dyngraph.Series) (*Rotated, error) {
	if r.Setting.Deal != Rotation || r.gap() != "" {
		return nil, nil
	}
	tests := make(map[int][]Target)
	for _, run := range r.Runs {
		for _, target := range run.Targets {
			if target.Part == "test" {
				tests[target.Snapshot] = append(tests[target.Snapshot], target)
			}
		}
	}
	out := &Rotated{Setting: r.Setting}
	for snapshot := range tests {
		out.Snapshots = append(out.Snapshots, snapshot)
	}
	slices.Sort(out.Snapshots)
	out.Seeds = r.Planned / max(1, len(out.Snapshots))
	for _, snapshot := range out.Snapshots {
		targets := tests[snapshot]
		if len(targets) != out.Seeds || len(targets[0].Forecast) != len(series.Targets[snapshot]) {
			return nil, fmt.Errorf("experiments: %s: %d forecasts of %d values for snapshot %d, want %d of %d: %w",
				r.Setting.Name, len(targets), len(targets[0].Forecast), snapshot, out.Seeds, len(series.Targets[snapshot]), ErrStore)
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
		out.Single, out.Ensemble, out.Published = append(out.Single, single), append(out.Ensemble, ensemble), append(out.Published, published)
	}
	return out, nil
}

// Rotated returns the errors by window of every row of the rotation that is complete.
func (r *ForecastingResults) Rotated(series *dyngraph.Series) ([]Rotated, error) {
	var all []Rotated
	for i := range r.Rows {
		rotated, err := r.Rows[i].rotated(series)
		if err != nil {
			return nil, err
		}
		if rotated != nil {
			all = append(all, *rotated)
		}
	}
	return all, nil
}

// bestHeuristic is the forecast without a model that has the lowest error over all windows; nil while any of them is missing,
// whichever rows were asked for.
func (r *ForecastingResults) bestHeuristic(series *dyngraph.Series) (*Rotated, error) {
	all, err := r.Experiment.Stored(Options{Profile: r.Profile})
	if err != nil {
		return nil, err
	}
	mean := func(r *Rotated) float64 { m, _ := train.MeanCI(r.Ensemble); return m }
	var simple []*Rotated
	for i := range all.Rows {
		if s := all.Rows[i].Setting; s.Deal != Rotation || s.Model != nil {
			continue
		}
		rotated, err := all.Rows[i].rotated(series)
		if err != nil || rotated == nil {
			return nil, err
		}
		simple = append(simple, rotated)
	}
	if len(simple) == 0 {
		return nil, nil
	}
	return slices.MinFunc(simple, func(a, b *Rotated) int { return cmp.Compare(mean(a), mean(b)) }), nil
}

// Differences are the errors by window of the mean forecast less those of another's on the same windows.
func (r Rotated) Differences(from Rotated) []float64 {
	differences := make([]float64, len(r.Ensemble))
	for i := range differences {
		differences[i] = r.Ensemble[i] - from.Ensemble[i]
	}
	return differences
}
