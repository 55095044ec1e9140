package notebook

import (
	"errors"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// An answer is the verdict, then the figures that open the study's page and no others.
func TestAnswer(t *testing.T) {
	page := &experiments.Page{Verdict: "A < B.", Pictures: 1}
	for _, title := range []string{"opens", "follows"} {
		page.Figures = append(page.Figures, experiments.PageFigure{Name: title,
			Figure: mustLines(t, figures.Axes{Title: title})})
	}
	r := &experiments.Report{Study: experiments.Study{Name: "s",
		Page: func(*experiments.Report) (*experiments.Page, error) { return page, nil }}}
	items, err := answer(r)
	if err != nil || len(items) != 2 {
		t.Fatalf("%d items, %v, want two", len(items), err)
	}
	says, err := items[0].HTML()
	if err != nil || !strings.Contains(says, "A &lt; B.") {
		t.Errorf("verdict %q, %v", says, err)
	}
	if drawn, ok := items[1].(*figures.Figure); !ok || drawn.Title() != "opens" {
		t.Errorf("%+v, want the first figure", items[1])
	}
	page.Verdict, page.Pictures = "", 0
	if items, err := answer(r); err != nil || len(items) != 0 {
		t.Errorf("%d items, %v without runs, want none", len(items), err)
	}
	r.Study.Page = nil
	if _, err := answer(r); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("error %v of a study without a page, want ErrInput", err)
	}
}
