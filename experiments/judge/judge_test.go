package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		d    stats.Difference
		want stats.Outcome
	}{
		{stats.Difference{Mean: -1, P: 0.001, Corrected: 0.01}, stats.Better},
		{stats.Difference{Mean: 1, P: 0.001, Corrected: stats.Level}, stats.Worse},
		{stats.Difference{Mean: -1, P: 0.001, Corrected: 0.051}, stats.NotShown},
		{stats.Difference{Corrected: 1}, stats.NotShown},
	} {
		if f := Of(c.d); f.Outcome != c.want || f.Difference != c.d.Mean || f.P != c.d.Corrected {
			t.Errorf("%+v: %+v, want %s", c.d, f, c.want)
		}
	}
}

func TestMatrix(t *testing.T) {
	size := func(x float64) string { return fmt.Sprintf("%.2f", x) }
	m := Matrix{Title: "matrix", Score: "errors", Cases: []string{"a", "b"}, Write: Signed(size)}
	m.Add("one", "first", 0, Finding{Outcome: stats.Better, Difference: -0.5, P: 0.0001})
	m.Add("one", "second", 1, Finding{Outcome: stats.Worse, Difference: 0.25, P: 0.04})
	m.Add("two", "first", 1, Finding{Outcome: stats.NotShown, Difference: 0.1, Half: 0.3, P: 0.5})
	m.Add("two", "first", 0, Finding{Note: "missing, 1 of 3"})
	text, err := m.Table().Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| model | beside | a | b |", "| one | first | ▲ −0.50 | – |",
		"| | second | – | ▼ +0.25 |", "| two | first | – | · |"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if notes := m.Table().Notes; len(notes) != 1 || !strings.Contains(notes[0], "at most 0.05 ") ||
		!strings.Contains(notes[0], "difference of errors,") {
		t.Errorf("notes %q", notes)
	}
	page, err := m.Table().HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`title="−0.50, p &lt; 0.001">▲ −0.50</span>`,
		`title="+0.10 (−0.20 to +0.40), p 0.500">·</span>`,
		`title="missing, 1 of 3">–</span>`, "background:rgba("} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	numbers, err := m.Details().Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| one | first | −0.50, p &lt; 0.001 | – |", "| | second | – | +0.25, p 0.040 |",
		"| two | first | – (missing, 1 of 3) | +0.10 (−0.20 to +0.40), p 0.500 |"} {
		if !strings.Contains(strings.Join(strings.Fields(numbers), " "), want) {
			t.Errorf("no %q in\n%s", want, numbers)
		}
	}
	if counts := m.Lines[0].Tally(); counts[stats.Better] != 1 || counts[stats.NotTested] != 1 ||
		counts[stats.Worse] != 0 {
		t.Errorf("tally %v", counts)
	}
}

// Rivals are tested on the blocks that all of them have, with a correction for every rival; rivals without errors give
// the reason.
func TestBeside(t *testing.T) {
	row := Row{Name: "one", Blocks: []int{0, 1, 2, 3}, Errors: []float64{1, 2, 3, 9}}
	low := Row{Name: "low", Blocks: []int{3, 2, 1, 0}, Errors: []float64{0, 2, 1.02, 0.01}}
	short := Row{Name: "short", Blocks: []int{0, 1, 2}, Errors: []float64{1.1, 1.9, 3}}
	findings, err := Beside(row, []Row{low, {Name: "gone", Gap: "missing, 1 of 3"}, short}, stats.Test{})
	if err != nil {
		t.Fatal(err)
	}
	if f := findings[0]; f.Outcome != stats.Worse || f.P < 3*f.Raw*(1-1e-12) || f.Difference < 0.98 ||
		f.Difference > 0.99 || f.Mean != 2 {
		t.Errorf("%+v", f)
	}
	if f := findings[1]; f.Outcome != stats.NotTested || f.Note != "gone missing, 1 of 3" {
		t.Errorf("%+v", f)
	}
	if f := findings[2]; f.Outcome != stats.NotShown || f.Note != "" {
		t.Errorf("%+v", f)
	}
	row.Better = figures.Higher
	above, err := Beside(row, []Row{low, short}, stats.Test{})
	if err != nil || above[0].Outcome != stats.Better || above[0].Difference != findings[0].Difference {
		t.Errorf("of scores, the higher the better: %+v, %v, want a better row with the difference of %+v", above, err,
			findings[0])
	}
	row.Better = figures.NotCompared
	short.Blocks = []int{7, 8, 9}
	for _, c := range []struct{ row, rival Row }{{row, short}, {Row{Name: "one", Gap: "diverged"}, low}} {
		findings, err := Beside(c.row, []Row{c.rival}, stats.Test{})
		if err != nil || findings[0].Outcome != stats.NotTested || findings[0].Note == "" {
			t.Errorf("%+v, %v", findings, err)
		}
	}
}

// Outcomes are corrected for all tests and the untested cases, whatever their order.
func TestCorrect(t *testing.T) {
	of := func(difference, p float64) *Finding { return &Finding{Difference: difference, Raw: p} }
	findings := []*Finding{of(1, 0.01), of(-1, 0.001), of(-1, 0.03)}
	if err := Correct(findings, 1); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Finding{{Outcome: stats.Worse, P: 0.03}, {Outcome: stats.Better, P: 0.004},
		{Outcome: stats.NotShown, P: 0.06}} {
		if f := findings[i]; f.Outcome != want.Outcome || f.P < want.P-1e-9 || f.P > want.P+1e-9 {
			t.Errorf("%d: %+v, want %+v", i, f, want)
		}
	}
}
