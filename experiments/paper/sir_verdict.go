package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// controlled are the rows whose state the observations drive; the paper's claims are on them and on [discreteIDs].
var controlled = []string{"peng", "original", "stg-ncde"}

// expectation is where the scores of some models go, by one of the paper's claims.
type expectation struct {
	models []string
	goes   []direction
}

// outcome is what a change says of the expectation.
func (x expectation) outcome(c change) Outcome {
	switch d := c.direction(); {
	case slices.Contains(x.goes, d):
		return AsClaimed
	case d == staysLevel || d == rises || d == falls || d == dips:
		return Against
	case d == isMissing:
		return Missing
	}
	return Unshown
}

// judged says of which models the expectation holds, of which it does not, and of which nothing can be said, and why.
func (x expectation) judged(all []change) string {
	groups := make(map[string][]string)
	for _, one := range all {
		if !slices.Contains(x.models, one.model.ID) {
			continue
		}
		group := string(one.direction())
		if outcome := x.outcome(one); outcome == AsClaimed || outcome == Against {
			group = string(outcome)
		}
		groups[group] = append(groups[group], one.model.Name)
	}
	var parts []string
	for _, group := range []string{string(AsClaimed), string(Against), string(isUndecided), string(tooFewSeeds),
		string(isAGuess), string(isMissing)} {
		if models := groups[group]; models != nil {
			parts = append(parts, group+": "+strings.Join(models, ", "))
		}
	}
	if parts == nil {
		return "none judged yet"
	}
	return strings.Join(parts, "; ")
}

// trivial says how the trivial classifier does beside the trained models; "" where it has no runs, and of times.
func (p panel) trivial() string {
	ratio := p.results.Where("model", ratioID)
	if p.times || len(ratio) == 0 || ratio.Gap() != "" {
		return ""
	}
	var places []float64
	for _, value := range ratio.Values(p.key) {
		places = append(places, stat.Mean(ratio.Where(p.key, value).Scores(accuracy), nil))
	}
	if floats.Min(places) == 1 {
		return "the trivial classifier, which learns nothing, is at 1.00 everywhere, so that models only show what they lose"
	}
	better, worse, rivals, err := p.comparedWith(ratio)
	if err != nil {
		return fmt.Sprintf("the trivial classifier, which learns nothing, has %.2f to %.2f; not compared with models: %v",
			floats.Min(places), floats.Max(places), err)
	}
	return fmt.Sprintf("the trivial classifier, which learns nothing, has %.2f to %.2f; better over all places: %s; worse: "+
		"%s (paired by seed, p at most 0.05 after Holm for %d models)", floats.Min(places), floats.Max(places),
		listed(better), listed(worse), rivals)
}

// comparedWith names the trained models with smaller errors than a row, and the ones with larger errors; rivals is the
// number of trained models that have all their runs.
func (p panel) comparedWith(row experiments.Results) (better, worse []string, rivals int, err error) {
	errors := func(row experiments.Results) (means []float64) {
		for _, runs := range bySeed(row) {
			means = append(means, 1-stat.Mean(p.scores(runs), nil))
		}
		return means
	}
	var names []string
	var others [][]float64
	for _, id := range p.results.Values("model") {
		other := p.results.Where("model", id)
		if !other[0].Model.Untrained && slices.DeleteFunc(slices.Clone(other), hasDiverged).Gap() == "" {
			names, others = append(names, other[0].Model.Name), append(others, errors(other))
		}
	}
	differences, err := stats.Compare(errors(row), others, stats.Test{})
	for i, d := range differences {
		switch {
		case d.Worse(0.05):
			better = append(better, names[i])
		case d.Better(0.05):
			worse = append(worse, names[i])
		}
	}
	return better, worse, len(names), err
}

func listed(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// verdict says whether the paper's claims on oversampling hold by the stored numbers, and what the trivial classifier
// says of the task; details have the changes. "" where nothing can be judged, or is not to be compared.
func (o Oversampling) verdict(r *experiments.Report) (text string, details []string) {
	if !r.Comparable() {
		return "", nil
	}
	panels, judged := o.panels(r), make(map[string][]change)
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
		return "", nil
	}
	said := func(panel string, models []string, holds ...direction) string {
		return expectation{models, holds}.judged(judged[panel])
	}
	observed := panels[0].results.Values("observations")
	text = fmt.Sprintf("from %s to %s observations, the paper says, equations that the observations drive keep their "+
		"accuracy (%s) and the time of an inference, here in a batch (%s%s), "+
		"while networks in discrete steps lose accuracy (%s) and take longer (%s%s).", observed[0], observed[len(observed)-1],
		said("observations", controlled, staysLevel, rises), said("inference", controlled, staysLevel, falls),
		factors(judged["inference"], controlled), said("observations", discreteIDs, falls),
		said("inference", discreteIDs, rises), factors(judged["inference"], discreteIDs))
	if len(judged["shape"]) > 0 {
		text += fmt.Sprintf(" They keep it, it says, however irregular the times are (%s).",
			said("shape", controlled, staysLevel))
	}
	for _, p := range panels {
		var parts []string
		if p.key == "noise" {
			parts = directions(judged[p.name])
		}
		if trivial := p.trivial(); trivial != "" && p.key != "shape" {
			parts = append(parts, trivial)
		}
		if parts != nil {
			text += fmt.Sprintf(" In %s: %s.", p.title, strings.Join(parts, "; "))
		}
	}
	return text, append(details, fmt.Sprintf("a change is taken along a straight line over the panel, over log k for "+
		"regularity, of the logarithm for times, with its 95%% interval over seeds; level is within %g of accuracy, or a "+
		"factor of %g of time, and of accuracy the mean at no place is further below the mean at the first; seeds are too "+
		"few where the half-width is more; accuracy whose mean is not above 0.5 by its interval is not better than a guess, "+
		"as which a run counts that diverged; where all seeds agree the interval is nothing, though %d test trajectories "+
		"are no more than that", levelAccuracy, levelTime, 2*o.size(r.Profile).testPerClass))
}

// factors is the range by which times of some models grow; "" where none is known.
func factors(all []change, models []string) string {
	var known []float64
	for _, c := range all {
		if c.gap == "" && slices.Contains(models, c.model.ID) {
			known = append(known, math.Exp(c.change.mean))
		}
	}
	if known == nil {
		return ""
	}
	return fmt.Sprintf("; %.1f- to %.1f-fold", floats.Min(known), floats.Max(known))
}

// directions say which models go where.
func directions(all []change) (parts []string) {
	for _, d := range []direction{staysLevel, rises, falls, dips, isAGuess, isUndecided, tooFewSeeds, isMissing} {
		var names []string
		for _, c := range all {
			if c.direction() == d && c.model.ID != ratioID {
				names = append(names, c.model.Name)
			}
		}
		if names != nil {
			parts = append(parts, fmt.Sprintf("%s: %s", d, strings.Join(names, ", ")))
		}
	}
	return parts
}
