package paper

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// ratio is how the errors of a model compare with those of another in worlds of one kind of dynamics: paired by family
// of graphs and seed, as differences of logarithms, since errors have different scales. A model that diverged in a
// world has the largest loss there: it counts for the p value, and not for the mean and its interval.
type ratio struct {
	model, other string // names
	stats.Difference
	pairs, worlds int      // pairs without those that diverged
	families      []string // of each pair
	left          []string // runs that the pairs lack
	// gap says what is missing; nothing else is known then.
	gap string
}

// ratios compares the errors of a model with those of others, with Holm's correction for their number.
func ratios(results experiments.Results, model string, others []string) (all []ratio, err error) {
	var p []float64
	var compared []int
	blocks := results.Matrix(string(OnTest)).Blocks
	own := logErrors(results, model)
	for i, id := range others {
		r := ratio{model: worldName(model), other: worldName(id), worlds: len(blocks)}
		var a, b, ranked, against []float64 // those ranked with those that diverged
		rivals := logErrors(results, id)
		for _, at := range slices.SortedFunc(maps.Keys(own), worldAt.compare) {
			mine := own[at]
			rival, known := rivals[at]
			if !known || math.IsInf(mine, 1) && math.IsInf(rival, 1) {
				continue
			}
			if !math.IsInf(mine, 1) && !math.IsInf(rival, 1) {
				a, b = append(a, mine), append(b, rival)
				r.families = append(r.families, at.family)
			}
			ranked, against = append(ranked, math.Min(mine, largestLoss)), append(against, math.Min(rival, largestLoss))
		}
		r.pairs = len(a)
		for _, id := range []string{model, id} {
			some := results.Where("model", id)
			if gap := some.Gap(); gap != "" {
				r.left = append(r.left, worldName(id)+" "+gap)
			} else if len(some) == 0 {
				r.left = append(r.left, worldName(id)+" is not planned in this profile")
			}
		}
		least := math.Pow(2, 1-float64(len(ranked))) // p value of signed ranks
		if least*float64(len(others)) > level || len(a) < 2 {
			r.gap = fmt.Sprintf("%d of %d worlds have errors of both, too few to show anything", r.pairs, r.worlds)
			if r.left != nil {
				r.gap += "; " + strings.Join(r.left, ", ")
			}
		} else {
			differences, err := stats.Compare(a, [][]float64{b}, stats.SignedRanks())
			if err != nil {
				return nil, err
			}
			all, err := stats.Compare(ranked, [][]float64{against}, stats.SignedRanks())
			if err != nil {
				return nil, err
			}
			r.Difference, r.P = differences[0], all[0].P
			if signedRankSum(ranked, against)*r.Mean < 0 { // with those that diverged it is the other way
				r.P = 1
			}
			p, compared = append(p, r.P), append(compared, i)
		}
		all = append(all, r)
	}
	corrected, err := stats.Holm(p)
	for k, i := range compared {
		all[i].Corrected = corrected[k]
	}
	return all, err
}

// signedRankSum is the sum over pairs of the rank of the size of a's difference from b, with its sign.
func signedRankSum(a, b []float64) (sum float64) {
	differences := slices.Clone(a)
	floats.Sub(differences, b)
	slices.SortFunc(differences, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) })
	for i, d := range differences {
		sum += math.Copysign(float64(i+1), d)
	}
	return sum
}

// largestLoss is the logarithm of an error larger than all, that ranks need for what diverged.
const largestLoss = 1e6

// worldAt is a world of some dynamics.
type worldAt struct {
	family string
	seed   uint64
}

func (w worldAt) compare(other worldAt) int {
	return cmp.Or(strings.Compare(w.family, other.family), cmp.Compare(w.seed, other.seed))
}

// logErrors are the logarithms of the errors of a model in some dynamics, +Inf where it diverged.
func logErrors(results experiments.Results, id string) map[worldAt]float64 {
	logs := make(map[worldAt]float64)
	for _, result := range results.Where("model", id).Made() {
		one := experiments.Results{result}
		at := worldAt{result.Keys["family"], result.Seed}
		if len(one.Finished()) == 0 {
			logs[at] = math.Inf(1)
		} else if e := one.Scores(string(OnTest))[0]; e > 0 {
			logs[at] = math.Log(e)
		}
	}
	return logs
}

