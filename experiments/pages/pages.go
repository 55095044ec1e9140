// Package pages puts the studies of the paper on one page. The page is Markdown with figures in separate files
// ([Document.Markdown], which makes docs/results.md), or a single self-contained HTML file ([Document.Report]). Both
// are made from the same parts, see [experiments.Part]; nothing on them is written by hand.
//
// Start with [Collect].
package pages

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Document holds the stored runs of studies in one profile.
type Document struct {
	Profile experiments.Profile
	// Parts holds the parts of studies with stored runs, and None the reports of the other studies. Both are in the
	// order of the studies.
	Parts []*experiments.Part
	None  []*experiments.Report
}

// Collect finds the stored runs of studies, and makes no new runs. Its error wraps [experiments.ErrNotStored] if none
// is stored.
func Collect(ctx context.Context, profile experiments.Profile, studies []experiments.Study) (*Document, error) {
	d := &Document{Profile: profile}
	for _, study := range studies {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report, err := study.Stored(ctx, experiments.Options{Profile: profile})
		if err != nil {
			return nil, err
		}
		if stored, _ := report.Count(); stored == 0 {
			d.None = append(d.None, report)
			continue
		}
		part, err := report.Part()
		if err != nil {
			return nil, fmt.Errorf("page on %s: %w", study.Name, err)
		}
		d.Parts = append(d.Parts, part)
	}
	if len(d.Parts) == 0 {
		return nil, errs.New(experiments.ErrNotStored, "nothing is stored of any study in profile %s: \"pengcde list\" "+
			"counts the stored runs of others", profile)
	}
	return d, nil
}
