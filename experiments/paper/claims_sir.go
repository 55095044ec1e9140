package paper

import (
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
)

// changesOf finds whether the scores of panels of the SIR study go where they are expected to.
func changesOf(expected expectation, panels ...string) func(Evidence) ([]Finding, error) {
	return func(e Evidence) (all []Finding, err error) {
		report, why := e.usable("sir")
		if report == nil {
			runs, err := SIR().Plan(context.Background(), experiments.Scope{Profile: experiments.Medium})
			if err != nil {
				return nil, err
			}
			for _, id := range expected.models {
				at := slices.IndexFunc(runs, func(r experiments.Run) bool { return r.Model.ID == id })
				all = append(all, Finding{Case: caseOf(runs[at].Model), Outcome: Missing, Numbers: why})
			}
			return all, nil
		}
		for _, p := range SIR().panels(report) {
			if slices.Contains(panels, p.name) {
				all = append(all, p.findings(expected)...)
			}
		}
		return all, nil
	}
}

// caseOf names a row: the paper's claims are of networks in discrete steps with the defects of its code.
func caseOf(m experiments.Row) string {
	if slices.Contains(discreteIDs, m.ID) {
		return m.Name + " (mended)"
	}
	return m.Name
}

func (p panel) findings(expected expectation) (all []Finding) {
	changes, beside := p.changes(), ""
	for _, c := range changes {
		if c.model.ID == ratioID && c.gap == "" && !p.times { // then even an accuracy of 1 says little of a model
			beside = fmt.Sprintf("; without learning anything: mean %.2f", c.mean.mean)
		}
	}
	for _, id := range expected.models {
		row := p.results.Where("model", id)
		if len(row) == 0 {
			continue
		}
		f := Finding{Group: p.of, Case: caseOf(row[0].Model), Outcome: Missing, Numbers: row.Gap()}
		at := slices.IndexFunc(changes, func(c change) bool { return c.model.ID == id })
		if at >= 0 && changes[at].gap == "" {
			f.Outcome, f.Numbers = expected.outcome(changes[at]), changes[at].String()+beside
		} else if f.Numbers == "" {
			f.Numbers = "a single seed or place is stored"
		}
		all = append(all, f)
	}
	return all
}
