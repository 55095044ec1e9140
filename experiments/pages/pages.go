// Package pages shows all studies of the paper, as Markdown with a page and figures for each study
// ([Document.Markdown], which makes docs/results.md and docs/results), or as a single self-contained HTML file
// ([Document.Report]). Both are made from the same parts, see [experiments.Part]; nothing on them is written by hand.
//
// Start with [Collect].
package pages

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Document holds the stored runs of studies in one profile. A document of profile medium also has a part in profile
// full, before the study's own, if full has stored runs that medium does not plan and they compare models.
type Document struct {
	Profile experiments.Profile
	// Parts holds the parts of studies with stored runs, and None the reports of studies without stored runs in this
	// profile. Both are in the order of the paper, see [paper.InOrder].
	Parts []*experiments.Part
	None  []*experiments.Report
	// EpochSeconds holds the seconds per training epoch, by model ID and number of nodes, and EpochMachine names the
	// machine that measured them. Claims about speed are judged by them; without them they stay untested.
	EpochSeconds map[string]map[int]float64
	EpochMachine string

	costs []studyCost // of all studies, in the same order
}

// Collect finds the stored runs of all studies, and makes no new runs. Its error wraps [experiments.ErrNotStored] if
// none is stored.
func Collect(ctx context.Context, profile experiments.Profile) (*Document, error) {
	d := &Document{Profile: profile}
	for _, study := range paper.InOrder() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.add(ctx, study); err != nil {
			return nil, fmt.Errorf("page on %s: %w", study.Name, err)
		}
	}
	if len(d.Parts) == 0 {
		return nil, errs.New(experiments.ErrNotStored, "nothing is stored of any study in profile %s: \"pengcde list\" "+
			"counts the stored runs of others", profile)
	}
	return d, nil
}

// add adds the parts and the cost of a study.
func (d *Document) add(ctx context.Context, study experiments.Study) error {
	reports := make(map[experiments.Profile]*experiments.Report)
	for _, p := range experiments.Profiles() {
		r, err := study.Stored(ctx, experiments.Options{Profile: p})
		if err != nil {
			return err
		}
		reports[p] = r
	}
	cost := studyCost{study, make(map[experiments.Profile]experiments.Estimate)}
	for _, p := range d.profiles() {
		cost.byProfile[p] = reports[p].Estimate(slices.Collect(maps.Values(reports))...)
	}
	d.costs = append(d.costs, cost)
	own, full := reports[d.Profile], reports[experiments.Full]
	if d.Profile == experiments.Medium && !full.Within(own) {
		part, err := full.Part()
		if err != nil {
			return err
		}
		if part.Matrix != nil {
			for i := range part.Figures {
				part.Figures[i].Name += "-" + string(experiments.Full)
			}
			d.Parts = append(d.Parts, part)
		}
	}
	if stored, _ := own.Count(); stored == 0 {
		d.None = append(d.None, own)
		return nil
	}
	part, err := own.Part()
	if err != nil {
		return err
	}
	d.Parts = append(d.Parts, part)
	return nil
}

// profiles returns profile full and the document's own.
func (d *Document) profiles() []experiments.Profile {
	return slices.Compact([]experiments.Profile{experiments.Full, d.Profile})
}

// answer is the verdict of a part, sentence by sentence, with a link to it.
type answer struct {
	link
	Sentences []string
}

var sentenceEnd = regexp.MustCompile(`\. \p{Lu}`)

// sentences splits a text at its full stops.
func sentences(text string) (all []string) {
	if text == "" {
		return nil
	}
	for {
		end := sentenceEnd.FindStringIndex(text)
		if end == nil {
			return append(all, text)
		}
		all, text = append(all, text[:end[0]+1]), text[end[0]+2:]
	}
}

// answers returns the parts' verdicts.
func (d *Document) answers() (all []answer) {
	for _, p := range d.Parts {
		if p.Verdict != "" {
			all = append(all, answer{link{d.anchor(p.Report), d.named(p.Report.Study.Title, p.Report)},
				sentences(p.Verdict)})
		}
	}
	return all
}

// opening returns the first picture of the first part that has one, or nil.
func (d *Document) opening() *experiments.PageFigure {
	for _, p := range d.Parts {
		if p.Pictures > 0 {
			return &p.Figures[0]
		}
	}
	return nil
}

// part returns the part of a study in a profile, or nil.
func (d *Document) part(study string, profile experiments.Profile) *experiments.Part {
	at := slices.IndexFunc(d.Parts, func(p *experiments.Part) bool {
		return p.Report.Study.Name == study && p.Report.Profile == profile
	})
	if at < 0 {
		return nil
	}
	return d.Parts[at]
}

// sizes explains the profiles of the parts, ending with a space; "" if all are of one profile.
func (d *Document) sizes() string {
	other := func(p *experiments.Part) bool { return p.Report.Profile != d.Profile }
	if !slices.ContainsFunc(d.Parts, other) {
		return ""
	}
	return fmt.Sprintf("Profile %s is smaller than the paper's studies; parts whose headings name profile %s have the "+
		"paper's size. ", d.Profile, experiments.Full)
}

// named adds the profile of a report to a name of its study, if it is not the document's.
func (d *Document) named(name string, r *experiments.Report) string {
	if r.Profile != d.Profile {
		name += fmt.Sprintf(", profile %s", r.Profile)
	}
	return name
}

// anchor returns where links to a part lead in the report.
func (d *Document) anchor(r *experiments.Report) string {
	return strings.NewReplacer(",", "", " ", "-").Replace(d.named(r.Study.Name, r))
}
