package series

import (
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/stats"
)

// onSeries returns a finder that tests, for each split of a series of a study, whether the errors of PENG-CDE are
// below the errors of others: with the published hyperparameters, and tuned.
func onSeries(study, country string, others []string) judge.Finder {
	return func(e judge.Evidence) ([]judge.Case, error) {
		report, why := e.Usable(study)
		if report == nil {
			return []judge.Case{judge.Missing("", "all splits", why)}, nil
		}
		all, err := comparisons(report)
		if err != nil {
			return nil, err
		}
		return seriesCases(slices.DeleteFunc(all, func(c comparison) bool { return c.study.Country != country }), others)
	}
}

func seriesCases(all []comparison, others []string) (cases []judge.Case, err error) {
	for _, c := range all {
		for _, v := range []variant{standard, tuned} {
			own := c.rowOf("peng", v)
			if own == nil { // not planned for this split
				continue
			}
			group := string(c.split)
			if v != standard {
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
				one := judge.Case{Group: group, Name: other.named(), Finding: rivals[at].Finding}
				if one.Tested = one.Outcome != stats.NotTested; one.Tested {
					one.Note = fmt.Sprintf("difference of errors %s ± %s", signed(one.Difference, 0), size(one.Half))
				}
				cases = append(cases, one)
			}
		}
	}
	return cases, nil
}

// ofSeries lists the IDs of the models that the paper compares PENG-CDE with.
var ofSeries = []string{"original", "gn-ode", "stg-ncde", "dcrnn", "astgcn", "stidgcn"}

// Finders maps the IDs of the claims on series to their finders.
func Finders() map[string]judge.Finder {
	return map[string]judge.Finder{
		"covid":  onSeries("epidemics", "england", ofSeries),
		"tennis": onSeries("twitter-tennis", "", ofSeries),
	}
}
