package sir

import (
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// changesOf returns a finder that tests whether the scores of panels of the SIR study change as expected.
func changesOf(expected expectation, panels ...string) judge.Finder {
	return func(e judge.Evidence) (all []judge.Case, err error) {
		report, why := e.Usable("sir")
		if report == nil {
			runs, err := SIR().Plan(context.Background(), experiments.Scope{Profile: experiments.Medium})
			if err != nil {
				return nil, err
			}
			for _, id := range expected.models {
				at := slices.IndexFunc(runs, func(r experiments.Run) bool { return r.Model.ID == id })
				all = append(all, judge.Missing("", caseOf(runs[at].Model), why))
			}
			return all, nil
		}
		for _, p := range SIR().panels(report) {
			if slices.Contains(panels, p.name) {
				all = append(all, p.cases(expected)...)
			}
		}
		return all, nil
	}
}

// caseOf returns the name of a row: the paper's claims are about discrete-step networks with the defects of its code.
func caseOf(m experiments.Row) string {
	if slices.Contains(discreteIDs, m.ID) {
		return m.Name + " (mended)"
	}
	return m.Name
}

// cases returns the cases of the models that the claim is about.
func (p panel) cases(expected expectation) (all []judge.Case) {
	changes, beside := p.changes(), ""
	for _, c := range changes {
		if c.model.ID == catalogue.RatioID && c.gap == "" && !p.times { // then even accuracy 1 says little
			beside = fmt.Sprintf("; without learning anything: mean %.2f", c.mean.Mean)
		}
	}
	for _, id := range expected.models {
		row := p.results.Where("model", id)
		if len(row) == 0 {
			continue
		}
		c := judge.Missing(p.of, caseOf(row[0].Model), row.Gap())
		at := slices.IndexFunc(changes, func(c change) bool { return c.model.ID == id })
		if at >= 0 && changes[at].gap == "" {
			c.Outcome, c.Note = expected.outcome(changes[at]), changes[at].String()+beside
		} else if c.Note == "" {
			c.Note = "a single seed or setting is stored"
		}
		all = append(all, c)
	}
	return all
}

// Finders maps the IDs of the claims on oversampling to their finders.
func Finders() map[string]judge.Finder {
	return map[string]judge.Finder{
		"oversampling":          changesOf(expectation{controlled, []direction{staysLevel, rises}}, "observations"),
		"oversampling-discrete": changesOf(expectation{discreteIDs, []direction{falls}}, "observations"),
		"inference": changesOf(expectation{controlled, []direction{staysLevel, falls}}, "inference",
			"inference-alone"),
		"inference-discrete": changesOf(expectation{discreteIDs, []direction{rises}}, "inference", "inference-alone"),
		"irregular":          changesOf(expectation{controlled, []direction{staysLevel}}, "shape"),
	}
}
