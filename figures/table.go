package figures

import (
	"fmt"
	"math"
	"sort"
)

// Direction says which of two numbers is better.
type Direction int

const (
	NotCompared Direction = iota
	Lower                 // the lower the better, such as a loss
	Higher                // the higher the better, such as an accuracy
)

// Column is a column's heading and how its numbers are written and compared.
type Column struct {
	Title    string
	Better   Direction // the best of the column is bold
	Decimals int       // 0 chooses from the intervals, -1 writes none
}

// Table holds results. Of the numbers that are compared, the best mean is bold and every mean inside the best's
// interval is underlined; ties are all bold. Missing cells are "–" and never take part.
type Table struct {
	Title     string
	Columns   []Column
	Rows      [][]Cell  // a row that is shorter than Columns ends with missing cells
	ByRow     Direction // compares within each row, not within columns
	PlusMinus string    // what the half-widths are; "" is "95% interval"
	Notes     []string
}

// mark is how a cell stands out.
type mark uint8

const (
	markNone mark = iota
	markBest
	markClose // inside the interval of the best
)

// cells checks the table and writes every cell.
func (t *Table) cells(write func(value, published string, m mark) string) ([][]string, error) {
	if len(t.Columns) == 0 {
		return nil, fmt.Errorf("figures: table %q has no columns, wanted at least one: %w", t.Title, ErrInput)
	}
	for i, row := range t.Rows {
		if len(row) > len(t.Columns) {
			return nil, fmt.Errorf("figures: table %q: row %d has %d cells for %d columns: %w", t.Title, i, len(row), len(t.Columns), ErrInput)
		}
	}
	marks := t.marks()
	out := make([][]string, len(t.Rows))
	for i := range out {
		out[i] = make([]string, len(t.Columns))
	}
	for j := range t.Columns {
		decimals := t.decimals(j)
		for i := range t.Rows {
			c := t.at(i, j)
			out[i][j] = write(c.value(decimals), c.publishedValue(decimals), marks[i][j])
		}
	}
	return out, nil
}

// at returns a cell, missing beyond the end of its row.
func (t *Table) at(i, j int) Cell {
	if j < len(t.Rows[i]) {
		return t.Rows[i][j]
	}
	return Cell{}
}

// marks finds the best of every column, or of every row, and what lies inside the best's interval.
func (t *Table) marks() [][]mark {
	marks := make([][]mark, len(t.Rows))
	for i := range marks {
		marks[i] = make([]mark, len(t.Columns))
	}
	if t.ByRow != NotCompared {
		for i := range t.Rows {
			markLine(len(t.Columns), t.ByRow, func(j int) (Cell, *mark) { return t.at(i, j), &marks[i][j] })
		}
		return marks
	}
	for j, column := range t.Columns {
		if column.Better != NotCompared {
			markLine(len(t.Rows), column.Better, func(i int) (Cell, *mark) { return t.at(i, j), &marks[i][j] })
		}
	}
	return marks
}

func markLine(n int, better Direction, get func(k int) (Cell, *mark)) {
	best, found := Cell{}, false
	for k := range n {
		c, _ := get(k)
		if !c.compared() {
			continue
		}
		switch {
		case !found || better == Lower && c.mean < best.mean || better == Higher && c.mean > best.mean:
			best, found = c, true
		case c.mean == best.mean:
			best.half = math.Max(finiteOr0(best.half), finiteOr0(c.half))
		}
	}
	for k := range n {
		c, m := get(k)
		switch {
		case !found || !c.compared():
		case c.mean == best.mean:
			*m = markBest
		case math.Abs(c.mean-best.mean) <= finiteOr0(best.half):
			*m = markClose
		}
	}
}

// decimals gives the middle interval of a column two digits; without intervals, the middle number three.
func (t *Table) decimals(j int) int {
	if d := t.Columns[j].Decimals; d != 0 {
		return max(d, 0)
	}
	var halves, means []float64
	whole := true
	for i := range t.Rows {
		c := t.at(i, j)
		if !c.compared() {
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
		sort.Float64s(values)
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