// worldName is the name of a row of the tables of simulated worlds, without a comma.
func worldName(id string) string {
	for _, m := range Table1().models(publishedSize(experiments.Medium)) {
		if m.ID == id {
			return strings.ReplaceAll(m.Name, ", ", " with ")
		}
	}
	return id
}

// percent writes a difference of logarithms as how much lower or higher an error is.
func percent(difference float64) string {
	change := 100 * math.Expm1(difference)
	if change <= 0 {
		return fmt.Sprintf("%.0f%% lower", -change)
	}
	return fmt.Sprintf("%.0f%% higher", change)
}

// printedRatio is the mean over worlds, by their families, of the logarithm of the ratio of the paper's errors; NaN
// where it has none.
func printedRatio(dynamics, model, other string, families []string) float64 {
	var logs []float64
	for _, family := range families {
		a, ok := publishedError(dynamics, family, publishedRows[model])
		b, too := publishedError(dynamics, family, publishedRows[other])
		if ok && too {
			logs = append(logs, math.Log(a[0]/b[0]))
		}
	}
	return stat.Mean(logs, nil)
}

// finding is what a ratio says of the claim that the model has the lower error.
func (r ratio) finding(dynamics string, printed float64) Finding {
	if r.gap != "" {
		return Finding{Group: dynamics, Case: r.other, Outcome: Missing, Numbers: r.gap}
	}
	return Finding{Group: dynamics, Case: r.other, Outcome: outcomeOf(r.Difference), Numbers: r.numbers(printed),
		Left: r.left}
}

func (r ratio) numbers(printed float64) string {
	text := fmt.Sprintf("error of %s %s (95%% interval: %s to %s", r.model, percent(r.Mean), percent(r.Mean-r.HalfWidth),
		percent(r.Mean+r.HalfWidth))
	if !math.IsNaN(printed) {
		text += "; the paper: " + percent(printed)
	}
	return fmt.Sprintf("%s), corrected p %s, %d of %d worlds", text, probability(r.Corrected), r.pairs, r.worlds)
}

// eachDynamics calls a function with the results of each of the dynamics of the paper's tables; where none can be
// compared it makes findings of what is missing, for cases.
func (e Evidence) eachDynamics(cases []string, find func(dynamics string, results experiments.Results) ([]Finding,
	error)) (all []Finding, err error) {
	for _, w := range []*Worlds{Table1(), TableWealth()} {
		report, why := e.usable(w.Name)
		for _, task := range w.tasks {
			name := task.Dynamics.Name
			if report == nil {
				for _, id := range cases {
					all = append(all, Finding{Group: name, Case: worldName(id), Outcome: Missing, Numbers: why})
				}
				continue
			}
			some, err := find(name, report.Results.Where("dynamics", name))
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// below finds whether the errors of a model are below those of others.
func below(model string, others []string) func(Evidence) ([]Finding, error) {
	return func(e Evidence) ([]Finding, error) {
		return e.eachDynamics(others, func(dynamics string, results experiments.Results) (all []Finding, err error) {
			compared, err := ratios(results, model, others)
			for i, r := range compared {
				all = append(all, r.finding(dynamics, printedRatio(dynamics, model, others[i], r.families)))
			}
			return all, err
		})
	}
}

// improvement finds whether the error of the Original is lowered by as much as printed.
func (e Evidence) improvement() (all []Finding, err error) {
	all, err = e.eachDynamics([]string{"original"}, func(dynamics string, results experiments.Results) ([]Finding, error) {
		compared, err := ratios(results, "peng", []string{"original"})
		if err != nil {
			return nil, err
		}
		r := compared[0]
		printed := printedRatio(dynamics, "peng", "original", r.families)
		f := r.finding(dynamics, printed)
		if f.Outcome != Missing && r.Mean-r.HalfWidth > printed { // lower by less, if at all
			f.Outcome = Against
		}
		return []Finding{f}, nil
	})
	for i, f := range all {
		all[i].Group, all[i].Case = "", f.Group
	}
	return all, err
}

// equivariance finds whether the errors of the equivariant fusions are below those of Pre-Mult, with the published
// start and without.
func (e Evidence) equivariance() (all []Finding, err error) {
	for _, model := range []string{"original", "adjacency"} {
		some, err := below(model, []string{"pre-mult", "pre-mult-fair"})(e)
		if err != nil {
			return nil, err
		}
		for _, f := range some {
			f.Case = worldName(model) + " below " + f.Case
			all = append(all, f)
		}
	}
	return all, nil
}
