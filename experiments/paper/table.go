package paper

import (
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// show are the tables of all splits that have runs, in order.
func (f *Forecasting) show(r *experiments.Report) ([]figures.Item, error) {
	var items []figures.Item
	for _, split := range allSplits {
		if !slices.Contains(r.Results.Values("split"), string(split)) {
			continue
		}
		t, err := f.Table(r, split)
		if err != nil {
			return nil, err
		}
		items = append(items, t)
	}
	return items, nil
}

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

// Table is that of one split, with the difference of each row from the best simple forecast. A row has numbers when
// all its runs are there and none diverged, else it says what is missing.
func (f *Forecasting) Table(r *experiments.Report, split Split) (*figures.Table, error) {
	c, err := f.comparison(r, split)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: fmt.Sprintf("%s, %s", f.Name, split.title()),
		Columns: []figures.Column{{Title: "model"}, {Title: "control"}, {Title: "size"}}}
	test := []figures.Column{{Title: "test", Better: figures.Lower, Decimals: 3},
		{Title: "minus best simple", Decimals: 3}}
	cells := c.windowCells
	if split == Random {
		cells = c.seedCells
		t.Columns = slices.Concat(t.Columns,
			[]figures.Column{{Title: "validation", Better: figures.Lower, Decimals: 3}}, test,
			[]figures.Column{{Title: "validation*", Decimals: 3}, {Title: "test*", Decimals: 3}})
		t.Notes = []string{"Mean squared error, mean over seeds (their number in brackets)."}
	} else {
		t.Columns = slices.Concat(t.Columns, []figures.Column{{Title: "single"}}, test,
			[]figures.Column{{Title: "test*", Decimals: 3}})
		t.Notes = []string{"test: mean squared error of the mean forecast of all seeds (their number in brackets), mean " +
			"over the tested windows; single: that of one seed."}
	}
	t.Columns = append(t.Columns, experiments.CostColumns()...)
	for _, row := range c.rows {
		line, err := cells(row)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, append(line, row.Cost()...))
	}
	if split == Random {
		validation, test := f.published[0], f.published[1]
		t.Rows = append(t.Rows, []figures.Cell{figures.Text("PENG-CDE, the paper (10)"), figures.Text("raw"),
			figures.Missing(), figures.Missing(), figures.Missing(), figures.Missing(),
			figures.Estimate(validation[0], validation[1]), figures.Estimate(test[0], test[1])})
	}
	notes, err := f.notes(c)
	t.Notes = append(t.Notes, notes...)
	return t, err
}

// seedCells are those of a row of the random split.
func (c comparison) seedCells(r row) ([]figures.Cell, error) {
	difference, err := c.difference(r)
	if err != nil {
		return nil, err
	}
	cell := func(score string) figures.Cell {
		if gap := r.Gap(); gap == "" && !slices.ContainsFunc(r.Results, func(result experiments.Result) bool {
			_, has := result.Facts().Scores[score]
			return has
		}) {
			return experiments.None()
		}
		return r.Cell(score, c.over)
	}
	return append(r.head(len(r.Results)),
		cell("validation"), cell("test"), difference, cell("validation*"), cell("test*")), nil
}

// windowCells are those of a row of a split whose tested windows no seed changes.
func (c comparison) windowCells(r row) ([]figures.Cell, error) {
	windows, err := r.byWindow(c.series)
	if err != nil {
		return nil, err
	}
	if windows == nil {
		gap := figures.Text(r.Gap())
		return append(r.head(0), gap, gap, gap, gap), nil
	}
	difference, err := c.difference(r)
	if err != nil {
		return nil, err
	}
	single, _ := train.MeanCI(windows.single)
	return append(r.head(windows.seeds), figures.Text(fmt.Sprintf("%.3f", single)),
		c.over.Cell(windows.ensemble), difference, c.over.Cell(windows.published)), nil
}

// head are the cells that say what a row is, with the number of its seeds where it has any.
func (r row) head(seeds int) []figures.Cell {
	name := r.Results.Title()
	if seeds > 1 || seeds == 1 && !r.Untrained {
		name = fmt.Sprintf("%s (%d)", name, seeds)
	}
	matrix := experiments.None()
	if r.matrix != "" {
		matrix = figures.Text(r.matrix)
	}
	return []figures.Cell{figures.Text(name), matrix, r.Size()}
}

// difference is the cell that compares a row with the best simple forecast.
func (c comparison) difference(r row) (figures.Cell, error) {
	switch gap := r.Gap(); {
	case gap != "":
		return figures.Text(gap), nil
	case c.best == nil:
		return figures.Text("missing"), nil
	case c.best.ID == r.ID:
		return experiments.None(), nil
	}
	differences, err := c.differences(r)
	if err != nil {
		return figures.Cell{}, err
	}
	if len(differences) == 0 { // seeds that the simple forecasts do not have
		return figures.Text("missing"), nil
	}
	return c.over.Cell(differences), nil
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
