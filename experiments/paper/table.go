package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// show are the tables of all splits that have runs, in order.
func (f *Forecasting) show(r *experiments.Report) (items []figures.Item, err error) {
	for _, split := range allSplits {
		if len(r.Results.Where("split", string(split))) == 0 {
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

// Table is that of one split, with the difference of each row from the best simple forecast. A row has numbers when
// all its runs are there and none diverged, else it says what is missing.
func (f *Forecasting) Table(r *experiments.Report, split Split) (*figures.Table, error) {
	c, err := f.comparison(r, split)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: fmt.Sprintf("%s, %s", f.Name, titles[split]),
		Columns: []figures.Column{{Title: "model"}, {Title: "control"}, {Title: "size"}, {Title: "single"},
			{Title: "test", Better: figures.Lower, Decimals: 3}, {Title: "minus best simple", Decimals: 3},
			{Title: "test*", Decimals: 3}},
		Notes: []string{"test: mean squared error of the mean forecast of all seeds (their number in brackets), mean " +
			"over the tested windows; single: that of one seed."}}
	if split == Random {
		t.Columns[3] = figures.Column{Title: "validation", Better: figures.Lower, Decimals: 3}
		t.Columns = slices.Insert(t.Columns, 6, figures.Column{Title: "validation*", Decimals: 3})
		t.Notes = []string{"Mean squared error, mean over seeds (their number in brackets)."}
	}
	t.Columns = append(t.Columns, experiments.CostColumns()...)
	for _, row := range c.rows {
		t.Rows = append(t.Rows, slices.Concat(row.head(), c.cells(row), row.Cost()))
	}
	if none := figures.Missing(); split == Random {
		validation, test := f.published[0], f.published[1]
		t.Rows = append(t.Rows, []figures.Cell{figures.Text("PENG-CDE, the paper (10)"), figures.Text("raw"), none,
			none, none, none, figures.Estimate(validation[0], validation[1]), figures.Estimate(test[0], test[1])})
	}
	notes, err := f.notes(c)
	t.Notes = append(t.Notes, notes...)
	return t, err
}

// head are the cells that say what a row is, with the number of its seeds where it has any.
func (r row) head() []figures.Cell {
	name, matrix := r.Results.Title(), experiments.None()
	if r.count > 1 || r.count == 1 && !r.Untrained {
		name = fmt.Sprintf("%s (%d)", name, r.count)
	}
	if r.matrix != "" {
		matrix = figures.Text(r.matrix)
	}
	return []figures.Cell{figures.Text(name), matrix, r.Size()}
}

// cells are the errors of a row.
func (c comparison) cells(r row) []figures.Cell {
	if gap := r.Gap(); gap != "" {
		cells := slices.Repeat([]figures.Cell{figures.Text(gap)}, 5)
		if c.split != Random {
			cells = cells[:4]
		}
		return cells
	}
	difference := experiments.None()
	if differences := c.differences(r); len(differences) > 0 {
		difference = c.over.Cell(differences)
	} else if c.best == nil || c.best.ID != r.ID { // or seeds that the simple forecasts do not have
		difference = figures.Text("missing")
	}
	if c.split != Random {
		single, _ := train.MeanCI(r.single)
		return []figures.Cell{figures.Text(fmt.Sprintf("%.3f", single)), c.over.Cell(r.errors), difference,
			c.over.Cell(r.published)}
	}
	score := func(name string) figures.Cell {
		scores := r.Scores(name)
		if math.IsNaN(scores[0]) { // a model without validation windows
			return experiments.None()
		}
		return c.over.Cell(scores)
	}
	return []figures.Cell{score("validation"), score("test"), difference, score("validation*"), score("test*")}
}
