package judge

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		d    stats.Difference
		want Outcome
	}{
		{stats.Difference{Mean: -1, P: 0.001, Corrected: 0.01}, Better},
		{stats.Difference{Mean: 1, P: 0.001, Corrected: Level}, Worse},
		{stats.Difference{Mean: -1, P: 0.001, Corrected: 0.051}, NotShown},
		{stats.Difference{}, NotShown},
	} {
		if f := Of(c.d); f.Outcome != c.want || f.Difference != c.d.Mean || f.P != c.d.Corrected {
			t.Errorf("%+v: %+v, want %s", c.d, f, c.want)
		}
	}
}

func TestMatrix(t *testing.T) {
	m := Matrix{Title: "matrix", Score: "errors", Cases: []string{"a", "b"}, Places: 2}
	m.Add("one", "first", 0, Finding{Outcome: Better, Difference: -0.5, P: 0.0001})
	m.Add("one", "second", 1, Finding{Outcome: Worse, Difference: 0.25, P: 0.04})
	m.Add("two", "first", 1, Finding{Outcome: NotShown, Difference: 0.1, P: 0.5})
	m.Add("two", "first", 0, Finding{Why: "missing, 1 of 3"})
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
	for _, want := range []string{`title="−0.50, p &lt; 0.001">▲ −0.50</span>`, `title="+0.10, p 0.500">·</span>`,
		`title="missing, 1 of 3">–</span>`, "background:rgba("} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if counts := m.Lines[0].Tally(); counts[Better] != 1 || counts[NotTested] != 1 || counts[Worse] != 0 {
		t.Errorf("tally %v", counts)
	}
}
