package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// Margins within which a change is called none: of accuracy, and of times as a factor.
const (
	levelAccuracy = 0.05
	levelTime     = 1.25
)

// change is how a score of a model changes over a panel, from the first place to the last along a straight line: of
// accuracies, or of the logarithms of times.
type change struct {
	model experiments.Model
	// gap says what is missing; nothing else is known then.
	gap string
	// mean is that of the score over all places.
	mean, change interval
	// margin is that within which the change is called none, and times says that both are of logarithms.
	margin float64
	times  bool
}

// interval is a mean with the half-width of its 95% interval over seeds.
type interval struct{ mean, half float64 }

func intervalOf(values []float64) (i interval) {
	i.mean, i.half = stats.MeanCI(values)
	return i
}

// direction is what the intervals of a [change] allow to say.
type direction string

const (
	staysLevel  direction = "level"
	rises       direction = "rises"
	falls       direction = "falls"
	isUndecided direction = "not decided"
	tooFewSeeds direction = "too few seeds to decide"
	isAGuess    direction = "not clearly better than a guess"
	isMissing   direction = "not judged"
)

func (c change) direction() direction {
	low, high := c.change.mean-c.change.half, c.change.mean+c.change.half
	switch {
	case c.gap != "":
		return isMissing
	case !c.times && !(c.mean.mean-c.mean.half > 0.5):
		return isAGuess
	case -c.margin <= low && high <= c.margin:
		return staysLevel
	case low > 0:
		return rises
	case high < 0:
		return falls
	case c.change.half > c.margin:
		return tooFewSeeds
	}
	return isUndecided
}

// String names the model, with the direction and the numbers.
func (c change) String() string {
	said := fmt.Sprintf("%s %s", c.model.Name, c.direction())
	switch d := c.direction(); {
	case d == isMissing:
		return fmt.Sprintf("%s (%s)", said, c.gap)
	case d == isAGuess:
		return fmt.Sprintf("%s (mean %.2f ± %.2f)", said, c.mean.mean, c.mean.half)
	case c.times:
		return fmt.Sprintf("%s (%.2f-fold, %.2f to %.2f)", said, math.Exp(c.change.mean),
			math.Exp(c.change.mean-c.change.half), math.Exp(c.change.mean+c.change.half))
	}
	return fmt.Sprintf("%s (mean %.2f, change %+.2f ± %.2f)", said, c.mean.mean, c.change.mean, c.change.half)
}

// changes are those of the models of a panel; none where a single seed or place is stored of all of them.
func (p panel) changes() (all []change) {
	if len(p.results.Values(p.key)) < 2 {
		return nil
	}
	judged := false
	for _, id := range p.results.Values("model") {
		row := p.results.Where("model", id)
		c := change{model: row[0].Model, gap: row.Gap(), margin: levelAccuracy, times: p.times}
		if p.times {
			c.margin = math.Log(levelTime)
		}
		if c.gap == "" {
			var means, changes []float64
			for _, runs := range bySeed(row) {
				x, y := p.line(runs)
				_, slope := stat.LinearRegression(x, y, nil, false)
				means, changes = append(means, stat.Mean(y, nil)), append(changes, slope*(x[len(x)-1]-x[0]))
			}
			c.mean, c.change = intervalOf(means), intervalOf(changes)
			if math.IsNaN(c.change.mean) || math.IsInf(c.change.half, 0) {
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

// bySeed divides runs by their seeds, in increasing order.
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

// line has the places of runs on the panel's axis and their scores, in logarithms where the axis has them, and of times.
func (p panel) line(runs experiments.Results) (x, y []float64) {
	y = runs.Scores(p.score)
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
