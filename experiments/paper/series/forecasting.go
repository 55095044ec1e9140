// Package series contains the studies on series: Covid cases by region, and mentions during a tennis tournament.
//
// Start with [Epidemics].
package series

import (
	"context"
	"strconv"
	"sync"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde"
)

// Forecasting is a study that forecasts the targets of the last snapshot of a window from the window's inputs. With a
// Country, it is the part of [Countries] on that country. Its runs have the key "split".
type Forecasting struct {
	experiments.Study
	// Time and Target name the axes of times and of targets; Node describes a node.
	Time, Target, Node string
	// Country is the value of the key "country" of its runs; "" for a study of one series.
	Country string

	load func() (*dyngraph.Series, error)
	// window is the number of snapshots in a window; the windows of the published split do not overlap.
	window int
	// settings returns the rows for data of this size.
	settings func(p experiments.Profile, size pengcde.Config) []setting
	// published names the table of the paper's values, see [catalogue.Published]; "" for none.
	published string

	series          func() (*dyngraph.Series, error)
	digest          string // computed once, as is what follows: checking a series takes longer than splitting it
	sideBySide, all dyngraph.Windows

	lock sync.Mutex
	made map[splitRule][]dyngraph.Split // that runs share, because thousands of identities list their windows
}

// complete makes it a study that loads the series once, at the first request.
func (f *Forecasting) complete() *Forecasting {
	f.made = make(map[splitRule][]dyngraph.Split)
	f.series = sync.OnceValues(func() (*dyngraph.Series, error) {
		series, err := f.load()
		if err == nil {
			f.digest = experiments.Digest(series)
			f.sideBySide, f.all = series.Windows(f.window, f.window), series.Windows(f.window, 1)
		}
		return series, err
	})
	f.Plan, f.Execute, f.Show, f.Page = f.plan, makeForecast, showForecasts, pageForecasts
	return f
}

// keys returns the keys of its runs with a split.
func (f *Forecasting) keys(split Split) map[string]string {
	keys := map[string]string{"split": string(split)}
	if f.Country != "" {
		keys["country"] = f.Country
	}
	return keys
}

// of returns its results with a split.
func (f *Forecasting) of(results experiments.Results, split Split) experiments.Results {
	for key, value := range f.keys(split) {
		results = results.Where(key, value)
	}
	return results
}

// title returns a name for people.
func (f *Forecasting) title() string {
	if f.Country != "" {
		return f.Name + ", " + f.Country
	}
	return f.Name
}

// plan lists the runs of all settings.
func (f *Forecasting) plan(_ context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	for _, s := range f.settings(scope.Profile, pengcde.Config{Nodes: series.Nodes(), Features: series.FeatureSize}) {
		s.study = f
		seeds := scope.SeedsOr(s.seeds)
		if s.Untrained && s.split != Random { // seeds do not change them
			seeds = []uint64{0}
		}
		splits, err := f.splits(s, 0)
		if err != nil {
			return nil, err
		}
		for _, seed := range seeds {
			for fold := range splits {
				runs = append(runs, experiments.Run{Model: s.Row, Keys: f.keys(s.split), Seed: seed, Fold: fold, Spec: s,
					Identity: func() (any, error) { return f.identity(series, s, seed, fold) }})
			}
		}
	}
	return runs, nil
}

// identity lists the windows, not the rule that chooses them.
func (f *Forecasting) identity(series *dyngraph.Series, s setting, seed uint64, fold int) (any, error) {
	split, err := f.split(s, seed, fold)
	if err != nil {
		return nil, err
	}
	all := map[string]any{"series": series.Name, "data": f.digest, "row": s.ID, "split": s.split, "seed": seed,
		"fold": fold, "training": extents(split.Train), "validation": extents(split.Validation), "test": extents(split.Test)}
	if !s.Untrained {
		all["initial"] = initial(seed, fold)
	}
	return all, s.Row.Identity(all)
}

// extents returns the first and last snapshots of windows, in order, such as [[0,4],[5,9]].
func extents(windows []dyngraph.Window) store.Canonical {
	text := []byte("[")
	for i, w := range windows {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(append(text, '['), int64(w.Start), 10)
		text = append(strconv.AppendInt(append(text, ','), int64(w.Last()), 10), ']')
	}
	return append(text, ']')
}

// initial returns the seed of the initial parameters, which differ between the runs of a rotation or of rolling
// origins.
func initial(seed uint64, fold int) uint64 { return seed + uint64(fold)*1000 }

// makeForecast trains on the windows of a split and forecasts the others.
func makeForecast(ctx context.Context, m *experiments.RunContext, r experiments.Run) (*experiments.Facts, error) {
	s := r.Spec.(setting)
	split, err := s.study.split(s, r.Seed, r.Fold)
	if err != nil {
		return nil, err
	}
	learner, err := m.Learner(initial(r.Seed, r.Fold))
	if err != nil {
		return nil, err
	}
	facts, err := m.Fit(ctx, learner, split.Train, split.Validation)
	if err != nil {
		return facts, err
	}
	facts.Scores, facts.Arrays = make(map[string]float64), make(map[string][][]float64)
	parts := map[string][]dyngraph.Window{"validation": split.Validation, "test": split.Test}
	for _, part := range partNames {
		if err == nil {
			err = measure(ctx, facts, learner, part, parts[part])
		}
	}
	return facts, err
}
