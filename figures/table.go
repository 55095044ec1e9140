package figures

import (
	"math"
	"slices"
	"strings"
)

// Direction says which of two numbers is better.
type Direction string

const (
	NotCompared Direction = ""
	Lower       Direction = "lower"  // the lower the better, such as a loss
	Higher      Direction = "higher" // the higher the better, such as an accuracy
)

// Column is a column's heading and the format and comparison of its numbers.
type Column struct {
	Title    string
	Better   Direction // the best of the column is bold
	Decimals int       // 0 chooses from the intervals, -1 writes none
}

// Table holds results. Among compared numbers the best mean is bold; ties are all bold. Missing cells show as "–" and
// are never compared. Whether others are worse than the best is for a test to say, not for the intervals of means.
// Published results have columns of their own, and rows of [NoResult] are named below the table.
//
// HTML, Markdown and Text write the title, the cells and the finding. [Notes] has the notes, for the end of a page.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]Cell // a row that is shorter than Columns ends with missing cells
	Finding string   // the table's result in a sentence or two, shown below it; may be ""
	Notes   []string // details for the end of the page; [Notes] adds notes that explain marks
}

// HasPublished reports whether any cell has a published value.
func (t *Table) HasPublished() bool {
	return slices.ContainsFunc(t.Rows, func(row []Cell) bool {
		return slices.ContainsFunc(row, func(c Cell) bool { return c.published != nil })
	})
}

// shown returns the table as it is written: published results in columns beside ours, and rows without a result named
// in a sentence below, unless nothing but published results is known.
func (t *Table) shown() *Table {
	var filled [][]Cell
	var empty []string
	for _, row := range t.Rows {
		if isEmpty(row) {
			empty = append(empty, row[0].text)
		} else {
			filled = append(filled, row)
		}
	}
	with := *t
	switch {
	case len(filled) == 0 && t.HasPublished():
		filled = t.Rows
	case len(filled) == 0 && len(empty) > 0:
		with.Finding = strings.TrimSpace(t.Finding + " No result is stored.")
	case len(empty) > 0:
		with.Finding = strings.TrimSpace(t.Finding + " No result is stored for " + strings.Join(empty, "; ") + ".")
	}
	with.Columns, with.Rows = nil, make([][]Cell, len(filled))
	for j, column := range t.Columns {
		paper := slices.ContainsFunc(filled, func(row []Cell) bool { return j < len(row) && row[j].published != nil })
		with.Columns = append(with.Columns, column)
		if paper {
			with.Columns = append(with.Columns, Column{Title: column.Title + ", paper", Decimals: column.Decimals})
		}
		for i, row := range filled {
			var cell Cell // missing beyond the end of a row
			if j < len(row) {
				cell = row[j]
			}
			with.Rows[i] = append(with.Rows[i], cell)
			if cell.published != nil {
				with.Rows[i] = append(with.Rows[i], *cell.published)
			} else if paper {
				with.Rows[i] = append(with.Rows[i], NoResult("–"))
			}
		}
	}
	return &with
}

// isEmpty reports whether a row says that it has no result, and has none in any cell behind its name.
func isEmpty(row []Cell) bool {
	says := false
	for _, c := range row[min(1, len(row)):] {
		if !c.none && !c.IsMissing() {
			return false
		}
		says = says || c.none
	}
	return says
}

// best marks the best numbers of a column. A number alone is not the best.
func best(cells []Cell, better Direction) []bool {
	marks := make([]bool, len(cells))
	compared, least := 0, math.Inf(1)
	sign := 1.0
	if better == Higher {
		sign = -1
	}
	for _, c := range cells {
		if c.compared() {
			compared, least = compared+1, math.Min(least, sign*c.mean)
		}
	}
	for i, c := range cells {
		marks[i] = better != NotCompared && compared > 1 && c.compared() && sign*c.mean == least
	}
	return marks
}

// decimals gives the middle interval of a column two digits; without intervals, the middle number three.
func decimals(column []Cell, asked int) int {
	if asked != 0 {
		return max(asked, 0)
	}
	var halves, means []float64
	whole := true
	for _, c := range column {
		if !c.finite() {
			continue
		}
		if h := finiteOr0(c.half); h > 0 {
			halves = append(halves, h)
		}
		if c.mean != 0 {
			means = append(means, math.Abs(c.mean))
		}
		whole = whole && c.mean == math.Trunc(c.mean)
	}
	digits := func(values []float64, wanted int) int {
		slices.Sort(values)
		return min(6, max(0, wanted-1-int(math.Floor(math.Log10(values[len(values)/2])))))
	}
	switch {
	case len(halves) > 0:
		return digits(halves, 2)
	case whole || len(means) == 0:
		return 0
	}
	return digits(means, 3)
}
