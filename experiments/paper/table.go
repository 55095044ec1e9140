package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// show are the tables of all splits that have runs, in order, and notes on them.
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
	return append(items, f.notes(r)), nil
}

// Table is that of one split, with the difference of each row from the best simple forecast. A row has numbers when
// all its runs are there and none diverged, else it says what is missing.
func (f *Forecasting) Table(r *experiments.Report, split Split) (*figures.Table, error) {
	c, err := f.comparison(r, split)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: fmt.Sprintf("%s, %s", f.Name, titles[split]), Finding: c.verdict()}
	add := func(applies bool, column figures.Column) {
		if applies {
			t.Columns = append(t.Columns, column)
		}
	}
	better := figures.Lower
	if !r.Comparable() {
		better, t.Finding = figures.NotCompared, r.Caution()
	}
	random := split == Random
	for _, title := range []string{"model", "control", "size"} {
		add(true, figures.Column{Title: title})
	}
	add(!random, figures.Column{Title: "single"})
	add(random, figures.Column{Title: "validation", Better: better, Decimals: 3})
	add(true, figures.Column{Title: "test", Better: better, Decimals: 3})
	add(r.Comparable(), figures.Column{Title: "minus best simple", Decimals: 3})
	add(random, figures.Column{Title: "validation*", Decimals: 3})
	add(true, figures.Column{Title: "test*", Decimals: 3})
	t.Columns = append(t.Columns, experiments.CostColumns()...)
	for _, row := range c.rows {
		t.Rows = append(t.Rows, slices.Concat(row.head(), c.cells(row), row.Cost()))
	}
	if none := figures.Missing(); random && r.Comparable() {
		validation, test := f.published[0], f.published[1]
		t.Rows = append(t.Rows, []figures.Cell{figures.Text("PENG-CDE, the paper (10)"), figures.Text("raw"), none,
			none, none, none, figures.Estimate(validation[0], validation[1]), figures.Estimate(test[0], test[1])})
	}
	t.Notes, err = f.splitNotes(c)
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
		count := 3 // single or validation, test, test*
		if c.split == Random {
			count++
		}
		if c.Comparable() {
			count++
		}
		return slices.Repeat([]figures.Cell{figures.Text(gap)}, count)
	}
	score := func(name string) figures.Cell {
		scores := r.Scores(name)
		if math.IsNaN(scores[0]) { // a model without validation windows
			return experiments.None()
		}
		return c.over.Cell(scores)
	}
	var cells []figures.Cell
	if c.split == Random {
		cells = append(cells, score("validation"), score("test"))
	} else {
		single, _ := stats.MeanCI(r.single)
		cells = append(cells, figures.Text(fmt.Sprintf("%.3f", single)), c.over.Cell(r.errors))
	}
	if c.Comparable() {
		cells = append(cells, c.difference(r))
	}
	if c.split == Random {
		return append(cells, score("validation*"), score("test*"))
	}
	return append(cells, c.over.Cell(r.published))
}

// difference is the cell of a row's error minus that of the best simple forecast.
func (c comparison) difference(r row) figures.Cell {
	if differences := c.differences(r); len(differences) > 0 {
		return c.over.Cell(differences)
	}
	if c.best == nil || c.best.ID != r.ID { // or seeds that the simple forecasts do not have
		return figures.Text("missing")
	}
	return experiments.None()
}
