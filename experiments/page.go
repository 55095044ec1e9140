package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// Page is what a page on a study has beside its tables.
type Page struct {
	// Verdict says in two sentences at most what the runs show, whether it pleases or not. Matrix, where present, shows it
	// by case, and Details are the figures behind it, a line each.
	Verdict string
	Matrix  *figures.Table
	Details []string
	// Overviews is the number of tables that Show begins with which stand for the others: those are folded away. 0 folds
	// none.
	Overviews int
	// More are tables behind the tables of Show, such as tables of another profile.
	More    []*figures.Table
	Figures []PageFigure
}

// Part is all that a page on several studies has on one of them.
type Part struct {
	Report *Report
	Page
	Tables []*figures.Table
	Notes  figures.NoteList
}

// Part makes the part of a page on the report. Its rows have no marks of runs that another backend made or that came
// with the module: those are of who looks, not of a page.
func (r *Report) Part() (*Part, error) {
	unmarked := func(results Results) Results {
		results = slices.Clone(results)
		for i := range results {
			results[i].OtherBackend, results[i].Shipped = false, false
		}
		return results
	}
	of := *r
	of.Results, of.All = unmarked(r.Results), unmarked(r.All)
	items, err := of.Items()
	if err != nil {
		return nil, err
	}
	p := &Part{Report: &of}
	if r.Study.Page != nil {
		page, err := r.Study.Page(&of)
		if err != nil {
			return nil, err
		}
		p.Page = *page
	}
	for _, table := range p.More {
		items = append(items, table)
	}
	if p.Matrix != nil {
		items = append(items, figures.NoteList(p.Matrix.Notes))
	}
	for _, item := range items {
		if table, ok := item.(*figures.Table); ok {
			p.Tables = append(p.Tables, table)
		}
	}
	p.Notes = figures.Notes(items...)
	return p, nil
}

// PageFigure is a figure with the name of its file, without extension.
type PageFigure struct {
	Name string
	*figures.Figure
}

// Origin says where the stored results come from: how many there are, when and on what they were made and how long it
// took, and which runs are missing or diverged.
func (r *Report) Origin() string {
	cost := r.CostSummary()
	text := fmt.Sprintf("%d of %d planned runs of profile %s are stored", cost.Made, len(r.Results), r.Profile)
	if cost.Made == 0 {
		return text + "."
	}
	text += fmt.Sprintf(", of generation %d of the numerics, made %s in %s summed", generation, cost.Days(), cost.Time())
	if len(cost.Machines) > 0 {
		text += " on " + strings.Join(cost.Machines, " and ")
	}
	text += fmt.Sprintf(" with %s.", strings.Join(cost.Versions, ", "))
	if gaps := r.Gaps(); len(gaps) > 0 {
		text += " Not complete: " + strings.Join(gaps, ", ") + "."
	}
	return text
}

// Gaps name the models with missing or diverged runs, and count these.
func (r *Report) Gaps() (gaps []string) {
	for _, id := range r.Models() {
		if results := r.Results.Where("model", id); results.Gap() != "" {
			gaps = append(gaps, fmt.Sprintf("%s (%s)", results[0].Model.Name, results.Gap()))
		}
	}
	return gaps
}
