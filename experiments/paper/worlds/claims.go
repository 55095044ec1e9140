package worlds

import (
	"fmt"
	"maps"
	"math"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/stats"
)

// eachDynamics calls find with the profile and the results of each of the dynamics of the paper's tables. If the report
// of a study cannot be compared, it returns a missing case for each ID in cases instead.
func eachDynamics(e judge.Evidence, cases []string, find func(profile experiments.Profile, dynamics string,
	results experiments.Results) ([]judge.Case, error)) (all []judge.Case, err error) {
	for _, w := range []*Worlds{Table1(), TableWealth()} {
		report, why := e.Usable(w.Name)
		for _, task := range w.tasks {
			name := task.Dynamics.Name
			if report == nil {
				for _, id := range cases {
					all = append(all, judge.Missing(name, worldName(id), why))
				}
				continue
			}
			some, err := find(report.Profile, name, report.Results.Where("dynamics", name))
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// below returns a finder that tests whether an error of a model is below the errors of others. The paper prints the
// errors on test.
func below(model string, others []string, of Measure) judge.Finder {
	return func(e judge.Evidence) ([]judge.Case, error) {
		return eachDynamics(e, others, func(_ experiments.Profile, dynamics string, results experiments.Results) (
			all []judge.Case, err error) {
			compared, err := ratios(results, model, others, of)
			for i, r := range compared {
				printed := judge.Interval{Mean: math.NaN()}
				if of == OnTest {
					printed = printedRatio(dynamics, model, others[i], r.at)
				}
				all = append(all, r.of(dynamics, printed))
			}
			return all, err
		})
	}
}

// improvement returns a finder that tests whether a model reduces the error of the Original by the amount that the
// paper prints of PENG-CDE, on graphs with the same number of nodes and with the same number of epochs. The printed
// errors have intervals too.
func improvement(model string) judge.Finder {
	return func(e judge.Evidence) (all []judge.Case, err error) {
		all, err = eachDynamics(e, []string{"original"}, func(profile experiments.Profile, dynamics string,
			results experiments.Results) ([]judge.Case, error) {
			compared, err := ratios(results, model, []string{"original"}, OnTest)
			if err != nil {
				return nil, err
			}
			r := compared[0]
			printed := printedRatio(dynamics, "peng", "original", r.at)
			c := r.of(dynamics, printed)
			size, full := publishedSize(profile), publishedSize(experiments.Full)
			if c.Tested && profile != experiments.Full {
				c = judge.Missing(dynamics, r.other, fmt.Sprintf("%d nodes, where the paper has %d", size.nodes,
					full.nodes))
			}
			if less := r.Difference - printed.Mean; c.Tested && less > r.Half { // reduced by less, if at all
				c.Decided = stats.NotShown
				if r.diverged == 0 && less > math.Hypot(r.Half, printed.Half) {
					c.Decided = stats.Worse
				}
			}
			return []judge.Case{c}, nil
		})
		for i, c := range all {
			all[i].Group, all[i].Name = "", c.Group
		}
		return all, err
	}
}

// equivariance tests whether the errors of the equivariant fusions are below the errors of Pre-Mult, with the
// published initialisation and without.
func equivariance(e judge.Evidence) (all []judge.Case, err error) {
	starts := []struct{ id, name string }{{"pre-mult", "published start"}, {"pre-mult-fair", "our start"}}
	for _, model := range []string{"original", "adjacency"} {
		some, err := below(model, []string{starts[0].id, starts[1].id}, OnTest)(e)
		if err != nil {
			return nil, err
		}
		for i, c := range some { // alternating, by dynamics
			c.Group, c.Name = c.Group+" with "+starts[i%len(starts)].name, worldName(model)
			all = append(all, c)
		}
	}
	return all, nil
}

// fewer computes by how many parameters PENG-CDE is smaller than the unrestricted fusion. The number is the same for
// all dynamics, so a run of any of them gives it.
func fewer(e judge.Evidence) (all []judge.Case, err error) {
	count := func(id string) int {
		for _, w := range []*Worlds{Table1(), TableWealth()} {
			if report, _ := e.Usable(w.Name); report != nil {
				for _, run := range report.Results.Where("model", id).Finished() {
					return run.Facts().Parameters
				}
			}
		}
		return 0
	}
	peng, general := count("peng"), count("pre-mult-fair")
	return eachDynamics(e, []string{"pre-mult-fair"}, func(_ experiments.Profile, dynamics string,
		_ experiments.Results) ([]judge.Case, error) {
		c := judge.Missing(dynamics, worldName("pre-mult-fair"), "no run of both is stored")
		if peng > 0 && general > 0 {
			c.Note = fmt.Sprintf("%d parameters, %d of PENG-CDE (the paper, with 400 nodes: %d and %d)", general, peng,
				int(parameters("pre-mult").Value), int(parameters("peng").Value))
			if c.Outcome = stats.Better; peng >= general {
				c.Outcome = stats.Worse
			}
		}
		return []judge.Case{c}, nil
	})
}

// parameters returns the paper's number of parameters on simulated worlds.
func parameters(id string) catalogue.Number {
	n, _ := catalogue.Published("parameters", id, "worlds")
	return n
}

// IDs of the models that the paper compares PENG-CDE with.
var (
	fusions   = []string{"original", "adjacency", "pre-mult"}
	untouched = []string{"gn-ode", "constant"} // not driven by a control path
)

// Finders maps the IDs of the claims on simulated worlds to their finders, with the published field as PENG-CDE.
func Finders() map[string]judge.Finder {
	finders := map[string]judge.Finder{
		"equivariance": equivariance,
		"parameters":   fewer,
		"epochs":       epochs,
	}
	maps.Copy(finders, findersOf("peng"))
	return finders
}

// RecommendedFinders maps the IDs of the claims on errors and weights of PENG-CDE to finders with the recommended
// field as PENG-CDE.
func RecommendedFinders() map[string]judge.Finder { return findersOf("recommended") }

func findersOf(model string) map[string]judge.Finder {
	return map[string]judge.Finder{
		"fusions":       below(model, fusions, OnTest),
		"improvement":   improvement(model),
		"untouched":     below(model, untouched, OnTest),
		"rivals":        below(model, rivalIDs, OnTest),
		"interpolation": below(model, fusions, Interpolated),
		"extrapolation": below(model, fusions, Extrapolated),
		"weights":       weights(model),
	}
}
