package sir

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/stats"
)

// controlled lists the rows whose state is driven by the observations; the paper's claims are about them and about
// [discreteIDs].
var controlled = []string{"peng", "original", "stg-ncde"}

// expectation is the direction of the scores of models by one of the paper's claims.
type expectation struct {
	models []string
	goes   []direction
}

// outcome returns what a change shows about the expectation.
func (x expectation) outcome(c change) stats.Outcome {
	switch d := c.direction(); {
	case slices.Contains(x.goes, d):
		return stats.Better
	case d == staysLevel || d == rises || d == falls || d == dips:
		return stats.Worse
	case d == isMissing:
		return stats.NotTested
	}
	return stats.NotShown
}

// trivial compares [RemovedRatio], which learns nothing, with the trained models; "" if it has no runs, and for times.
func (p panel) trivial() string {
	ratio := p.results.Where("model", catalogue.RatioID)
	if p.times || len(ratio) == 0 || ratio.Gap() != "" {
		return ""
	}
	var means []float64
	for _, value := range ratio.Values(p.key) {
		means = append(means, stat.Mean(ratio.Where(p.key, value).Scores(accuracy), nil))
	}
	if floats.Min(means) == 1 {
		return "Removed ratio, which learns nothing, is at 1.00 everywhere, so that models only show what they lose"
	}
	better, worse, rivals, err := p.comparedWith(ratio)
	if err != nil {
		return fmt.Sprintf("Removed ratio, which learns nothing, has %.2f to %.2f; not compared with models: %v",
			floats.Min(means), floats.Max(means), err)
	}
	return fmt.Sprintf("Removed ratio, which learns nothing, has %.2f to %.2f; better over all settings: %s; "+
		"worse: "+
		"%s (paired by seed, p at most 0.05 after Holm for %d models)", floats.Min(means), floats.Max(means),
		listed(better), listed(worse), rivals)
}

// comparedWith names the trained models with smaller errors than a row, and the models with larger errors; rivals is
// the number of trained models, for which p values are corrected.
func (p panel) comparedWith(row experiments.Results) (better, worse []string, rivals int, err error) {
	of := func(runs experiments.Results) (r judge.Row) {
		for i, some := range bySeed(runs) {
			r.Blocks, r.Errors = append(r.Blocks, i), append(r.Errors, 1-stat.Mean(p.scores(some), nil))
		}
		return r
	}
	var rows []judge.Row
	for _, id := range p.results.Values("model") {
		other := p.results.Where("model", id)
		if other[0].Model.Untrained {
			continue
		}
		var rival judge.Row
		gap := slices.DeleteFunc(slices.Clone(other), hasDiverged).Gap()
		if gap == "" {
			rival = of(other)
		}
		rival.Name, rival.Gap = other[0].Model.Name, gap
		rows = append(rows, rival)
	}
	findings, err := judge.Beside(of(row), rows, stats.Test{})
	for i, f := range findings {
		switch f.Outcome {
		case stats.Worse:
			better = append(better, rows[i].Name)
		case stats.Better:
			worse = append(worse, rows[i].Name)
		}
	}
	return better, worse, len(rows), err
}

