package pages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
)

// rowsNote explains the names of rows that most studies have.
const rowsNote = "Rows: *PENG-CDE* has the published field; *Constant* sees no graph; *recommended* is the field " +
	"that trains, and *Maps of A alone with a linear part* is the same without A′ ([equation](equation.md)); other " +
	"rows *with a linear part* and *residual* correct a simple forecast; *Linear law* is an equation fitted by least " +
	"squares, without a network; *tuned* rows chose their size on validation."

// claimsIntroduction explains the table of the claims.
const claimsIntroduction = "Each row is a claim of the paper, in our words. *Published field*: PENG-CDE with " +
	"the paper's field. *Recommended*: the field that trains, where the claim is about PENG-CDE's errors or weights " +
	"on simulated worlds. A case is a comparison, such as with one rival on heat; the claim holds if it holds in all. " +
	"Verdicts are for this page's profile where none is named."

// Markdown returns the document as a page that opens with a picture and the verdicts. It refers to its figures as files
// FOLDER/NAME.svg.
func (d *Document) Markdown(folder string) (text string, drawn []experiments.PageFigure, err error) {
	var b strings.Builder
	opening := ""
	if first := d.opening(); first != nil {
		opening = picture(*first, folder)
	}
	fmt.Fprintf(&b, "# Results\n\nWhat the studies of the paper gave here, in profile %s. The command `pengcde "+
		"results page` writes this page from stored runs; nothing on it is written by hand. At the end it says [what "+
		"the runs cost](#runs-and-their-cost). %sScores are mean squared "+
		"errors, the lower the better, except accuracy (sir) and NDCG (node-affinity), the higher the "+
		"better.\n\n%s<details><summary>Names of rows, and marks in the matrices</summary>\n\n"+rowsNote+
		"\n\nMarks: "+judge.Legend("")+"\n\n</details>\n\n## What the runs say\n\n",
		d.Profile, d.sizes(), opening)
	for _, a := range d.answers() {
		fmt.Fprintf(&b, "- **[%s](#%s)**\n", a.Title, a.ID)
		for _, sentence := range a.Sentences {
			fmt.Fprintf(&b, "  - %s\n", sentence)
		}
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
		return "", nil, err
	}
	fmt.Fprintf(&b, "\n## The paper's claims\n\n"+claimsIntroduction+"\n\n%s\n<details><summary>How claims are "+
		"judged</summary>\n\n%s\n\n</details>\n", claims, paper.JudgedBy)
	for i, p := range d.Parts {
		again := i > 0 && d.Parts[i-1].Report.Study.Name == p.Report.Study.Name
		text, err := d.markdownPart(p, folder, again)
		if err != nil {
			return "", nil, fmt.Errorf("page on %s: %w", p.Report.Study.Name, err)
		}
		b.WriteString("\n" + text)
		drawn = append(drawn, p.Figures...)
	}
	costs, err := d.costTable().Markdown()
	if err != nil {
		return "", nil, err
	}
	fmt.Fprintf(&b, "\n## Runs and their cost\n\n"+costsIntroduction+"\n\n%s", costs)
	return b.String(), drawn, nil
}

// markdownPart returns a part of the page on one study. If again is set, the part before it is on the same study.
func (d *Document) markdownPart(p *experiments.Part, folder string, again bool) (string, error) {
	var b strings.Builder
	study := p.Report.Study
	fmt.Fprintf(&b, "## %s\n\n", d.named(study.Name, p.Report))
	if again {
		fmt.Fprintf(&b, "The same study in profile %s.\n\n", p.Report.Profile)
	} else {
		fmt.Fprintf(&b, "%s. Data: %s.\n\n", study.Title, study.Data)
		if study.About != "" {
			fmt.Fprintf(&b, "%s\n\n", study.About)
		}
	}
	draw := func(all []experiments.PageFigure) {
		for _, figure := range all {
			b.WriteString(picture(figure, folder))
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

// picture returns a figure as a paragraph.
func picture(f experiments.PageFigure, folder string) string {
	return fmt.Sprintf("![%s](%s/%s.svg)\n\n", markdownAlt(f.Figure), folder, f.Name)
}

// markdownAlt returns a figure's description in the form that a Markdown link accepts.
func markdownAlt(f *figures.Figure) string {
	return strings.NewReplacer("[", "(", "]", ")", "<", "&lt;", "\n", " ").Replace(f.Alt())
}
