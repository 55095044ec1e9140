package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// Page holds what the page of a study shows in addition to its tables.
type Page struct {
	// Verdict states in a few sentences what the runs show, good or bad. Matrix, if present, shows it by case. Numbers
	// and Details, if present, have the numbers behind it, as a table and as lines.
	Verdict         string
	Matrix, Numbers *figures.Table
	Details         []string
	// Overviews is the number of summary tables at the start of Show. If it or Pictures is positive, the remaining
	// tables are folded away.
	Overviews int
	// Figures follow the tables, except for the first ones, Pictures of them, which open the page.
	Figures  []PageFigure
	Pictures int
}

// Part holds everything about one study on a page about several studies.
type Part struct {
	Report *Report
	Page
	Tables []*figures.Table
	Notes  figures.NoteList
}

// Part returns the part of a page for this report. Its rows carry no marks for runs of another backend or runs that
// came with the module, because those depend on the reader's machine.
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
	undrawn, err := p.draw()
	if err != nil {
		return nil, err
	}
	items = append(items, undrawn)
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

// draw draws the figures. It removes those that cannot be drawn and returns a note on each: the other figures and the
// tables are shown without them.
func (p *Page) draw() (notes figures.NoteList, err error) {
	all, pictures := p.Figures, p.Pictures
	p.Figures = nil
	for i, figure := range all {
		figure.Drawing, err = figure.SVG()
		switch {
		case err == nil:
			p.Figures = append(p.Figures, figure)
			continue
		case !errors.Is(err, figures.ErrInput):
			return nil, err
		}
		notes = append(notes, fmt.Sprintf("A figure is left out: %v.", err))
		if i < pictures {
			p.Pictures--
		}
	}
	return notes, nil
}

// FoldedTables returns the tables in view and the tables that are folded away.
func (p *Part) FoldedTables() (shown, folded []*figures.Table) {
	if p.Overviews == 0 && p.Pictures == 0 {
		return p.Tables, nil
	}
	return p.Tables[:p.Overviews], p.Tables[p.Overviews:]
}

// PageFigure is a figure with its file name, without extension. [Report.Part] sets Drawing to the figure's SVG.
type PageFigure struct {
	Name string
	*figures.Figure
	Drawing []byte
}

// Origin describes the source of the stored results: their number, dates, machines and total time.
func (r *Report) Origin() string {
	cost := r.CostSummary()
	text := fmt.Sprintf("%d of %d planned runs of profile %s are stored", cost.Made, len(r.Results), r.Profile)
	if cost.Made == 0 {
		return text + "."
	}
	text += fmt.Sprintf(", of generation %d of the numerics, made %s with %s of computing", generation, cost.Days(),
		cost.Time())
	if len(cost.Machines) > 0 {
		text += " on " + strings.Join(cost.Machines, " and ")
	}
	return text + fmt.Sprintf(" with %s.", strings.Join(cost.Versions, ", "))
}
