package sir

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
)

// levelAccuracy is the largest change of accuracy that counts as no change; for times it is [LevelTime].
const levelAccuracy = 0.05

// guess is the accuracy of guessing, because half of the trajectories belong to each class.
const guess = 0.5

// change is the change of a score of a model over a panel, from the first value of its axis to the last along a
// straight line. The score is an accuracy, or the logarithm of a time.
type change struct {
	model experiments.Row
	// gap says which runs are missing or failed; the other numbers are then unknown.
	gap string
	// mean is the mean score over all values of the axis. lowest is the lowest mean at one value minus the mean at
	// the first.
	mean, change, lowest judge.Interval
	// diverged counts the diverged runs, which score as guesses.
	diverged int
	// margin is the largest change that counts as none. times reports that margin and change are of logarithms.
	margin float64
	times  bool
}

// direction is the conclusion that the intervals of a [change] allow.
type direction string

const (
	staysLevel  direction = "level"
	rises       direction = "rises"
	falls       direction = "falls"
	dips        direction = "lower in between"
	isUndecided direction = "not decided"
	tooFewSeeds direction = "too few seeds to decide"
	isAGuess    direction = "not clearly better than a guess"
	isMissing   direction = "not judged"
)

func (c change) direction() direction {
	switch d := c.change; {
	case c.gap != "":
		return isMissing
	case d.High() < 0 && d.Mean < -c.margin:
		return falls
	case d.Low() > 0 && d.Mean > c.margin:
		return rises
	case !c.times && c.mean.Low() <= guess:
		return isAGuess
	case !c.times && c.lowest.High() < -c.margin:
		return dips
	case -c.margin <= d.Low() && d.High() <= c.margin && (c.times || c.lowest.Mean >= -c.margin):
		return staysLevel
	case d.Half > c.margin:
		return tooFewSeeds
	}
	return isUndecided
}

// String returns the name of the model, with the direction and the numbers.
func (c change) String() string {
	d := c.direction()
	said := fmt.Sprintf("%s %s", c.model.Name, d)
	diverged := ""
	if c.diverged > 0 {
		diverged = fmt.Sprintf(", %d diverged", c.diverged)
	}
	switch {
	case d == isMissing:
		return fmt.Sprintf("%s (%s)", said, c.gap)
	case d == isAGuess:
		return fmt.Sprintf("%s (mean %.2f ± %.2f%s)", said, c.mean.Mean, c.mean.Half, diverged)
	case c.times:
		return fmt.Sprintf("%s (%.2f-fold, %.2f to %.2f)", said, math.Exp(c.change.Mean), math.Exp(c.change.Low()),
			math.Exp(c.change.High()))
	}
	return fmt.Sprintf("%s (mean %.2f, change %+.2f ± %.2f, lowest point %+.2f ± %.2f%s)", said, c.mean.Mean,
		c.change.Mean,
		c.change.Half, c.lowest.Mean, c.lowest.Half, diverged)
}

// changes returns the changes of the models of a panel; none if all of them have only one stored seed or value.
func (p panel) changes() (all []change) {
	if len(p.results.Values(p.key)) < 2 {
		return nil
	}
	judged := false
	for _, id := range p.results.Values("model") {
		row := p.results.Where("model", id)
		c := change{model: row[0].Model, margin: levelAccuracy, times: p.times}
		if p.times {
			c.margin, c.gap = math.Log(judge.LevelTime), row.Gap()
		} else {
			finished := slices.DeleteFunc(slices.Clone(row), hasDiverged)
			c.diverged, c.gap = len(row)-len(finished), finished.Gap()
		}
		if c.gap == "" {
			if c.measure(p, row); math.IsNaN(c.change.Mean) || math.IsInf(c.change.Half, 0) {
				continue
			}
			judged = true
		}
		all = append(all, c)
	}
	if !judged {
		return nil
	}
	return all
}

// measure fits lines to the scores of a model, seed by seed.
func (c *change) measure(p panel, row experiments.Results) {
	var means, changes []float64
	var below [][]float64 // difference from the first value, by value and seed
	for _, runs := range bySeed(row) {
		x, y := p.line(runs)
		_, slope := stat.LinearRegression(x, y, nil, false)
		means, changes = append(means, stat.Mean(y, nil)), append(changes, slope*(x[len(x)-1]-x[0]))
		for k := range y {
			if k == len(below) {
				below = append(below, nil)
			}
			below[k] = append(below[k], y[k]-y[0])
		}
	}
	c.mean, c.change = judge.IntervalOf(means), judge.IntervalOf(changes)
	c.lowest = judge.IntervalOf(slices.MinFunc(below, func(a, b []float64) int {
		return cmp.Compare(stat.Mean(a, nil), stat.Mean(b, nil))
	}))
}

// bySeed groups runs by seed, in increasing order.
func bySeed(results experiments.Results) (all []experiments.Results) {
	seeds := make(map[uint64]experiments.Results)
	for _, run := range results {
		seeds[run.Seed] = append(seeds[run.Seed], run)
	}
	for _, seed := range slices.Sorted(maps.Keys(seeds)) {
		all = append(all, seeds[seed])
	}
	return all
}

// line returns the values of runs on the panel's axis and their scores. Values are logarithms if the axis is
// logarithmic, and scores are logarithms for times.
func (p panel) line(runs experiments.Results) (x, y []float64) {
	y = p.scores(runs)
	for i, run := range runs {
		at := run.Spec.(sirRun).value(p.key)
		if p.axes.LogX {
			at = math.Log(at)
		}
		if p.times {
			y[i] = math.Log(y[i])
		}
		x = append(x, at)
	}
	return x, y
}

func hasDiverged(run experiments.Result) bool {
	return run.Record != nil && run.Record.Facts != nil && run.Record.Facts.Failure != ""
}

// scores returns the scores of the panel; a diverged run has the accuracy of a guess.
func (p panel) scores(runs experiments.Results) []float64 {
	scores := runs.Scores(p.score)
	for i, run := range runs {
		if !p.times && hasDiverged(run) {
			scores[i] = guess
		}
	}
	return scores
}
