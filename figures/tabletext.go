package figures

import (
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

// bestOfText is the mark after the best number.
const bestOfText = "◄"

const between = 2 // columns of a terminal between two columns of a table

// Text returns the table without any markup, in lines of at most width columns of a terminal (0 is 80): the best of a
// column is marked ◄. A wider table is split into blocks, one below the other, each with the columns that name the
// rows; long titles, names and texts are wrapped. Nothing is cut off.
func (t *Table) Text(width int) (string, error) {
	width, err := textWidth(width)
	if err != nil {
		return "", err
	}
	l, err := t.layout()
	if err != nil {
		return "", err
	}
	columns, total := l.textColumns()
	blocks := [][]textColumn{columns}
	if total > width {
		for _, share := range []int{30, 25, 20} { // of the width, for names: narrower if that takes fewer blocks
			if b := l.blocks(columns, width, width*share/100); share == 30 || len(b) < len(blocks) {
				blocks = b
			}
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(strings.Join(plain.Wrap(t.Title, width), "\n") + "\n\n")
	}
	for i, block := range blocks {
		if i > 0 {
			b.WriteString("\n")
		}
		writeBlock(&b, block)
	}
	if l.Finding != "" {
		b.WriteString("\n" + strings.Join(plain.Wrap(l.Finding, width), "\n") + "\n")
	}
	return b.String(), nil
}

// blocks divides the columns into blocks that fit the width, each with the columns that name rows at the given width.
func (l layout) blocks(columns []textColumn, width, names int) (blocks [][]textColumn) {
	columns = slices.Clone(columns)
	first := columns[:l.names(width)]
	for j := range first {
		first[j].width = min(first[j].width, names/len(first))
		width -= first[j].width + between
	}
	free := width
	block := slices.Clone(first)
	for _, c := range columns[len(first):] {
		c.width = min(c.width, width)
		if c.width > free {
			blocks, block, free = append(blocks, block), slices.Clone(first), width
		}
		block, free = append(block, c), free-c.width-between
	}
	return append(blocks, block)
}

// names returns the number of leading columns that identify a row; 1 if the first few do not.
func (l layout) names(width int) int {
	for n := 1; n <= min(3, width/24, len(l.Columns)); n++ {
		apart := make(map[string]bool)
		for _, row := range l.strings(markdown) {
			apart[strings.Join(row[:n], "|")] = true
		}
		if len(apart) == len(l.cells) {
			return n
		}
	}
	return 1
}

// textColumn is a column of plain text.
type textColumn struct {
	title string
	rows  []string
	width int
	words bool // aligned left
}

// textColumns returns the table's columns as text, and their total width side by side.
func (l layout) textColumns() (columns []textColumn, total int) {
	for j := range l.Columns {
		columns = append(columns, l.textColumn(j))
		total += columns[j].width + between
	}
	return columns, total - between
}

// textColumn aligns means, half-widths and marks.
func (l layout) textColumn(j int) textColumn {
	c := textColumn{title: l.Columns[j].Title, words: l.Words[j]}
	means, halves := make([]string, len(l.cells)), make([]string, len(l.cells))
	meanWidth, halfWidth, marked := 0, 0, false
	for i, row := range l.cells {
		w := row[j]
		if w.kind == numberCell && w.of == "" && !strings.HasPrefix(w.value, "(") { // (1.2 ± 0.1)×10⁶ stands alone
			means[i], halves[i], _ = strings.Cut(w.value, " ± ")
		}
		meanWidth, halfWidth = max(meanWidth, plain.Columns(means[i])), max(halfWidth, plain.Columns(halves[i]))
		marked = marked || w.best
	}
	values, valueWidth := make([]string, len(l.cells)), 0
	for i, row := range l.cells {
		values[i] = strings.Join(strings.Fields(row[j].value), " ")
		if row[j].of != "" {
			values[i] += ", " + row[j].of
		}
		if means[i] != "" && halfWidth > 0 {
			values[i] = plain.Padded(means[i], meanWidth, false)
			if halves[i] != "" {
				values[i] += " ± " + plain.Padded(halves[i], halfWidth, false)
			} else {
				values[i] += strings.Repeat(" ", 3+halfWidth)
			}
		}
		valueWidth = max(valueWidth, plain.Columns(values[i]))
	}
	for i, row := range l.cells {
		line := values[i]
		if !c.words {
			line = plain.Padded(values[i], valueWidth, false)
		}
		switch {
		case row[j].best:
			line += " " + bestOfText
		case marked:
			line += strings.Repeat(" ", 1+plain.Columns(bestOfText))
		}
		c.width = max(c.width, plain.Columns(line))
		c.rows = append(c.rows, line)
	}
	for _, word := range strings.Fields(c.title) {
		c.width = max(c.width, plain.Columns(word))
	}
	return c
}

// fitted returns lines no wider than the column. The second line of a name is indented, so that it differs from a new
// name.
func (c textColumn) fitted(line string) []string {
	if plain.Columns(line) <= c.width {
		return []string{line}
	}
	wrapped := plain.Wrap(line, c.width)
	if c.words && c.width > 8 {
		line = strings.Join(strings.Fields(line), " ")
		rest := plain.Wrap(strings.TrimPrefix(line, wrapped[0]), c.width-2)
		for k := range rest {
			rest[k] = "  " + rest[k]
		}
		wrapped = append(wrapped[:1], rest...)
	}
	return wrapped
}

// writeBlock writes columns side by side.
func writeBlock(b *strings.Builder, columns []textColumn) {
	titles, rules := make([][]string, len(columns)), make([][]string, len(columns))
	highest := 0
	for j, c := range columns {
		titles[j] = plain.Wrap(c.title, c.width)
		rules[j] = []string{strings.Repeat("-", c.width)}
		highest = max(highest, len(titles[j]))
	}
	for j := range titles { // which stand on the rule
		titles[j] = append(make([]string, highest-len(titles[j])), titles[j]...)
	}
	writeRow(b, columns, titles)
	writeRow(b, columns, rules)
	for i := range columns[0].rows {
		cells := make([][]string, len(columns))
		for j, c := range columns {
			cells[j] = c.fitted(c.rows[i])
		}
		writeRow(b, columns, cells)
	}
}

// writeRow writes the lines of one row.
func writeRow(b *strings.Builder, columns []textColumn, cells [][]string) {
	for k := 0; ; k++ {
		var line []string
		more := false
		for j, lines := range cells {
			text := ""
			if k < len(lines) {
				text, more = lines[k], true
			}
			line = append(line, plain.Padded(text, columns[j].width, columns[j].words))
		}
		if !more {
			return
		}
		b.WriteString(strings.TrimRight(strings.Join(line, strings.Repeat(" ", between)), " ") + "\n")
	}
}

const (
	terminal = 80 // columns, where none are asked for
	leastRow = 24 // columns, below which no table can be read
)

// textWidth checks a width of plain text; 0 means the width of a terminal.
func textWidth(columns int) (int, error) {
	switch {
	case columns == 0:
		return terminal, nil
	case columns < leastRow:
		return 0, invalid("figures: text of %d columns, wanted %d or more, or 0 for %d", columns, leastRow, terminal)
	}
	return columns, nil
}
