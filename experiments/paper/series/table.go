package series

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// Table returns the table of one split, with the difference of each row from the best simple forecast. A row has
// numbers if all its runs are stored and none diverged; otherwise it says what it lacks.
func (f *Forecasting) Table(r *experiments.Report, split Split) (*figures.Table, error) {
	c, err := f.comparison(r, split)
	if err != nil {
		return nil, err
	}
	return c.table()
}

func (c comparison) table() (*figures.Table, error) {
	finding, err := c.verdict()
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: fmt.Sprintf("%s, %s", c.study.title(), titles[c.split]), Finding: finding}
	add := func(applies bool, column figures.Column) {
		if applies {
			t.Columns = append(t.Columns, column)
		}
	}
	better := figures.Lower
	if !c.Comparable() {
		better, t.Finding = figures.NotCompared, c.Caution()
	}
	random := c.split == Random
	paper := random && c.Comparable() && c.study.published != ""
	for _, title := range []string{"model", "control", "size"} {
		add(true, figures.Column{Title: title})
	}
	add(!random, figures.Column{Title: "one seed"})
	add(random, figures.Column{Title: "validation", Better: better, Decimals: 3})
	add(true, figures.Column{Title: "test", Better: better, Decimals: 3})
	add(c.Comparable(), figures.Column{Title: "minus best simple", Decimals: 3})
	add(random, figures.Column{Title: "validation*", Decimals: 3})
	add(true, figures.Column{Title: "test*", Decimals: 3})
	add(paper, figures.Column{Title: "validation, paper", Decimals: 3})
	add(paper, figures.Column{Title: "test, paper", Decimals: 3})
	t.Columns = append(t.Columns, experiments.CostColumns()...)
	for _, row := range c.rows {
		cells := append(row.head(), c.cells(row)...)
		if paper {
			cells = append(cells, c.study.printed(row.setting)...)
		}
		t.Rows = append(t.Rows, append(cells, row.Cost()...))
	}
	t.Notes, err = c.study.splitNotes(c)
	return t, err
}

// printed returns the cells with the paper's values for a row, which has the published defects there.
func (f *Forecasting) printed(s setting) (cells []figures.Cell) {
	for _, part := range partNames {
		cell := experiments.None()
		if n, ok := catalogue.Published(f.published, s.model(), part); ok && s.variant == asPublished {
			cell = n.Cell()
		}
		cells = append(cells, cell)
	}
	return cells
}

// head returns the cells that identify a row, with the number of its seeds if it has any.
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

// cells returns the errors of a row.
func (c comparison) cells(r row) []figures.Cell {
	if r.Gap() != "" {
		count := 3 // one seed or validation, test, test*
		if c.split == Random {
			count++
		}
		if c.Comparable() {
			count++
		}
		return slices.Repeat([]figures.Cell{r.GapCell()}, count)
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

// difference returns the cell of a row's error minus the error of the best simple forecast.
func (c comparison) difference(r row) figures.Cell {
	if differences := c.differences(r); len(differences) > 0 {
		return c.over.Cell(differences)
	}
	if c.best == nil || c.best.ID != r.ID { // or seeds that the simple forecasts do not have
		return figures.NoResult("missing")
	}
	return experiments.None()
}
