// Package pages puts the studies of the paper on one page: as Markdown with figures beside it ([Document.Markdown],
// which is docs/results.md), or as one HTML file that needs no other ([Document.Report]). Both are made of the same
// parts, see [experiments.Part], and nothing on them is written by hand.
//
// Start with [Collect].
package pages

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Document holds the stored runs of some studies in one profile.
type Document struct {
	Profile experiments.Profile
	// Parts are the parts of studies with stored runs, None the reports on the others. Both are in the order of the
	// studies.
	Parts []*experiments.Part
	None  []*experiments.Report
}

// Collect finds the stored runs of studies, and makes no others. Its error wraps [experiments.ErrNotStored] where none
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
