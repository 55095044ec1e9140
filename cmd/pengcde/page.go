package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

type pageCommand struct {
	Profile string `help:"quick, medium or full." placeholder:"NAME" default:"medium"`
	Out     string `help:"The page; its figures go into a folder beside it." placeholder:"FILE" default:"docs/results.md"`
	Shipped bool   `help:"Take no runs but those that came with the module."`
}

// Run writes a page on all studies of which runs are stored, and its figures.
func (c *pageCommand) Run(ctx context.Context, s *streams) error {
	if c.Shipped {
		empty, err := os.MkdirTemp("", "pengcde-no-results-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(empty)
		if err := os.Setenv(experiments.ResultsEnv, empty); err != nil {
			return err
		}
	}
	page, err := makePage(ctx, experiments.Profile(c.Profile), figureFolder(c.Out))
	if err != nil {
		return err
	}
	folder := filepath.Join(filepath.Dir(c.Out), figureFolder(c.Out))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, figure := range page.figures {
		svg, err := figure.SVG()
		if err != nil {
			return err
		}
		path := filepath.Join(folder, figure.Name+".svg")
		if err := durable.WriteFile(path, svg); err != nil {
			return err
		}
		fmt.Fprintln(s.out, path)
	}
	if err := durable.WriteFile(c.Out, []byte(page.text.String())); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, c.Out)
	return err
}

// figureFolder is the name of the folder of a page's figures: "results" for docs/results.md.
func figureFolder(page string) string {
	return strings.TrimSuffix(filepath.Base(page), filepath.Ext(page))
}

// page is Markdown, and the figures that it names.
type page struct {
	text    strings.Builder
	folder  string // of the figures, as the page names it
	figures []experiments.PageFigure
}

func (p *page) add(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// makePage puts what the studies show together, with verdicts first.
func makePage(ctx context.Context, profile experiments.Profile, folder string) (*page, error) {
	p := &page{folder: folder}
	p.add("# Results\n\nWhat the studies of the paper gave here, profile %s. The command `pengcde results page` writes this "+
		"page from stored runs; nothing on it is written by hand. Errors are mean squared errors: the lower the better.\n\n"+
		"## What the runs say\n\n", profile)
	var parts []string
	var none []string
	for _, study := range paper.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report, err := study.Stored(ctx, experiments.Options{Profile: profile})
		if err != nil {
			return nil, err
		}
		if stored, _ := report.Count(); stored == 0 {
			none = append(none, study.Name)
			continue
		}
		text, err := p.study(report)
		if err != nil {
			return nil, fmt.Errorf("page on %s: %w", study.Name, err)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return nil, errs.New(experiments.ErrNotStored, "nothing is stored of any study in profile %s", profile)
	}
	if len(none) > 0 {
		p.add("- Not run yet in this profile: %s. `pengcde run %s --profile %s --dry-run` says how long it takes.\n",
			strings.Join(none, ", "), none[0], profile)
	}
	p.add("\n%s", strings.Join(parts, "\n"))
	return p, nil
}

// study is the part of the page on one, whose verdict is added to the page's beginning.
func (p *page) study(r *experiments.Report) (string, error) {
	for _, results := range []experiments.Results{r.Results, r.All} { // marks are of who looks, not of a page
		for i := range results {
			results[i].Elsewhere, results[i].Shipped = false, false
		}
	}
	items, err := r.Items()
	if err != nil {
		return "", err
	}
	extra := &experiments.Page{}
	if r.Study.Page != nil {
		if extra, err = r.Study.Page(r); err != nil {
			return "", err
		}
	}
	if extra.Verdict != "" {
		p.add("- **[%s](#%s)**: %s\n", r.Study.Title, r.Study.Name, extra.Verdict)
		for _, line := range extra.Details {
			p.add("  - %s\n", line)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s. Data: %s.\n\n", r.Study.Name, r.Study.Title, r.Study.Data)
	if r.Study.About != "" {
		fmt.Fprintf(&b, "%s\n\n", r.Study.About)
	}
	for i, item := range tables(items) {
		if extra.Overviews > 0 && i == extra.Overviews {
			b.WriteString("<details><summary>Each split, with all columns</summary>\n\n")
		}
		text, err := item.(*figures.Table).Markdown()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	if extra.Overviews > 0 {
		b.WriteString("</details>\n\n")
	}
	for _, figure := range extra.Figures {
		fmt.Fprintf(&b, "![%s](%s/%s.svg)\n\n", alt(figure.Figure), p.folder, figure.Name)
	}
	p.figures = append(p.figures, extra.Figures...)
	notes, err := figures.Notes(items...).HTML()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(notes))
	fmt.Fprintf(&b, "Where the runs come from: %s\n", r.Origin())
	return b.String(), nil
}

// alt is a figure's description, as a link of Markdown takes it.
func alt(f *figures.Figure) string {
	return strings.NewReplacer("[", "(", "]", ")", "<", "&lt;", "\n", " ").Replace(f.Alt())
}
