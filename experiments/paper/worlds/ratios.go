package worlds

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/stats"
)

// ratio compares the errors of a model with the errors of another in worlds with the same dynamics. The errors are
// paired by family of graphs and seed, as differences of logarithms, since errors have different scales, and tested by
// [inWorlds]. A model that diverged in a world has the largest loss there: it counts for ranks, but neither for the
// mean and its interval nor for Student's t.
type ratio struct {
	model, other string // names
	judge.Finding
	pairs, worlds int       // numbers of pairs without divergence, and of all worlds
	at            []worldAt // the world of each pair
	// diverged counts the worlds in which one of the two models diverged, which ranks as the largest loss.
	diverged int
	left     []string // runs that the pairs lack
	// gap says why too few worlds can be compared; the other numbers are then unknown.
	gap string
}

// ratios compares an error of a model with the errors of others.
func ratios(results experiments.Results, model string, others []string, of Measure) (all []ratio, err error) {
	blocks := results.Matrix(string(of)).Blocks
	own := logErrors(results, model, of)
	for _, id := range others {
		r := ratio{model: nameIn(results, model), other: nameIn(results, id), worlds: len(blocks)}
		var a, b, ranked, against []float64 // ranked and against include diverged models
		rivals := logErrors(results, id, of)
		for _, at := range slices.SortedFunc(maps.Keys(own), worldAt.compare) {
			mine := own[at]
			rival, known := rivals[at]
			if !known || math.IsInf(mine, 1) && math.IsInf(rival, 1) {
				continue
			}
			if !math.IsInf(mine, 1) && !math.IsInf(rival, 1) {
				a, b = append(a, mine), append(b, rival)
				r.at = append(r.at, at)
			}
			ranked, against = append(ranked, math.Min(mine, largestLoss)), append(against, math.Min(rival, largestLoss))
		}
		r.pairs, r.diverged = len(a), len(ranked)-len(a)
		for _, id := range []string{model, id} {
			some := results.Where("model", id)
			if gap := some.Gap(); gap != "" {
				r.left = append(r.left, nameIn(results, id)+" "+gap)
			} else if len(some) == 0 {
				r.left = append(r.left, nameIn(results, id)+" is not planned in this profile")
			}
		}
		least := math.Pow(2, 1-float64(len(ranked))) // smallest possible p value of signed ranks
		if least*float64(len(others)) > stats.Level || distinctSeeds(r.at) < 2 {
			r.gap = fmt.Sprintf("%d of %d worlds have errors of both, too few for a test among %d rivals",
				r.pairs, r.worlds, len(others))
			if r.left != nil {
				r.gap += "; " + strings.Join(r.left, ", ")
			}
		} else {
			if r.Finding, err = inWorlds(r.at, a, b, ranked, against); err != nil {
				return nil, err
			}
			if signedRankSum(ranked, against)*r.Difference < 0 { // diverged models reverse the sign
				r.Raw = 1
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// inWorlds compares errors a with errors b in worlds. Worlds of one seed depend on each other: they share events and
// times, and models start from the same parameters. So the interval is over the means of seeds. The p value is the
// larger one of Student's t over these means and of signed ranks over worlds, which a single large difference does not
// decide. The ranks are of the errors ranked and against, which may include other worlds.
func inWorlds(at []worldAt, a, b, ranked, against []float64) (f judge.Finding, err error) {
	bySeed, err := stats.Compare(a, [][]float64{b}, stats.Clustered(seedsOf(at)))
	if err != nil {
		return f, err
	}
	byRank, err := stats.Compare(ranked, [][]float64{against}, stats.SignedRanks())
	if err != nil {
		return f, err
	}
	f = judge.Of(bySeed[0])
	f.Raw = max(f.Raw, byRank[0].P)
	return f, nil
}

// seedsOf returns the seed of each world.
func seedsOf(at []worldAt) (seeds []uint64) {
	for _, world := range at {
		seeds = append(seeds, world.seed)
	}
	return seeds
}

// distinctSeeds returns the number of seeds of worlds.
func distinctSeeds(at []worldAt) int {
	return len(slices.Compact(slices.Sorted(slices.Values(seedsOf(at)))))
}

// signedRankSum returns the sum over pairs of the signed rank of the difference of a and b.
func signedRankSum(a, b []float64) (sum float64) {
	differences := slices.Clone(a)
	floats.Sub(differences, b)
	slices.SortFunc(differences, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) })
	for i, d := range differences {
		sum += math.Copysign(float64(i+1), d)
	}
	return sum
}

// largestLoss is a logarithm larger than any error's, which ranks need for diverged models.
const largestLoss = 1e6

// worldAt identifies a world of given dynamics.
type worldAt struct {
	family string
	seed   uint64
	kappa  string // of [Contact]
}

func (w worldAt) compare(other worldAt) int {
	return cmp.Or(strings.Compare(w.family, other.family), cmp.Compare(w.seed, other.seed),
		strings.Compare(w.kappa, other.kappa))
}

// whereOf returns the world of a result.
func whereOf(r experiments.Result) worldAt {
	return worldAt{r.Keys["family"], r.Seed, r.Keys[kappaKey]}
}

// leastError is the error from which a forecast counts as exact. The law itself has errors of 1e-5 where events fall
// between observations and of 1e-24 elsewhere, which do not differ for any use, but by 40 in their logarithms.
const leastError = 1e-6

func logOf(e float64) float64 { return math.Log(max(e, leastError)) }

// logErrors returns the logarithms of an error of a model by world, +Inf if it diverged.
func logErrors(results experiments.Results, id string, of Measure) map[worldAt]float64 {
	logs := make(map[worldAt]float64)
	for _, result := range results.Where("model", id).Made() {
		one := experiments.Results{result}
		at := whereOf(result)
		if len(one.Finished()) == 0 {
			logs[at] = math.Inf(1)
		} else {
			logs[at] = logOf(one.Scores(string(of))[0])
		}
	}
	return logs
}

// worldName returns the name of a row of the tables of simulated worlds.
func worldName(id string) string {
	for _, m := range Table1().models(publishedSize(experiments.Medium)) {
		if m.ID == id {
			return m.Name
		}
	}
	return id
}

// change formats a difference of logarithms of errors as how much lower or higher an error is, from a factor of two on
// as this factor, otherwise in percent. The interval of a half-width above 0 follows in the same form.
func change(difference, half float64) string {
	amount, unit := percent, "%"
	if math.Abs(difference) >= math.Log(1.995) {
		amount, unit = factor, " times"
	}
	whole := func(log float64) string {
		direction := " lower"
		if log > 0 {
			direction = " higher"
		}
		return amount(log) + unit + direction
	}
	text, low, high := whole(difference), difference-half, difference+half
	switch {
	case half == 0:
		return text
	case low > 0:
		return fmt.Sprintf("%s (%s to %s%s)", text, amount(low), amount(high), unit)
	case high < 0:
		return fmt.Sprintf("%s (%s to %s%s)", text, amount(high), amount(low), unit)
	}
	return fmt.Sprintf("%s (%s to %s)", text, whole(low), whole(high))
}

// percent formats the change of an error by this logarithm, without its sign.
func percent(log float64) string { return short(100*math.Abs(math.Expm1(log)), "%.0f") }

// factor formats a ratio of errors, or its inverse if that is larger, with two digits.
func factor(log float64) string { return short(math.Exp(math.Abs(log)), "%.2g") }

// short formats a number up to a million.
func short(x float64, format string) string {
	if x >= 1e6 {
		return "over a million"
	}
	digits, _ := strconv.ParseFloat(fmt.Sprintf(format, x), 64) // of its own output
	return strconv.FormatFloat(digits, 'f', -1, 64)
}

// printedRatio returns the mean over worlds, by their families, of the logarithm of the ratio of the paper's errors.
// Its half-width follows from the half-widths of the errors; it is NaN if the paper has none.
func printedRatio(dynamics, model, other string, worlds []worldAt) judge.Interval {
	var logs []float64
	halves := make(map[string]float64) // by family, summed over its worlds, which share one printed error
	for _, at := range worlds {
		a, ok := catalogue.Published(dynamics, model, at.family)
		b, too := catalogue.Published(dynamics, other, at.family)
		if ok && too {
			logs = append(logs, math.Log(a.Value/b.Value))
			halves[at.family] += math.Hypot(a.Spread/a.Value, b.Spread/b.Value)
		}
	}
	all := slices.Collect(maps.Values(halves))
	return judge.Interval{Mean: stat.Mean(logs, nil), Half: floats.Norm(all, 2) / float64(len(logs))}
}

// of returns what a ratio shows about the claim that the model has the lower error.
func (r ratio) of(dynamics string, printed judge.Interval) judge.Case {
	if r.gap != "" {
		return judge.Missing(dynamics, r.other, r.gap)
	}
	c := judge.Case{Group: dynamics, Name: r.other, Finding: r.Finding, Left: r.left, Tested: true}
	c.Note = fmt.Sprintf("error of %s %s, with its 95%% interval", r.model, change(r.Difference, r.Half))
	if !math.IsNaN(printed.Mean) {
		c.Note += "; the paper: " + change(printed.Mean, 0)
	}
	c.Note += "; " + r.worldsOf()
	return c
}

// worldsOf describes the worlds of a ratio.
func (r ratio) worldsOf() string {
	text := fmt.Sprintf("%d of %d worlds, of %d seeds", r.pairs, r.worlds, distinctSeeds(r.at))
	if r.diverged > 0 {
		text += fmt.Sprintf(", and %d where one of the two diverged", r.diverged)
	}
	return text
}
