package series

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// beyond is the error from which Dots omits a row, which the table still has, so that the other rows can be told
// apart.
const beyond = 10

// Dots draws the test errors of the random split, with the errors of the single seeds.
func (f *Forecasting) Dots(r *experiments.Report) (*figures.Figure, error) {
	over, _, err := f.interval(Random)
	if err != nil {
		return nil, err
	}
	all, err := f.rows(r.Results, Random)
	if err != nil {
		return nil, err
	}
	var dots []figures.DotRow
	for _, row := range all {
		dot := figures.DotRow{Name: row.Name, Value: figures.Missing(), Style: catalogue.StyleIn(r, row.ID)}
		switch {
		case row.errors == nil:
		case slices.Max(row.errors) > beyond:
			dot.None = "off scale, " + size(stat.Mean(row.errors, nil))
		default:
			dot.Seeds, dot.Value = row.errors, over.Cell(row.errors)
		}
		dots = append(dots, dot)
	}
	if !slices.ContainsFunc(all, func(r row) bool { return r.errors != nil }) {
		return nil, f.incomplete(r, Random)
	}
	return figures.Dots(figures.Axes{Title: "Test error" + f.suffix() + ", random splits: mean and 95% interval over " +
		"seeds",
		X: "mean squared error by " + f.Node}, dots...)
}

// WindowErrors draws the errors of complete rows of a split on each tested window. ids selects the rows; without ids
// it draws the forms of PENG-CDE, the best simple forecast, and of the trained rivals the one with the lowest mean
// error.
func (f *Forecasting) WindowErrors(r *experiments.Report, split Split, ids ...string) (*figures.Figure, error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	c, err := f.comparison(r, split)
	if err != nil {
		return nil, err
	}
	var notes []string
	if len(ids) == 0 {
		ids = c.pictured()
		notes = []string{"Forms of PENG-CDE, the best simple forecast, and the trained rival with the lowest mean " +
			"error; the table has all rows."}
	}
	var lines []figures.Series
	for _, row := range c.rows {
		if !slices.Contains(ids, row.ID) || row.published == nil { // incomplete, or without common windows
			continue
		}
		line := figures.Series{Name: row.Name, Y: row.errors, Style: catalogue.StyleIn(r, row.ID)}
		for _, snapshot := range row.blocks {
			line.X = append(line.X, series.Times[snapshot])
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, f.incomplete(r, split)
	}
	return figures.Lines(figures.Axes{Title: fmt.Sprintf("Error by tested window%s, %s", f.suffix(), split.inTitles()),
		X: f.Time + " of the target", Y: "mean squared error by " + f.Node,
		Start: startOf(series, series.Alignment.Targets.Last), Notes: notes}, lines...)
}

// pictured lists the rows of [Forecasting.WindowErrors] without ids.
func (c comparison) pictured() []string {
	ids := []string{}
	rival, least := "", math.Inf(1)
	for _, row := range c.rows {
		switch {
		case row.variant != standard:
		case slices.Contains(judged, row.ID):
			ids = append(ids, row.ID)
		case !row.Untrained && row.published != nil && stat.Mean(row.errors, nil) < least:
			rival, least = row.ID, stat.Mean(row.errors, nil)
		}
	}
	if c.best != nil {
		ids = append(ids, c.best.ID)
	}
	return append(ids, rival)
}

// Differences draws, for every row of a split, the errors by window minus the errors of the best simple forecast. A
// row that lacks runs is shown as missing.
func (f *Forecasting) Differences(r *experiments.Report, split Split) (*figures.Figure, error) {
	c, err := f.comparison(r, split)
	if err != nil {
		return nil, err
	}
	if c.best == nil {
		return nil, errs.New(experiments.ErrNotStored, "experiments: %s of the simple forecasts, to compare with, is not "+
			"complete", split)
	}
	var dots []figures.DotRow
	some := false
	for _, row := range c.rows {
		if row.ID == c.best.ID {
			continue
		}
		dot := figures.DotRow{Name: row.Name, Value: figures.Missing(), Style: catalogue.StyleIn(r, row.ID)}
		if differences := c.differences(row); len(differences) > 0 {
			dot.Value, dot.Seeds, some = c.over.Cell(differences), differences, true
		}
		dots = append(dots, dot)
	}
	if !some {
		return nil, f.incomplete(r, split)
	}
	return figures.Dots(figures.Axes{Title: fmt.Sprintf("Error minus the error of %q%s, %s: windows, mean and 95%% "+
		"interval", c.best.Name, f.suffix(), split.inTitles()),
		X: "difference of mean squared errors; below 0 is better", Dot: "one window"}, dots...)
}

// incomplete returns the error that no row of a split has all its runs.
func (f *Forecasting) incomplete(r *experiments.Report, split Split) error {
	return errs.New(experiments.ErrNotStored, "experiments: no complete row of %s, %s, in profile %s", f.title(), split,
		r.Profile)
}
