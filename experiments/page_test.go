package experiments

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/figures"
)

// ended returns a run that took this many seconds, on a machine if it trained, or "" for a row without training.
func ended(id, machine string, day int, seconds float64, facts Facts) Result {
	record := &Record{Facts: &facts, Seconds: seconds, Ended: time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC),
		Machine: Machine{System: machine, Backend: "cpu", CPUs: 2}, Versions: map[string]string{"gomlx": "v1"}}
	return Result{Run: Run{Model: Row{ID: id, Name: strings.ToUpper(id), Untrained: machine == ""}}, Record: record}
}

func TestCostSummary(t *testing.T) {
	r := &Report{Profile: Medium, Results: Results{ended("a", "linux", 3, 3600, Facts{}),
		ended("a", "linux", 1, 3600, Facts{Failure: "diverged"}), ended("b", "", 2, 0, Facts{}),
		{Run: Run{Model: Row{ID: "c", Name: "C"}}}}}
	s := r.CostSummary()
	if s.Made != 3 || s.Time() != "2.0 h" || s.Days() != "2026-05-01 to 2026-05-03" ||
		!slices.Equal(s.Machines, []string{"linux with 2 CPUs (cpu)"}) || !slices.Equal(s.Versions, []string{"gomlx v1"}) {
		t.Errorf("%+v, %s, %s", s, s.Time(), s.Days())
	}
	if got := r.Origin(); !strings.HasPrefix(got, "3 of 4 planned runs of profile medium are stored, of generation") ||
		!strings.Contains(got, "with 2.0 h of computing on linux with 2 CPUs (cpu) with gomlx v1.") {
		t.Errorf("origin %q", got)
	}
	none := &Report{Profile: Full, Results: r.Results[3:]}
	says := none.Origin()
	const want = "0 of 1 planned runs of profile full are stored."
	if s := none.CostSummary(); s.Made != 0 || s.Days() != "" || says != want {
		t.Errorf("of nothing: %+v, %q", s, says)
	}
}

// The part of a page has no marks that depend on the reader, and leaves the report unchanged.
func TestPart(t *testing.T) {
	one := ended("a", "linux", 1, 1, Facts{})
	one.Shipped, one.OtherBackend = true, true
	study := Study{Name: "toy", Show: func(r *Report) ([]figures.Item, error) {
		table := &figures.Table{Title: r.Results.Title(), Columns: []figures.Column{{Title: "x"}},
			Notes: []string{"of a table"}}
		more := &figures.Table{Title: "more", Columns: []figures.Column{{Title: "x"}}, Notes: []string{"of more"}}
		return []figures.Item{table, more, figures.NoteList{"of all"}}, nil
	}, Page: func(r *Report) (*Page, error) {
		return &Page{Verdict: r.All.Title() + " is best", Overviews: 1}, nil
	}}
	r := &Report{Study: study, Profile: Medium, Results: Results{one}, All: Results{one}}
	p, err := r.Part()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Tables) != 2 || p.Tables[0].Title != "A" || p.Tables[1].Title != "more" || p.Verdict != "A is best" || p.Overviews != 1 {
		t.Errorf("%+v, %+v", p, p.Page)
	}
	if !slices.Contains(p.Notes, "of a table") || !slices.Contains(p.Notes, "of more") || !slices.Contains(p.Notes, "of all") {
		t.Errorf("notes %q", p.Notes)
	}
	if !r.Results[0].Shipped || !r.All[0].OtherBackend || r.Results.Title() == "A" {
		t.Error("the report has lost its marks")
	}
	for _, c := range []struct{ overviews, pictures, shown int }{{0, 0, 2}, {1, 0, 1}, {0, 1, 0}, {1, 2, 1}} {
		p.Overviews, p.Pictures = c.overviews, c.pictures
		if shown, folded := p.FoldedTables(); len(shown) != c.shown || len(shown)+len(folded) != 2 {
			t.Errorf("%+v: %d tables in view and %d folded", c, len(shown), len(folded))
		}
	}
	broken := errors.New("no page")
	r.Study.Page = func(*Report) (*Page, error) { return nil, broken }
	if _, err := r.Part(); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// A page leaves out a figure that cannot be drawn, says why, and keeps the others.
func TestPartWithoutFigure(t *testing.T) {
	line := func(name string, height float64) PageFigure {
		f, err := figures.Lines(figures.Axes{Title: name, Height: height}, figures.Series{Y: []float64{1, 2}})
		if err != nil {
			t.Fatal(err)
		}
		return PageFigure{Name: name, Figure: f}
	}
	study := Study{Show: func(*Report) ([]figures.Item, error) { return nil, nil },
		Page: func(*Report) (*Page, error) {
			return &Page{Figures: []PageFigure{line("low", 60), line("first", 0), line("last", 0)}, Pictures: 2}, nil
		}}
	p, err := (&Report{Study: study}).Part()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Figures) != 2 || p.Figures[0].Name != "first" || p.Pictures != 1 {
		t.Errorf("%+v", p.Page)
	}
	if svg, err := p.Figures[0].SVG(); err != nil || !bytes.Equal(p.Figures[0].Drawing, svg) {
		t.Errorf("drawn as\n%s\nwant, %v,\n%s", p.Figures[0].Drawing, err, svg)
	}
	notes := strings.Join(p.Notes, "\n")
	if strings.Count(notes, "A figure is left out") != 1 || !strings.Contains(notes, `drawing "low" at 640 by 60`) {
		t.Errorf("notes:\n%s", notes)
	}
}

// A report is within another that plans its stored runs; planned runs alone do not matter.
func TestWithin(t *testing.T) {
	results(t)
	study, o := toy(), options(t)
	o.Models, o.Seeds = []string{"zero"}, []uint64{0}
	some := run(t, study, o)
	o.Models, o.Seeds = nil, []uint64{1}
	other, err := study.Stored(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !some.Within(some) || some.Within(other) || !other.Within(some) {
		t.Errorf("within itself %t, another seed %t; without runs %t: want true, false, true", some.Within(some),
			some.Within(other), other.Within(some))
	}
}
