package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

type showCommand struct {
	choice
	Format string `help:"text, also into a pipe; markdown; or json (every run)." enum:"text,markdown,json" default:"text"`
}

// Run prints the stored runs, and computes nothing.
func (c *showCommand) Run(ctx context.Context, s *streams) error {
	report, o, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	if c.Profile == "" && os.Getenv(experiments.ProfileEnv) == "" {
		if report, o, err = fullest(ctx, report, o); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(report.Results, func(r experiments.Result) bool { return r.Record != nil || r.Stale }) {
		return c.nothing(ctx, report, o)
	}
	switch c.Format {
	case "text":
		if err := show(s.out, report); err != nil {
			return err
		}
		more, err := fuller(ctx, report, o)
		for _, other := range more {
			fmt.Fprintln(s.out, "More:", other)
		}
		return err
	case "markdown":
		fmt.Fprintln(s.err, counted(report))
		return showMarkdown(s.out, report)
	}
	fmt.Fprintln(s.err, counted(report))
	for _, line := range report.Remarks() { // tables have them among their notes
		fmt.Fprintln(s.err, line)
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetIndent("", " ")
	return encoder.Encode(report)
}

// nothing returns the error that no run is stored, and what to do.
func (c choice) nothing(ctx context.Context, r *experiments.Report, o experiments.Options) error {
	c.Profile = string(r.Profile)
	text := fmt.Sprintf(`nothing stored of what was asked for of %s, profile %s, in %s: run "pengcde run %s"`,
		r.Study.Name, r.Profile, r.Folder(), shell(c.arguments()))
	more, err := fuller(ctx, r, o)
	for _, other := range more {
		text += fmt.Sprintf(", or see %v", other)
	}
	return cmp.Or(err, errs.New(experiments.ErrNotStored, "%s", text))
}

// fullest returns the report of the profile with the most stored runs.
func fullest(ctx context.Context, r *experiments.Report, o experiments.Options) (*experiments.Report,
	experiments.Options, error) {
	more, err := fuller(ctx, r, o)
	if err != nil || len(more) == 0 {
		return r, o, err
	}
	o.Profile = slices.MaxFunc(more, func(a, b counts) int { return cmp.Compare(a.stored, b.stored) }).profile
	r, err = r.Study.Stored(ctx, o)
	return r, o, err
}

// counts holds the numbers of stored and of planned runs of a profile.
type counts struct {
	profile         experiments.Profile
	stored, planned int
}

func (c counts) String() string {
	return fmt.Sprintf("--profile %s (%d of %d runs stored)", c.profile, c.stored, c.planned)
}

// fuller returns the profiles with more stored runs.
func fuller(ctx context.Context, r *experiments.Report, o experiments.Options) (all []counts, err error) {
	least, _ := r.Count()
	states, err := r.Study.States(ctx, o)
	for _, p := range experiments.Profiles() {
		if stored, planned := states[p].Count(); stored > least {
			all = append(all, counts{p, stored, planned})
		}
	}
	return all, err
}

// show prints the tables of a report as text and its figures in words, with the notes once and the path of the
// results.
func show(out *os.File, r *experiments.Report) error {
	items, err := r.Items()
	if err != nil {
		return err
	}
	width := widthOf(out)
	fmt.Fprint(out, wrapped(fmt.Sprintf("%s, profile %s: %s", r.Study.Title, r.Profile, counted(r)), width))
	for _, item := range items {
		text := ""
		switch item := item.(type) {
		case *figures.Table:
			text, err = item.Text(width)
		case *figures.Figure: // in words
			text = wrapped(item.Alt(), width)
		}
		if err != nil {
			return err
		}
		if text != "" {
			fmt.Fprint(out, "\n"+text)
		}
	}
	text, err := figures.Notes(items...).Text(width)
	if err != nil {
		return err
	}
	if text != "" {
		fmt.Fprint(out, "\n"+text)
	}
	_, err = fmt.Fprintf(out, "\nResults: %s\n", r.Folder())
	return err
}

// showMarkdown prints the tables and the notes as Markdown.
func showMarkdown(w io.Writer, r *experiments.Report) error {
	items, err := r.Items()
	if err != nil {
		return err
	}
	for i, item := range append(tables(items), figures.Notes(items...)) {
		text, err := item.(interface{ Markdown() (string, error) }).Markdown()
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintln(w, strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	return nil
}

// tables returns the tables among the items; notes are shown once at the end, and figures in notebooks.
func tables(items []figures.Item) (some []figures.Item) {
	for _, item := range items {
		if table, ok := item.(*figures.Table); ok {
			some = append(some, table)
		}
	}
	return some
}
