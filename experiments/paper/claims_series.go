package paper

import (
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments/judge"
)

// onSeries finds, for each split of a series of a study, whether the errors of PENG-CDE are below the errors of others:
// with the published hyperparameters, and tuned.
func onSeries(study, country string, others []string) func(Evidence) ([]Case, error) {
	return func(e Evidence) ([]Case, error) {
		report, why := e.usable(study)
		if report == nil {
			return []Case{missing("", "all splits", why)}, nil
		}
		all, err := comparisons(report)
		if err != nil {
			return nil, err
		}
		return seriesCases(slices.DeleteFunc(all, func(c comparison) bool { return c.place.Country != country }), others)
	}
}

func seriesCases(all []comparison, others []string) (cases []Case, err error) {
	for _, c := range all {
		for _, v := range []variant{plain, tuned} {
			own := c.rowOf("peng", v)
			if own == nil { // not planned for this split
				continue
			}
			group := string(c.split)
			if v != plain {
				group += ", " + string(v)
			}
			rivals, err := c.judge(own.ID)
			if err != nil {
				return nil, err
			}
			for _, id := range others {
				other := c.rowOf(id, v)
				if other == nil {
					continue
				}
				at := slices.IndexFunc(rivals, func(r rival) bool { return r.name == other.Name })
				one := Case{Group: group, Name: other.named(), Finding: rivals[at].Finding}
				if one.tested = one.Outcome != judge.NotTested; one.tested {
					one.Note = fmt.Sprintf("difference of errors %s ± %s", signed(one.Difference), size(one.Half))
				}
				cases = append(cases, one)
			}
		}
	}
	return cases, nil
}
