// Package pages puts the studies of the paper on one page. The page is Markdown with figures in separate files
// ([Document.Markdown], which makes docs/results.md), or a single self-contained HTML file ([Document.Report]). Both
// are made from the same parts, see [experiments.Part]; nothing on them is written by hand.
//
// Start with [Collect].
package pages

import (
	"context"
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Document holds the stored runs of studies in one profile. Beside profile medium stands the published size: a study
// has a part in profile full before its own if models are compared there in runs that medium does not have.
type Document struct {
	Profile experiments.Profile
	// Parts holds the parts of studies with stored runs, and None the reports of the other studies. Both are in the
	// order of the studies.
	Parts []*experiments.Part
	None  []*experiments.Report
	// EpochSeconds holds the seconds per training epoch, by model ID and number of nodes, and EpochMachine names the
	// machine that measured them. Claims about speed are judged by them; without them they stay untested.
	EpochSeconds map[string]map[int]float64
	EpochMachine string
}

// Collect finds the stored runs of studies, and makes no new runs. Its error wraps [experiments.ErrNotStored] if none
// is stored.
func Collect(ctx context.Context, profile experiments.Profile, studies []experiments.Study) (*Document, error) {
	d := &Document{Profile: profile}
	for _, study := range studies {
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

// add adds the parts of a study.
func (d *Document) add(ctx context.Context, study experiments.Study) error {
	own, err := study.Stored(ctx, experiments.Options{Profile: d.Profile})
	if err != nil {
		return err
	}
	if d.Profile == experiments.Medium {
		full, err := study.Stored(ctx, experiments.Options{Profile: experiments.Full})
		if err != nil {
			return err
		}
		if !full.Within(own) {
			part, err := full.Part()
			if err != nil {
				return err
			}
			for i := range part.Figures {
				part.Figures[i].Name += "-" + string(experiments.Full)
			}
			if part.Matrix != nil {
				d.Parts = append(d.Parts, part)
			}
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

// heading returns the heading of a part, and anchor where links to it lead.
func (d *Document) heading(p *experiments.Part) string {
	if p.Report.Profile != d.Profile {
		return fmt.Sprintf("%s, profile %s", p.Report.Study.Name, p.Report.Profile)
	}
	return p.Report.Study.Name
}

func (d *Document) anchor(p *experiments.Part) string {
	return strings.NewReplacer(",", "", " ", "-").Replace(d.heading(p))
}

// evidence returns the evidence for claims in a profile.
func (d *Document) evidence(profile experiments.Profile) judge.Evidence {
	e := judge.Evidence{Reports: make(map[string]*experiments.Report), EpochSeconds: d.EpochSeconds,
		EpochMachine: d.EpochMachine}
	for _, p := range d.Parts {
		if p.Report.Profile == profile {
			e.Reports[p.Report.Study.Name] = p.Report
		}
	}
	return e
}

// judged is the judgement of a claim by the runs of a profile.
type judged struct {
	judge.Judgement
	Profile experiments.Profile
	// Others holds the judgement by the document's profile if another profile has judged the claim. Recommended holds
	// the judgement with the recommended field in place of the published one, if the claim is about its errors.
	Others, Recommended []judged
}

// claims judges the paper's claims.
func (d *Document) claims() (all []judged, err error) {
	for _, c := range paper.Claims() {
		one, err := d.judge(c)
		if err != nil {
			return nil, err
		}
		if c.Recommended != nil {
			c.Find = c.Recommended
			recommended, err := d.judge(c)
			if err != nil {
				return nil, err
			}
			one.Recommended = []judged{recommended}
		}
		all = append(all, one)
	}
	return all, nil
}

// judge judges a claim by the runs of profile full where the document has a part of them that tests a case, else by
// the document's profile.
func (d *Document) judge(c judge.Claim) (judged, error) {
	own, err := c.Judge(d.evidence(d.Profile))
	one := judged{Judgement: own, Profile: d.Profile}
	if err != nil || d.Profile == experiments.Full || !d.collected(experiments.Full, c.Studies) {
		return one, err
	}
	full, err := c.Judge(d.evidence(experiments.Full))
	if err != nil || full.Verdict == judge.Untested {
		return one, err
	}
	return judged{Judgement: full, Profile: experiments.Full, Others: []judged{one}}, nil
}

// collected reports whether the document has a part of one of the studies in a profile.
func (d *Document) collected(profile experiments.Profile, studies []string) bool {
	reports := d.evidence(profile).Reports
	for _, name := range studies {
		if reports[name] != nil {
			return true
		}
	}
	return false
}
