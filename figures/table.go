package figures

import (
	"math"
	"slices"
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

// Table holds results. Among compared numbers the best mean is bold and every mean inside the best's interval is
// underlined; ties are all bold. Missing cells show as "–" and are never compared.
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

// WithoutEmpty returns the table without the rows that have no result in any cell, and the first cells of these rows.
func (t *Table) WithoutEmpty() (filled *Table, empty []string) {
	with := *t
	with.Rows = nil
	for _, row := range t.Rows {
		if len(row) > 1 && !slices.ContainsFunc(row[1:], func(c Cell) bool { return !c.none && !c.IsMissing() }) {
			empty = append(empty, row[0].text)
		} else {
			with.Rows = append(with.Rows, row)
		}
	}
	return &with, empty
}

// mark is the emphasis of a cell.
type mark uint8

const (
	markNone mark = iota
	markBest
	markClose // inside the interval of the best
)

// compare finds the best of a column, and the means inside its interval. A number alone is not the best.
func compare(cells []Cell, better Direction) []mark {
	marks := make([]mark, len(cells))
	if alone := len(slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return !c.compared() })) < 2; alone {
		return marks
	}
	var best Cell
	for _, c := range cells {
		switch {
		case !c.compared() || better == NotCompared:
		case best.IsMissing() || better == Lower && c.mean < best.mean || better == Higher && c.mean > best.mean:
			best = c
		case c.mean == best.mean:
			best.half = math.Max(finiteOr0(best.half), finiteOr0(c.half))
		}
	}
	for i, c := range cells {
		switch {
		case best.IsMissing() || !c.compared():
		case c.mean == best.mean:
			marks[i] = markBest
		case math.Abs(c.mean-best.mean) <= finiteOr0(best.half):
			marks[i] = markClose
		}
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
		whole = whole && c.mean == math.Trunc(c.mean) && (c.published == nil || c.published[0] == math.Trunc(c.published[0]))
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
