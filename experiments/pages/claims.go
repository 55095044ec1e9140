package pages

import (
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
)

// judged is the judgement of a claim by the runs of a profile.
type judged struct {
	judge.Judgement
	Profile experiments.Profile
	// Elsewhere are the titles of studies with runs that are judged by the document's profile, as Profile has none.
	Elsewhere []string
	// Own is the judgement by the document's profile, if this one is by another; else nil.
	Own *judged
	// Recommended is the judgement with the recommended field as PENG-CDE, nil if the claim has none.
	Recommended *judged
	// Links are the parts of the claim's studies.
	Links []link
}

// link is a link to a part of a page.
type link struct{ ID, Title string }

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
			one.Recommended = &recommended
		}
		all = append(all, one)
	}
	return all, nil
}

// judge judges a claim by the document's parts in profile full, with its own profile for other studies. If these test
// nothing, it judges by its own profile alone.
func (d *Document) judge(c judge.Claim) (judged, error) {
	own, err := d.judgeBy(c, d.Profile)
	if err != nil || d.Profile == experiments.Full {
		return own, err
	}
	for _, study := range c.Studies {
		if d.part(study, experiments.Full) == nil {
			continue
		}
		full, err := d.judgeBy(c, experiments.Full)
		if err != nil || full.Verdict == judge.Untested {
			return own, err
		}
		full.Own = &own
		return full, nil
	}
	return own, nil
}

// judgeBy judges a claim by the parts in a profile, for other studies by the parts in the document's.
func (d *Document) judgeBy(c judge.Claim, profile experiments.Profile) (judged, error) {
	j, err := c.Judge(d.evidence(profile))
	one := judged{Judgement: j, Profile: profile}
	for _, name := range c.Studies {
		if r := d.report(name, profile); r != nil {
			one.Links = append(one.Links, link{d.anchor(r), d.named(r.Study.Title, r)})
			if r.Profile != profile && len(r.Results.Made()) > 0 {
				one.Elsewhere = append(one.Elsewhere, r.Study.Title)
			}
		}
	}
	return one, err
}

// report returns the report on a study in a profile, or else in the document's; nil if the document has neither.
func (d *Document) report(study string, profile experiments.Profile) *experiments.Report {
	for _, p := range []experiments.Profile{profile, d.Profile} {
		if part := d.part(study, p); part != nil {
			return part.Report
		}
	}
	for _, r := range d.None {
		if r.Study.Name == study {
			return r
		}
	}
	return nil
}

// evidence returns the evidence for claims in a profile.
func (d *Document) evidence(profile experiments.Profile) judge.Evidence {
	e := judge.Evidence{Reports: make(map[string]*experiments.Report), EpochSeconds: d.EpochSeconds,
		EpochMachine: d.EpochMachine}
	for _, p := range d.Parts {
		name := p.Report.Study.Name
		if r := d.report(name, profile); r != nil {
			e.Reports[name] = r
		}
	}
	return e
}

// InWords returns the verdict with the cases behind it, by profile if there are two.
func (j judged) InWords() string {
	if j.Own == nil {
		return j.Judgement.InWords()
	}
	return fmt.Sprintf("%s: %s. Profile %s: %s", j.by(), j.Judgement.InWords(), j.Own.Profile, j.Own.Judgement.InWords())
}

// by returns the profiles by which the claim is judged.
func (j judged) by() string {
	text := "profile " + string(j.Profile)
	if j.Elsewhere != nil && j.Own != nil {
		text += fmt.Sprintf(" (%s: %s)", strings.Join(j.Elsewhere, ", "), j.Own.Profile)
	}
	return text
}

// verdict is a verdict with the cases behind it, by one field and profile.
type verdict struct{ By, InWords string }

// ByField returns the verdicts by field and profile; none if there is only one.
func (j judged) ByField() (all []verdict) {
	if j.Own == nil && j.Recommended == nil {
		return nil
	}
	add := func(field string, j *judged) {
		for ; j != nil; j = j.Own {
			all = append(all, verdict{field + ", " + j.by(), j.Judgement.InWords()})
		}
	}
	add("published field", &j)
	add("recommended field", j.Recommended)
	return all
}

// claimsTable returns the verdicts on the paper's claims about studies.
func (d *Document) claimsTable() (string, error) {
	claims, err := d.claims()
	if err != nil {
		return "", err
	}
	t := figures.Table{Columns: []figures.Column{{Title: "the paper claims"}, {Title: "in"},
		{Title: "with the published field"}, {Title: "with the recommended field"}}}
	for _, c := range claims {
		if len(c.Studies) == 0 {
			continue
		}
		recommended := experiments.None()
		if c.Recommended != nil {
			recommended = figures.Text(c.Recommended.InWords())
		}
		t.Rows = append(t.Rows, []figures.Cell{figures.Text(c.Says), figures.Text(c.Printed), figures.Text(c.InWords()),
			recommended})
	}
	return t.Markdown()
}
