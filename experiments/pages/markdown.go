package pages

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
)

// rowsNote explains the names of rows that most studies have, and the marks in their matrices. It takes the path of the
// page on the equation.
const rowsNote = "<details><summary>Names of rows, and marks in the matrices</summary>\n\n" +
	"Rows: *PENG-CDE* has the published field; *Constant* sees no graph; *recommended* is the field " +
	"that trains, and *Maps of A alone with a linear part* is the same without A′ ([equation](%s)); other " +
	"rows *with a linear part* and *residual* correct a simple forecast; *Linear law* is an equation fitted by least " +
	"squares, without a network, whose terms contain the truth of heat (errors below 1e-6 count as 1e-6); " +
	"*tuned* rows chose their size on validation.\n\nMarks: %s\n\n</details>\n\n"

// claimsIntroduction explains the table of the claims.
const claimsIntroduction = "Each row is a claim of the paper, in our words. *Published field*: PENG-CDE with " +
	"the paper's field. *Recommended*: the field that trains, where the claim is about PENG-CDE's errors or weights " +
	"on simulated worlds. A case is a comparison, such as with one rival on heat; the claim holds if it holds in all. " +
	"Verdicts are for this page's profile where none is named. A claim corrects p values for its own cases, a matrix " +
	"for all its rivals, so that one may show what the other leaves undecided."

// Page is a Markdown page. Its path starts from the folder of the opening page.
type Page struct{ Path, Text string }

// Markdown returns the document as pages: first the opening page, a file with the given name, with a picture and the
// verdicts; then STUDY.md for each study with stored runs. The latter and the figures, FIGURE.svg, are in a folder with
// the name of the opening page less its ending.
func (d *Document) Markdown(opening string) (all []Page, drawn []experiments.PageFigure, err error) {
	folder := strings.TrimSuffix(opening, path.Ext(opening))
	text, err := d.openingPage(folder)
	if err != nil {
		return nil, nil, err
	}
	all = []Page{{opening, text}}
	for rest := d.Parts; len(rest) > 0; {
		study := rest[0].Report.Study
		own := 1
		for own < len(rest) && rest[own].Report.Study.Name == study.Name {
			own++
		}
		text, err := d.studyPage(rest[:own], opening)
		if err != nil {
			return nil, nil, fmt.Errorf("page on %s: %w", study.Name, err)
		}
		all = append(all, Page{path.Join(folder, study.Name+".md"), text})
		for _, p := range rest[:own] {
			drawn = append(drawn, p.Figures...)
		}
		rest = rest[own:]
	}
	return all, drawn, nil
}

// openingPage returns the verdicts on all studies, with links to their pages.
func (d *Document) openingPage(folder string) (string, error) {
	var b strings.Builder
	opening := ""
	if first := d.opening(); first != nil {
		opening = picture(*first, folder+"/")
	}
	fmt.Fprintf(&b, "# Results\n\nWhat the studies of the paper gave here, in profile %s; each study has its own "+
		"page. The command `pengcde results page` writes these pages from stored runs; nothing on them is written by "+
		"hand. At the end this page says [what the runs cost](#runs-and-their-cost). %sScores are mean squared "+
		"errors, the lower the better, except accuracy (sir) and NDCG (node-affinity), the higher the "+
		"better.\n\n%s"+rowsNote+"## What the runs say\n\n",
		d.Profile, d.sizes(), opening, "equation.md", judge.Legend(""))
	for _, p := range d.Parts {
		fmt.Fprintf(&b, "- **[%s](%s/%s.md#%s)**\n", d.named(p.Report.Study.Title, p.Report), folder, p.Report.Study.Name,
			profileAnchor(p.Report))
		b.WriteString(bullets(p, "  "))
	}
	if len(d.None) > 0 {
		var names []string
		for _, r := range d.None {
			names = append(names, r.Study.Name)
		}
		fmt.Fprintf(&b, "- Not run yet in this profile: %s. `pengcde run %s --profile %s --dry-run` says how long it "+
			"takes.\n", strings.Join(names, ", "), names[0], d.Profile)
	}
	claims, err := d.claimsTable()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\n## The paper's claims\n\n"+claimsIntroduction+"\n\n%s\n<details><summary>How claims are "+
		"judged</summary>\n\n%s\n\n</details>\n", claims, paper.JudgedBy)
	costs, err := d.costTable().Markdown()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\n## Runs and their cost\n\n"+costsIntroduction+"\n\n%s", costs)
	return b.String(), nil
}

