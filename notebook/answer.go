package notebook

import (
	"html"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Answer shows the verdict of a study and the figures that open its page, of the runs in a report, and ends the cell as
// [Check] does if there is an error:
//
//	notebook.Answer(notebook.Stored(paper.Table1().Study, experiments.Options{Profile: experiments.Medium}))
//
// A report without stored runs has no verdict.
func Answer(r *experiments.Report, err error) {
	Check(err)
	items, err := answer(r)
	Check(err)
	Check(Show(items...))
}

func answer(r *experiments.Report) (items []figures.Item, err error) {
	if r.Study.Page == nil {
		return nil, errs.New(experiments.ErrInput, "notebook: study %s has no Page, which holds its answer: show its "+
			"tables by PlotAll(report.Items())", r.Study.Name)
	}
	page, err := r.Study.Page(r)
	if err != nil {
		return nil, err
	}
	if page.Verdict != "" {
		items = append(items, verdict(page.Verdict))
	}
	for _, f := range page.Figures[:page.Pictures] {
		items = append(items, f.Figure)
	}
	return items, nil
}

// verdict is a paragraph in bold type.
type verdict string

// HTML returns the paragraph.
func (v verdict) HTML() (string, error) {
	return `<p style="max-width: 50em"><strong>` + html.EscapeString(string(v)) + "</strong></p>", nil
}
