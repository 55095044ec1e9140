package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// Line compares a row with a rival in all cases of a matrix.
type Line struct {
	Row, Rival string
	Findings   []Finding
}

// Matrix holds the findings of rows against rivals, by cases such as splits of a series or families of graphs.
type Matrix struct {
	Title string
	// Score names the compared quantity, such as "errors". Write formats a difference of it, with the interval of this
	// half-width behind it unless that is 0.
	Score string
	Write func(difference, half float64) string
	Cases []string
	Lines []Line
	// Notes are printed after the table's own notes.
	Notes []string
}

// Signed formats differences with a sign before their size, and an interval of a half-width above 0.
func Signed(size func(float64) string) func(difference, half float64) string {
	signed := func(x float64) string {
		if x < 0 {
			return "−" + size(-x)
		}
		return "+" + size(x)
	}
	return func(difference, half float64) string {
		if !(half > 0) {
			return signed(difference)
		}
		return fmt.Sprintf("%s (%s to %s)", signed(difference), signed(difference-half), signed(difference+half))
	}
}

// Add adds a finding for a row, a rival and a case; lines are in the order of their first finding.
func (m *Matrix) Add(row, rival string, at int, f Finding) {
	i := slices.IndexFunc(m.Lines, func(l Line) bool { return l.Row == row && l.Rival == rival })
	if i < 0 {
		i = len(m.Lines)
		m.Lines = append(m.Lines, Line{row, rival, make([]Finding, len(m.Cases))})
	}
	m.Lines[i].Findings[at] = f
}

// Tested drops the lines in which no case was tested.
func (m *Matrix) Tested() {
	m.Lines = slices.DeleteFunc(m.Lines, func(l Line) bool { return l.Tally()[stats.NotTested] == len(l.Findings) })
}

// Tally counts the cases of a line by outcome.
func (l Line) Tally() map[stats.Outcome]int {
	counts := make(map[stats.Outcome]int)
	for _, f := range l.Findings {
		counts[f.Outcome]++
	}
	return counts
}

// Enumerate joins words as in "a, b and c".
func Enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Legend explains the marks of matrices; of says which numbers differ, such as " of errors".
func Legend(of string) string {
	return fmt.Sprintf("▲ the row is better than the rival beside it, ▼ worse, by a p value of at most %g after "+
		"Holm's correction, with the difference%s, row less rival; · undecided, which does not mean equal; – not tested, "+
		"as runs are missing or diverged.", stats.Level, of)
}

// Table returns the matrix as a table with a line for each pair of row and rival; the name of a row is on its first
// line.
func (m Matrix) Table() *figures.Table {
	t := m.table(m.cell)
	t.Title, t.Notes = m.Title, append([]string{Legend(" of " + m.Score)}, m.Notes...)
	return t
}

// Details returns a table of the same form with all numbers: the difference with its interval and the p value, or the
// reason why there is no test.
func (m Matrix) Details() *figures.Table {
	t := m.table(func(f Finding) figures.Cell {
		switch {
		case f.Outcome != stats.NotTested:
			return figures.Text(m.numbers(f))
		case f.Note != "":
			return figures.Text("– (" + f.Note + ")")
		}
		return figures.Missing()
	})
	t.Title = "Difference of " + m.Score + " with its 95% interval, and p after Holm's correction"
	return t
}

func (m Matrix) table(cell func(Finding) figures.Cell) *figures.Table {
	t := &figures.Table{Columns: []figures.Column{{Title: "model"}, {Title: "beside"}}}
	for _, name := range m.Cases {
		t.Columns = append(t.Columns, figures.Column{Title: name})
	}
	last := ""
	for _, l := range m.Lines {
		name := l.Row
		if name == last {
			name = ""
		}
		last = l.Row
		cells := []figures.Cell{figures.Text(name), figures.Text(l.Rival)}
		for _, f := range l.Findings {
			cells = append(cells, cell(f))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// cell returns a mark, with the difference if it is shown; on a page, hovering shows all numbers.
func (m Matrix) cell(f Finding) figures.Cell {
	switch f.Outcome {
	case stats.Better:
		return figures.Marked("▲ "+m.Write(f.Difference, 0), figures.Favourable, m.numbers(f))
	case stats.Worse:
		return figures.Marked("▼ "+m.Write(f.Difference, 0), figures.Unfavourable, m.numbers(f))
	case stats.NotShown:
		return figures.Marked("·", figures.Neutral, m.numbers(f))
	}
	return figures.Marked("–", figures.Neutral, f.Note)
}

// numbers formats the difference with its interval, the corrected p value and the note.
func (m Matrix) numbers(f Finding) string {
	half := f.Half
	if math.IsNaN(half) || math.IsInf(half, 0) {
		half = 0
	}
	text := m.Write(f.Difference, half) + ", p " + Probability(f.P)
	if f.Note != "" {
		text += " (" + f.Note + ")"
	}
	return text
}

// Probability formats a p value.
func Probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
