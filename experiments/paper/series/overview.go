package series

import (
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// showForecasts returns overviews, the tables of all series and splits, critical-difference diagrams, and notes on
// them.
func showForecasts(r *experiments.Report) (items []figures.Item, err error) {
	all, err := comparisons(r)
	if err != nil {
		return nil, err
	}
	for _, table := range overviews(all) {
		items = append(items, table)
	}
	for _, c := range all {
		table, err := c.table()
		if err != nil {
			return nil, err
		}
		items = append(items, table)
	}
	drawn := forecastRanks(r, all)
	return append(append(items, drawn.Items()...), forecastNotes(r)), drawn.Err
}

// overviews returns the test errors of all models: by split for one series, and in a table for each split for several
// countries. A single column would only repeat the table of its split, so it has no overview.
func overviews(all []comparison) (tables []*figures.Table) {
	add := func(title string, of []comparison, heading func(comparison) string) {
		if len(of) > 1 {
			tables = append(tables, overview(title, of, heading))
		}
	}
	if len(all) == 0 {
		return nil
	}
	first := all[0].study
	if !slices.ContainsFunc(all, func(c comparison) bool { return c.study != first }) {
		add(first.title()+": test errors with each split", all, func(c comparison) string { return string(c.split) })
		return tables
	}
	for _, split := range allSplits {
		others := func(c comparison) bool { return c.split != split }
		add(fmt.Sprintf("%s: test errors by country, %s", first.Name, titles[split]),
			slices.DeleteFunc(slices.Clone(all), others), func(c comparison) string { return c.study.Country })
	}
	return tables
}

// overview returns a table with a row for each model and a column for each comparison.
func overview(title string, columns []comparison, heading func(comparison) string) *figures.Table {
	r := columns[0].Report
	t := &figures.Table{Title: title, Columns: []figures.Column{{Title: "model"}}}
	better := figures.Lower
	if !r.Comparable() {
		better, t.Finding = figures.NotCompared, r.Caution()
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, figures.Column{Title: heading(c), Better: better, Decimals: 3})
	}
	for _, id := range r.Models() {
		cells, some := []figures.Cell{figures.Text(r.Results.Where("model", id)[0].Model.Name)}, false
		for _, c := range columns {
			cell := figures.Missing()
			switch row := c.row(id); {
			case row == nil:
			case row.errors == nil:
				cell, some = row.GapCell(), true
			default:
				cell, some = c.over.Cell(row.errors), true
			}
			cells = append(cells, cell)
		}
		if some {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}
