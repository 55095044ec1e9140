// Package judge says, case by case, whether one row of a study does better than another one, and shows it as a matrix:
// rivals by cases, a mark and a shade for each, with the numbers where they decide.
//
// Start with [Of] for a [Finding] and [Matrix.Table] for the table.
package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// Level is the corrected p value up to which a difference counts as shown.
const Level = 0.05

// Outcome is how a row does beside a rival.
type Outcome string

const (
	NotTested Outcome = ""
	Better    Outcome = "better"
	Worse     Outcome = "worse"
	NotShown  Outcome = "no difference shown"
)

// Finding is how a row does beside a rival in one case. The zero value is one that was not tested.
type Finding struct {
	Outcome Outcome
	// Difference is the row's score less the rival's, in the unit of [Matrix].Score; P is its p value, corrected for the
	// rivals that the row was tested with.
	Difference, P float64
	// Why says why there was no test.
	Why string
}

// Of is the finding of a test.
func Of(d stats.Difference) Finding {
	f := Finding{Outcome: NotShown, Difference: d.Mean, P: d.Corrected}
	switch {
	case d.Better(Level):
		f.Outcome = Better
	case d.Worse(Level):
		f.Outcome = Worse
	}
	return f
}

// Line compares a row with a rival in all cases of a matrix.
type Line struct {
	Row, Rival string
	Findings   []Finding
}

// Matrix has the findings of rows beside rivals, by cases such as splits of a series or families of graphs.
type Matrix struct {
	Title string
	// Score names the quantity that is compared, such as "errors".
	Score string
	Cases []string
	Lines []Line
	// Places is the number of decimals of differences.
	Places int
}

// Add puts a finding where it belongs; lines come in the order of their first finding.
func (m *Matrix) Add(row, rival string, at int, f Finding) {
	i := slices.IndexFunc(m.Lines, func(l Line) bool { return l.Row == row && l.Rival == rival })
	if i < 0 {
		i = len(m.Lines)
		m.Lines = append(m.Lines, Line{row, rival, make([]Finding, len(m.Cases))})
	}
	m.Lines[i].Findings[at] = f
}

// Tally counts the cases of a line by outcome.
func (l Line) Tally() map[Outcome]int {
	counts := make(map[Outcome]int)
	for _, f := range l.Findings {
		counts[f.Outcome]++
	}
	return counts
}

const matrixNote = "Rows beside rivals: ▲ better, ▼ worse, by a p value of at most %g after Holm's correction in " +
	"each case, with the difference of %s, row less rival; · no difference shown; – not tested, as runs are missing or " +
	"diverged."

// Table is the matrix as a table: a row beside a rival on each line, rows told apart by their first line.
func (m Matrix) Table() *figures.Table {
	t := &figures.Table{Title: m.Title, Notes: []string{fmt.Sprintf(matrixNote, Level, m.Score)},
		Columns: []figures.Column{{Title: "model"}, {Title: "beside"}}}
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
			cells = append(cells, f.cell(m.Places))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// cell is a mark, with the difference where it is shown; a page has all numbers under the pointer.
func (f Finding) cell(places int) figures.Cell {
	numbers := fmt.Sprintf("%s, p %s", signed(f.Difference, places), Probability(f.P))
	switch f.Outcome {
	case Better:
		return figures.Marked("▲ "+signed(f.Difference, places), figures.Favourable, numbers)
	case Worse:
		return figures.Marked("▼ "+signed(f.Difference, places), figures.Unfavourable, numbers)
	case NotShown:
		return figures.Marked("·", figures.Neutral, numbers)
	}
	return figures.Marked("–", figures.Neutral, f.Why)
}

func signed(difference float64, places int) string {
	return strings.Replace(fmt.Sprintf("%+.*f", places, difference), "-", "−", 1)
}

// Probability writes a p value.
func Probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