func listed(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// verdict describes how accuracy changes with the number of observations and under noise. The matrix shows this for
// all panels; details has the changes and the comparison with the removed ratio. All results are empty if
// nothing can be judged or compared.
func (o Oversampling) verdict(r *experiments.Report) (text string, matrix *figures.Table, details []string) {
	if !r.Comparable() {
		return "", nil, nil
	}
	judged, remedies := make(map[string][]change), ""
	panels := slices.DeleteFunc(o.panels(r), func(p panel) bool {
		if p.aside && remedies == "" {
			remedies = p.remedies()
		}
		return p.aside
	})
	for _, p := range panels {
		var parts []string
		judged[p.name] = p.changes()
		for _, c := range judged[p.name] {
			parts = append(parts, c.String())
		}
		if trivial := p.trivial(); trivial != "" {
			parts = append(parts, trivial)
		}
		if parts != nil {
			details = append(details, p.title+": "+strings.Join(parts, "; "))
		}
	}
	if len(judged["observations"])+len(judged["inference"]) == 0 {
		return "", nil, nil
	}
	told := slices.DeleteFunc(slices.Clone(panels), func(p panel) bool {
		return p.key != "noise" && p.name != "observations"
	})
	var sentences, trivial []string
	for _, p := range told[:min(2, len(told))] { // under noise with the fewest observations
		sentences = append(sentences, sentence(p.title, judged[p.name]))
		for _, c := range judged[p.name] {
			if c.model.ID == catalogue.RatioID && c.gap == "" {
				trivial = append(trivial, fmt.Sprintf("%.2f", c.mean.Mean))
			}
		}
	}
	if trivial != nil {
		of := ""
		if len(trivial) == 2 {
			of = " in these two"
		}
		sentences = append(sentences, "Removed ratio, which learns nothing, has a mean accuracy of "+
			judge.Enumerate(trivial)+of+".")
	}
	sentences = append(sentences, remedies)
	details = append(details, fmt.Sprintf(prose.Text("changes"), levelAccuracy, judge.LevelTime,
		2*o.size(r.Profile).testPerClass))
	return strings.TrimSpace(strings.Join(sentences, " ")), directionsTable(panels, judged), details
}

// directionsTable returns the directions of the scores of each model by panel, shaded if the direction is good or
// bad.
func directionsTable(panels []panel, judged map[string][]change) *figures.Table {
	t := &figures.Table{Title: "Where accuracy and times go, by model", Columns: []figures.Column{{Title: "model"}},
		Notes: []string{"Where scores go: blue is as one would have it (accuracy level or rising, times level or falling), " +
			"orange is not. The numbers are under the pointer, and below."}}
	names, cells := []string(nil), make(map[string][]figures.Cell)
	for at, p := range panels {
		if len(judged[p.name]) == 0 {
			continue
		}
		t.Columns = append(t.Columns, figures.Column{Title: p.title})
		for _, c := range judged[p.name] {
			name := c.model.Name
			if cells[name] == nil {
				names, cells[name] = append(names, name), make([]figures.Cell, len(panels))
			}
			tone, d := figures.Neutral, c.direction()
			switch {
			case d == staysLevel || p.times && d == falls || !p.times && d == rises:
				tone = figures.Favourable
			case d == rises || d == falls || d == dips || d == isAGuess:
				tone = figures.Unfavourable
			}
			cells[name][at] = figures.Marked(string(d), tone, c.String())
		}
	}
	for _, name := range names {
		row := []figures.Cell{figures.Text(name)}
		for at, p := range panels {
			if len(judged[p.name]) > 0 {
				row = append(row, cells[name][at])
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sentence says which models go where, with their accuracies or by how much these change. The matrix alone shows models
// that are no better than a guess, and models without runs.
func sentence(title string, all []change) string {
	accuracy := func(c change) float64 { return c.mean.Mean }
	by := func(c change) float64 { return c.change.Mean }
	drop := func(c change) float64 { return -c.lowest.Mean }
	clause := func(words, numbers string, of func(change) float64, directions ...direction) string {
		var names []string
		var values []float64
		for _, c := range all {
			if slices.Contains(directions, c.direction()) && c.model.ID != catalogue.RatioID {
				names, values = append(names, c.model.Name), append(values, of(c))
			}
		}
		if names == nil {
			return ""
		}
		span := fmt.Sprintf("%.2f", floats.Min(values))
		if highest := fmt.Sprintf("%.2f", floats.Max(values)); highest != span {
			span += " to " + highest
		}
		return fmt.Sprintf("%s %s (%s %s)", words, judge.Enumerate(names), numbers, span)
	}
	clauses := slices.DeleteFunc([]string{clause("stays level for", "mean", accuracy, staysLevel),
		clause("rises for", "by", by, rises), clause("falls for", "by", drop, falls),
		clause("is lower in between for", "mean", accuracy, dips),
		clause("is undecided for", "mean", accuracy, isUndecided, tooFewSeeds)},
		func(clause string) bool { return clause == "" })
	if clauses == nil {
		return ""
	}
	return plain.Capital(title) + " " + strings.Join(clauses, "; ") + "."
}
