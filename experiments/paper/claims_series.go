package paper

import (
	"fmt"
	"slices"
	"strings"
)

// onSeries finds, for each split of a series of a study, whether the errors of PENG-CDE are below the errors of others:
// with the published hyperparameters, and tuned.
func onSeries(study, country string, others []string) func(Evidence) ([]Finding, error) {
	return func(e Evidence) ([]Finding, error) {
		report, why := e.usable(study)
		if report == nil {
			return []Finding{{Case: "all splits", Outcome: Missing, Numbers: why}}, nil
		}
		all, err := comparisons(report)
		if err != nil {
			return nil, err
		}
		return seriesFindings(slices.DeleteFunc(all, func(c comparison) bool { return c.place.Country != country }), others)
	}
}

func seriesFindings(all []comparison, others []string) (findings []Finding, err error) {
	for _, c := range all {
		for _, ending := range []string{"", tunedEnding} {
			own := c.row("peng" + ending)
			if own == nil { // not planned for this split
				continue
			}
			group := string(c.split)
			if ending != "" {
				group += ", tuned"
			}
			j, err := c.judge(own.ID)
			if err != nil {
				return nil, err
			}
			for _, id := range others {
				if r := c.row(id + ending); r != nil {
					findings = append(findings, j.finding(group, *own, *r))
				}
			}
		}
	}
	return findings, nil
}

// finding says whether a row's errors are below the errors of another.
func (j judgement) finding(group string, own, other row) Finding {
	f := Finding{Group: group, Case: strings.TrimSuffix(other.Name, ", tuned"), Outcome: Missing}
	at := slices.IndexFunc(j.rivals, func(r rival) bool { return r.name == other.Name })
	switch {
	case at >= 0:
		d := j.rivals[at].Difference
		f.Outcome, f.test = "", &d
		f.Numbers = fmt.Sprintf("difference of errors %s ± %s", signed(d.Mean), size(d.HalfWidth))
	case own.Gap() != "":
		f.Numbers = own.Name + " " + own.Gap()
	case other.Gap() != "":
		f.Numbers = other.Name + " " + other.Gap()
	default:
		f.Numbers = "no two seeds or windows have errors of both and of the simple forecasts"
	}
	return f
}
