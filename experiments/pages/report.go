package pages

import (
	"bytes"
	_ "embed" // for the report
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

//go:embed report.html
var reportText string

//go:embed report.css
var reportStyle string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"sentence": plain.Capital,
	"lines":    func(text string) []string { return strings.Split(text, "\n\n") },
	"chip":     func(v judge.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") },
}).Parse(reportText))

// section is the part of the report on one study.
type section struct {
	*experiments.Part
	// ID is where links to the section lead, and Title its heading.
	ID, Title     string
	Made, Planned int
	// Exhibits names the exhibits of the paper that the study reproduces.
	Exhibits []string
	// Opening holds the figures that open the section, Judged is the comparison matrix, Counted has its numbers, Shown
	// holds the tables, Folded the tables that are folded away, Beside the further content of the paper's exhibits,
	// Drawn the other figures, and Runs the table of runs and their cost.
	Opening, Judged, Counted, Shown, Folded, Beside, Drawn, Runs []template.HTML
}

// Missing returns the number of planned runs that are not stored.
func (s section) Missing() int { return s.Planned - s.Made }

func (s section) Study() experiments.Study { return s.Report.Study }

// Report returns the document as one self-contained HTML file: verdicts on the paper's claims, the paper's tables and
// figures next to ours, and the cost of every study.
func (d *Document) Report() ([]byte, error) {
	sections, err := d.sections()
	if err != nil {
		return nil, err
	}
	claims, err := d.claims()
	if err != nil {
		return nil, err
	}
	counts := make(map[judge.Verdict]int)
	for _, c := range claims {
		counts[c.Verdict]++
	}
	var last time.Time
	for _, s := range sections {
		if ended := s.Report.CostSummary().Last; ended.After(last) {
			last = ended
		}
	}
	costs, err := d.costTable().HTML()
	if err != nil {
		return nil, err
	}
	opening := ""
	if first := d.opening(); first != nil {
		if opening, err = first.Figure.HTML(); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err = reportTemplate.Execute(&b, map[string]any{
		"Style": template.CSS(reportStyle), "Profile": d.Profile, "Sizes": d.sizes(),
		"Opening": template.HTML(opening), "Answers": d.answers(), // figures escape their input, as tables do
		"Sections": sections, "Claims": claims, "Counts": counts,
		"Verdicts": judge.Verdicts(), "Exhibits": d.exhibits(), "JudgedBy": paper.JudgedBy,
		"NotReproduced": paper.NotReproduced,
		"Costs":         template.HTML(costs),
		"AboutCosts":    costsIntroduction,
		"Last":          last.Format("2 January 2006"),
		"Comparable":    d.Profile != experiments.Quick,
	})
	return b.Bytes(), err
}

// exhibit is an exhibit of the paper with links to the studies that reproduce it.
type exhibit struct {
	paper.Exhibit
	Links []link
}

func (d *Document) exhibits() (all []exhibit) {
	for _, x := range paper.Exhibits() {
		e := exhibit{Exhibit: x}
		for _, name := range x.Studies {
			if r := d.report(name, experiments.Full); r != nil {
				e.Links = append(e.Links, link{d.anchor(r), r.Study.Title})
			}
		}
		all = append(all, e)
	}
	return all
}

// sections returns a section for each part, in the order of the paper's studies.
func (d *Document) sections() (all []section, err error) {
	parts := slices.Clone(d.Parts)
	for _, r := range d.None { // only the published numbers are shown
		p, err := r.Part()
		if err != nil {
			return nil, fmt.Errorf("report on %s: %w", r.Study.Name, err)
		}
		parts = append(parts, p)
	}
	for _, study := range paper.InOrder() {
		for _, p := range parts {
			if p.Report.Study.Name != study.Name {
				continue
			}
			s := section{Part: p, ID: d.anchor(p.Report), Title: d.named(study.Title, p.Report)}
			if err := s.fill(d); err != nil {
				return nil, fmt.Errorf("report on %s: %w", study.Name, err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// fill renders the tables and figures of a section.
func (s *section) fill(d *Document) error {
	s.Made, s.Planned = s.Report.Count()
	shown, folded := s.FoldedTables()
	var beside []figures.Item
	for _, exhibit := range paper.Exhibits() {
		if !slices.Contains(exhibit.Studies, s.Study().Name) {
			continue
		}
		s.Exhibits = append(s.Exhibits, exhibit.Name)
		if exhibit.Items == nil || exhibit.Studies[0] != s.Study().Name || s.Report.Profile != d.Profile {
			continue
		}
		items, err := exhibit.Items(d.evidence(d.Profile))
		if err != nil {
			return err
		}
		beside = append(beside, items...)
	}
	if s.Made == 0 {
		empty := func(t *figures.Table) bool { return s.Exhibits == nil || !t.HasPublished() }
		shown, folded = slices.DeleteFunc(slices.Concat(shown, folded), empty), nil
		s.Notes, s.Figures, s.Pictures = nil, nil, 0
	}
	for _, note := range figures.Notes(beside...) {
		if !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	var drawn []figures.Item
	for _, f := range s.Figures {
		drawn = append(drawn, f.Figure)
	}
	opening, drawn := drawn[:s.Pictures], drawn[s.Pictures:]
	for _, list := range []struct {
		items []figures.Item
		to    *[]template.HTML
	}{{tableItems(s.Matrix), &s.Judged}, {tableItems(s.Numbers), &s.Counted},
		{tableItems(shown...), &s.Shown}, {tableItems(folded...), &s.Folded},
		{beside, &s.Beside}, {opening, &s.Opening}, {drawn, &s.Drawn},
		{tableItems(d.runsTable(s.Report)), &s.Runs}} {
		for _, item := range list.items {
			html, err := item.HTML()
			if err != nil {
				return err
			}
			*list.to = append(*list.to, template.HTML(html)) // from package figures, which escapes its input
		}
	}
	return nil
}

// tableItems returns the tables that are not nil.
func tableItems(tables ...*figures.Table) (items []figures.Item) {
	for _, t := range tables {
		if t != nil {
			items = append(items, t)
		}
	}
	return items
}
