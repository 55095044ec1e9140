package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// finished returns the runs of a model in a world that did not diverge, at least one. The error wraps
// [experiments.ErrInput] if several worlds have the dynamics on the family.
func finished(r *experiments.Report, dynamics, family, model string) (experiments.Results, error) {
	results := r.Results.Where("dynamics", dynamics).Where("family", family).Where("model", model).Finished()
	if len(results) == 0 {
		return nil, catalogue.NoRuns(model, dynamics, family)
	}
	if kappas := results.Values(kappaKey); len(kappas) > 1 {
		return nil, errs.New(experiments.ErrInput, "experiments: %s on %s graphs with %s %s, want one world: take a report "+
			"with one of them in Options.Only", dynamics, family, kappaKey, strings.Join(kappas, ", "))
	}
	return results, nil
}

// LossOverTime draws the test error of models over simulation time: the mean over test graphs and seeds, with the
// lowest and the highest as a band for at most four models. Times differ between graphs, but the events of a seed
// have the same indices among them. The errors at the k-th times are therefore drawn at the mean of these times.
// Events of the first seed and the end of the training times are marked. Models without runs are left out; no models
// means all trained ones, if there are any.
func (w Worlds) LossOverTime(r *experiments.Report, dynamics, family string, models ...string) (*figures.Figure,
	error) {
	axes := figures.Axes{Title: fmt.Sprintf("Test error over time: %s, %s graphs", dynamics, family), X: "simulation time",
		Y: "mean squared error", LogY: true}
	if len(models) == 0 {
		models, axes.Notes = drawn(r, r.Results.Where("dynamics", dynamics).Where("family", family))
		if models == nil {
			models, axes.Notes = r.Models(), nil
		}
	}
	var lines []figures.Series
	var shown []string
	for _, id := range models {
		results, err := finished(r, dynamics, family, id)
		if errors.Is(err, experiments.ErrNotStored) {
			continue
		} else if err != nil {
			return nil, err
		}
		var times, errors, trained [][]float64
		for _, result := range results {
			arrays := result.Facts().Arrays
			times, trained = append(times, arrays["times"]...), append(trained, arrays["trained until"]...)
			for _, e := range arrays["errors"] {
				errors = append(errors, figures.Positive(e))
			}
		}
		spread, err := figures.Spread(results[0].Model.Name, meanRow(times), errors)
		if err != nil {
			return nil, err
		}
		spread.Name, spread.Band = results[0].Model.Name, "lowest to highest"
		all := r.Results.Where("dynamics", dynamics).Where("family", family).Where("model", id)
		if len(results) < len(all) { // others may be over more worlds
			spread.Name += fmt.Sprintf(" (%d of %d seeds)", len(results), len(all))
		}
		spread.Style = catalogue.StyleIn(r, id)
		lines, shown = append(lines, spread), append(shown, id)
		if len(lines) == 1 {
			axes.Marks = marks(results[0].Seed, results[0].Facts().Arrays["events"], trained)
		}
	}
	if len(lines) == 0 {
		return nil, catalogue.NoRuns(fmt.Sprint(models), dynamics, family)
	}
	for i, id := range shown {
		if !slices.Contains(banded(shown), id) {
			lines[i].Lower, lines[i].Upper = nil, nil
		}
	}
	return figures.Lines(axes, lines...)
}

// banded returns the models that have a band: four, since more cover each other.
func banded(models []string) []string {
	first := []string{"recommended", "peng", "original", "gn-ode", "adjacency"}
	rank := func(id string) int { return (slices.Index(first, id) + len(first) + 1) % (len(first) + 1) }
	models = slices.SortedStableFunc(slices.Values(models), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return models[:min(4, len(models))]
}

// meanRow returns the mean of rows, entry by entry.
func meanRow(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		floats.AddScaled(mean, 1/float64(len(rows)), row)
	}
	return mean
}

// marks returns the events of a seed's graphs, and the last time of training of all graphs.
func marks(seed uint64, events, trained [][]float64) []figures.Mark {
	var all []figures.Mark
	for _, at := range meanRow(events) {
		all = append(all, figures.Mark{Name: fmt.Sprintf("changes (seed %d)", seed), X: at})
	}
	return append(all, figures.Mark{Name: "end of training", X: stat.Mean(slices.Concat(trained...), nil), Bold: true})
}
