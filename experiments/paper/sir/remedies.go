package sir

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// remedy is a way to train under noise. Rows with it stand beside the rows without it.
type remedy struct {
	// ending is the end of a row's ID, name the end of its name, after "with".
	ending, name string
	change       func(*pengcde.Config, *train.Config)
	// spoil, if not nil, changes the features of a copy of a training trajectory. Each trajectory has [copies] copies,
	// and there are fewer epochs, so that all rows have the same number of steps of the optimiser.
	spoil func(x float64, random *rand.Rand) float64
}

// Settings of remedies, the same in each profile. Nothing was tried to choose them.
const (
	copies         = 4
	addedNoise     = 0.05
	droppedShare   = 0.5
	strongDecay    = 0.1
	narrowWidth    = 4
	shortPatience  = 8
	smoothedEnding = "-smoothed"
)

var remedies = []remedy{
	{ending: smoothedEnding, name: "smoothing",
		change: func(c *pengcde.Config, _ *train.Config) { c.Smoothing = path.LocalLines }},
	{ending: "-decay", name: "weight decay",
		change: func(_ *pengcde.Config, t *train.Config) { t.AdamW.WeightDecay = strongDecay }},
	{ending: "-narrow", name: "narrow state", change: func(c *pengcde.Config, _ *train.Config) {
		if c.Hidden = narrowWidth; c.Network != nil {
			c.Hidden, c.Network = 0, catalogue.Must("dcrnn").Network(catalogue.Width{Hidden: narrowWidth, Layers: 1}, false)
		}
	}},
	{ending: "-early", name: "early stopping", change: func(_ *pengcde.Config, t *train.Config) {
		t.EvaluateEvery, t.Patience, t.MinEpochs, t.Target = 1, shortPatience, 1, 0
	}},
	{ending: "-noised", name: "added noise",
		spoil: func(x float64, random *rand.Rand) float64 { return x + addedNoise*random.NormFloat64() }},
	{ending: "-dropped", name: "dropped observations", spoil: func(x float64, random *rand.Rand) float64 {
		if random.Float64() < droppedShare {
			return math.NaN()
		}
		return x
	}},
}

// apply returns the row of a model with the remedy.
func (r remedy) apply(id, name string, c pengcde.Config, t train.Config) experiments.Row {
	if r.change != nil {
		r.change(&c, &t)
	}
	if r.spoil != nil {
		t.Epochs, t.EvaluateEvery = max(t.Epochs/copies, 1), max(t.EvaluateEvery/copies, 1)
		t.Patience, t.MinEpochs = t.Patience/copies, t.MinEpochs/copies
	}
	return experiments.NetworkRow(id+r.ending, name+" with "+r.name, c, t)
}

// remedyOf returns the remedy of a row by the row's ID; the zero value for a row without one.
func remedyOf(id string) remedy {
	for _, r := range remedies {
		if strings.HasSuffix(id, r.ending) {
			return r
		}
	}
	return remedy{}
}

// isRemedied reports whether a row has a remedy.
func isRemedied(id string) bool { return remedyOf(id).ending != "" }

// identity describes the copies for the identity of a run; "" without any.
func (r remedy) identity() string {
	if r.spoil == nil {
		return ""
	}
	return fmt.Sprintf("%d copies, noise %g, dropped %g", copies, addedNoise, droppedShare)
}

// training returns the training windows, or copies of them.
func (r remedy) training(windows []dyngraph.Window, seed uint64) (all []dyngraph.Window) {
	if r.spoil == nil {
		return windows
	}
	random := rand.New(rand.NewPCG(seed, copies))
	for range copies {
		for _, w := range windows {
			series := *w.Series
			series.Features = make([][]float64, len(w.Series.Features))
			for k, row := range w.Series.Features {
				series.Features[k] = make([]float64, len(row))
				for i, x := range row {
					if series.Features[k][i] = r.spoil(x, random); k == 0 && math.IsNaN(series.Features[k][i]) {
						series.Features[k][i] = x // the first states are never missing
					}
				}
			}
			w.Series = &series
			all = append(all, w)
		}
	}
	return all
}

// remedies tells the mean accuracy under noise with each remedy; "" where no row has all its runs.
func (p panel) remedies() string {
	mean := func(id string) (text string) {
		row := slices.DeleteFunc(slices.Clone(p.results.Where("model", id)), func(run experiments.Result) bool {
			return run.Spec.(sirRun).noise == 0
		})
		if len(row) == 0 || row.Gap() != "" {
			return ""
		}
		return fmt.Sprintf("%.2f", stat.Mean(row.Scores(accuracy), nil))
	}
	var sentences []string
	for _, base := range []string{catalogue.AffineID, "dcrnn"} {
		var clauses []string
		for _, r := range remedies {
			if accuracy := mean(base + r.ending); accuracy != "" {
				clauses = append(clauses, accuracy+" with "+r.name)
			}
		}
		if plain := mean(base); plain != "" && clauses != nil {
			sentences = append(sentences, fmt.Sprintf("Over all levels of noise %s has a mean accuracy of %s; %s.",
				p.results.Where("model", base)[0].Model.Name, plain, strings.Join(clauses, ", ")))
		}
	}
	return strings.Join(sentences, " ")
}