// bullets returns the verdict of a part as a list.
func bullets(p *experiments.Part, indent string) string {
	var b strings.Builder
	for _, sentence := range sentences(p.Verdict) {
		fmt.Fprintf(&b, "%s- %s\n", indent, sentence)
	}
	return b.String()
}

// profileAnchor returns where links to a part lead on the page of its study.
func profileAnchor(r *experiments.Report) string { return fmt.Sprintf("profile-%s", r.Profile) }

// studyPage returns the page on one study, whose parts differ in their profiles.
func (d *Document) studyPage(parts []*experiments.Part, opening string) (string, error) {
	var b strings.Builder
	study := parts[0].Report.Study
	fmt.Fprintf(&b, "# %s\n\nThe study `%s`, part of the [results](../%s). Data: %s.\n\n", study.Title, study.Name,
		opening, study.Data)
	if study.About != "" {
		fmt.Fprintf(&b, "%s\n\n", study.About)
	}
	fmt.Fprintf(&b, rowsNote, "../equation.md", judge.Legend(""))
	for i, p := range parts {
		text, err := d.markdownPart(p)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// markdownPart returns a part of the page on its study.
func (d *Document) markdownPart(p *experiments.Part) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## Profile %s\n\n", p.Report.Profile)
	if said := bullets(p, ""); said != "" {
		fmt.Fprintf(&b, "%s\n", said)
	}
	draw := func(all []experiments.PageFigure) {
		for _, figure := range all {
			b.WriteString(picture(figure, ""))
		}
	}
	draw(p.Figures[:p.Pictures])
	if p.Matrix != nil {
		text, err := p.Matrix.Markdown()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	if p.Numbers != nil || len(p.Details) > 0 {
		b.WriteString("<details><summary>The numbers behind it</summary>\n\n")
		if p.Numbers != nil {
			text, err := p.Numbers.Markdown()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s\n", text)
		}
		for _, line := range p.Details {
			fmt.Fprintf(&b, "- %s\n", line)
		}
		b.WriteString("\n</details>\n\n")
	}
	shown, folded := p.FoldedTables()
	for i, table := range slices.Concat(shown, folded) {
		if i == len(shown) {
			b.WriteString("<details><summary>Further tables</summary>\n\n")
		}
		text, err := table.Markdown()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	if len(folded) > 0 {
		b.WriteString("</details>\n\n")
	}
	draw(p.Figures[p.Pictures:])
	notes, err := p.Notes.HTML()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(notes))
	runs, err := d.runsTable(p.Report).Markdown()
	if err != nil {
		return "", err
	}
	const summary = "<details><summary>Where the runs come from, and what they cost</summary>"
	fmt.Fprintf(&b, summary+"\n\n%s\n\n%s\n</details>\n", p.Report.Origin(), runs)
	return b.String(), nil
}

// picture returns a figure as a paragraph, from a folder that is empty or ends with a slash.
func picture(f experiments.PageFigure, folder string) string {
	return fmt.Sprintf("![%s](%s%s.svg)\n\n", markdownAlt(f.Figure), folder, f.Name)
}

// markdownAlt returns a figure's description in the form that a Markdown link accepts.
func markdownAlt(f *figures.Figure) string {
	return strings.NewReplacer("[", "(", "]", ")", "<", "&lt;", "\n", " ").Replace(f.Alt())
}
