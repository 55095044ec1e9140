package series

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// Test errors of the simple forecasts, computed from the data only; on the countries they agree to four digits with
// an independent computation (see TestFiguresOfSimpleForecasts of package baseline).
func TestSimpleForecasts(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	for _, c := range []struct {
		experiment *Forecasting
		split      Split
		windows    int
		want       map[string]float64
	}{
		{england(t), PurgedRotation, 10, map[string]float64{"zero": .9137, "last-visible": 1.0247,
			"recent-mean": .7281, "ridge": .8001}},
		{england(t), RollingOrigin, 20, map[string]float64{"zero": .7390, "last-visible": .8735, "recent-mean": .5832,
			"ridge": .4809}},
		{country(t, "italy"), PurgedRotation, 14, map[string]float64{"zero": 1.0154, "last-visible": 1.3432,
			"recent-mean": .8535, "ridge": .8039}},
		{country(t, "italy"), RollingOrigin, 27, map[string]float64{"zero": .5214, "last-visible": .6264,
			"recent-mean": .4127, "ridge": .3549}},
		{country(t, "france"), PurgedRotation, 11, map[string]float64{"zero": .9399, "last-visible": 1.7472,
			"recent-mean": .8434, "ridge": .9373}},
		{country(t, "france"), RollingOrigin, 21, map[string]float64{"zero": .4880, "last-visible": .7344,
			"recent-mean": .4139, "ridge": .4631}},
		{Tennis(), PurgedRotation, 12, map[string]float64{"zero": .4934, "last-visible": .3418, "recent-mean": .2863}},
	} {
		o := experiments.Options{Fresh: true, Profile: experiments.Full,
			Only: map[string][]string{"split": {string(c.split)}}}
		for id := range c.want {
			o.Models = append(o.Models, id)
		}
		r, err := c.experiment.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.experiment.rows(r.Results, c.split)
		if err != nil || len(all) != len(c.want) {
			t.Fatalf("%d rows, %v, want %d", len(all), err, len(c.want))
		}
		for _, row := range all {
			mean, _ := stats.MeanCI(row.errors)
			if want := c.want[row.ID]; !(math.Abs(mean-want) <= 6e-5) || len(row.errors) != c.windows {
				t.Errorf("%s, %s, %s: %.5f over %d windows, want %.4f over %d",
					c.experiment.Name, c.split, row.ID, mean, len(row.errors), want, c.windows)
			}
		}
	}
}

func england(t *testing.T) *Forecasting { return country(t, "england") }

// country returns the part of the epidemics study on one country.
func country(t *testing.T, name string) *Forecasting {
	t.Helper()
	f, err := Epidemics().Country(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sizeOf returns a configuration with the numbers of nodes and features of the data.
func sizeOf(t *testing.T, f *Forecasting) pengcde.Config {
	t.Helper()
	series, err := f.series()
	if err != nil {
		t.Fatal(err)
	}
	return pengcde.Config{Nodes: series.Nodes(), Features: series.FeatureSize}
}

// steps returns the steps that a window's features and target consist of, by the definition of each data set.
func steps(experiment string, w dyngraph.Window) (inputs, target []int) {
	lags, ahead := 8, 8 // england: features of snapshot i are of the days i..i+7, its target of day i+8
	if experiment == Tennis().Name {
		lags, ahead = 1, 1
	}
	for i := w.Start; i < w.Last(); i++ {
		for k := range lags {
			inputs = append(inputs, i+k)
		}
	}
	return inputs, []int{w.Last() + ahead}
}

func touched(experiment string, w dyngraph.Window) []int {
	inputs, target := steps(experiment, w)
	return append(inputs, target...)
}

// In every profile, the training and validation windows of a row share no step with the tested window of a purged
// rotation. In splits that go forward in time they end before the newest step that the first tested window shows.
func TestSplitsDoNotLeak(t *testing.T) {
	for _, e := range []*Forecasting{england(t), Tennis()} {
		for _, profile := range experiments.Profiles() {
			for _, s := range e.settings(profile, sizeOf(t, e)) {
				if s.split == Random {
					continue
				}
				parts, err := e.splits(s, 3)
				if err != nil {
					t.Fatal(err)
				}
				tested := make(map[int]int)
				for fold := range parts {
					split, err := e.split(s, 3, fold)
					if err != nil {
						t.Fatal(err)
					}
					if len(split.Validation) > 0 != s.stopsEarly() {
						t.Errorf("%s, %s: %d validation windows", s.ID, s.split, len(split.Validation))
					}
					inputs, _ := steps(e.Name, split.Test[0])
					of := touched(e.Name, split.Test[0])
					for _, w := range slices.Concat(split.Train, split.Validation) {
						all := touched(e.Name, w)
						shares := slices.ContainsFunc(all, func(step int) bool { return slices.Contains(of, step) })
						if s.split == PurgedRotation && shares {
							t.Fatalf("%s, %s: window %d shares a step with the tested %d", s.ID, s.split, w.Start,
								split.Test[0].Start)
						}
						if s.split != PurgedRotation && slices.Max(all) > slices.Max(inputs) {
							t.Fatalf("%s, %s: window %d ends at step %d, the tested %d shows %d",
								s.ID, s.split, w.Start, slices.Max(all), split.Test[0].Start, slices.Max(inputs))
						}
					}
					for _, w := range split.Test {
						tested[w.Start]++
					}
				}
				for start, times := range tested {
					if times != 1 {
						t.Errorf("%s, %s: window %d tested %d times", s.ID, s.split, start, times)
					}
				}
			}
		}
	}
}

// The random split leaks: training windows share no snapshot with tested ones, but they share days.
func TestRandomSplitLeaks(t *testing.T) {
	e := england(t)
	series, err := e.series()
	if err != nil {
		t.Fatal(err)
	}
	all, err := series.Windows(e.window, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	s := setting{split: Random, overlapping: true}
	s.Train.EvaluateEvery = -1
	parts, err := e.split(s, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	free := sharingNoSnapshot(all, parts.Test)
	if len(parts.Validation) != 0 || len(parts.Test) == 0 || len(parts.Train) != len(free) ||
		len(sharingNoSnapshot(parts.Train, parts.Test)) != len(free) {
		t.Errorf("%d windows train, want %d that share no snapshot", len(parts.Train), len(free))
	}
	if len(dyngraph.Purge(parts.Train, parts.Test)) == len(parts.Train) {
		t.Error("it shares no day")
	}
}

func TestIntervals(t *testing.T) {
	of := func(e *Forecasting, split Split) experiments.Interval {
		i, _, err := e.interval(split)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	values := make([]float64, 45)
	for i := range values {
		values[i] = math.Sin(float64(i * i))
	}
	for _, c := range []struct {
		name       string
		experiment *Forecasting
		split      Split
		count      int
		want       func([]float64) (float64, float64)
		says       string
	}{
		// 2 of 10 windows tested, 6 for training.
		{"seeds share windows", england(t), Random, 10, func(v []float64) (float64, float64) {
			return stats.CorrectedCI(v, 2./6)
		}, "2 tested and 6 training"},
		// Without overlap, window 20 leaves 0, 5, 35, 40 and 45.
		{"rotation", england(t), PurgedRotation, 10, func(v []float64) (float64, float64) {
			return stats.CorrectedCI(v, 1./5)
		}, "1/5"},
		// A window touches 13 days.
		{"origins", england(t), RollingOrigin, 20, func(v []float64) (float64, float64) {
			return stats.SerialCI(v, 12)
		}, "lag 12"},
		// A window touches 11 snapshots.
		{"origins of tennis", Tennis(), RollingOrigin, 45, func(v []float64) (float64, float64) {
			return stats.SerialCI(v, 10)
		}, "45 tested windows"},
	} {
		i := of(c.experiment, c.split)
		_, half := i.Of(values[:c.count])
		_, want := c.want(values[:c.count])
		_, independent := stats.MeanCI(values[:c.count])
		if half != want || !strings.Contains(i.Note, c.says) {
			t.Errorf("%s: ± %g and note %q, want ± %g and %q", c.name, half, i.Note, want, c.says)
		}
		if strings.Contains(i.Note, "Nadeau") && half <= independent {
			t.Errorf("%s: ± %g, not above that of independent values, %g", c.name, half, independent)
		}
	}
}

// A model with larger errors than the best simple forecast is called worse, a model with smaller errors better.
func TestVerdictFollowsTheNumbers(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	e := england(t)
	r, err := e.Run(context.Background(), experiments.Options{Fresh: true, Profile: experiments.Full,
		Only: map[string][]string{"split": {"rolling-origin"}}, Models: []string{"zero", "training-mean", "last-visible",
			"recent-mean", "ridge", "ridge-chosen-penalty", "ridge-with-neighbours", "linear-alone"}})
	if err != nil {
		t.Fatal(err)
	}
	series, err := e.series()
	if err != nil {
		t.Fatal(err)
	}
	compared, err := e.comparison(r, RollingOrigin)
	best := compared.best
	if err != nil || best == nil || best.ID != "linear-alone" {
		t.Fatalf("best simple forecast %+v, %v, want the linear part alone", best, err)
	}
	model := func(id string, towards float64) (all experiments.Results) {
		for _, result := range best.Results {
			s := best.setting
			s.Row.ID, s.Row.Name, s.Untrained = id, id, false
			result.Model, result.Spec = s.Row, s
			record, facts := *result.Record, *result.Facts()
			facts.Arrays = maps.Clone(facts.Arrays)
			var forecasts [][]float64
			for k, forecast := range facts.Arrays["test forecasts"] {
				truth := series.Targets[int(facts.Arrays["test snapshots"][0][k])]
				forecast = slices.Clone(forecast)
				for u := range forecast {
					forecast[u] += towards * (truth[u] - forecast[u])
				}
				forecasts = append(forecasts, forecast)
			}
			facts.Arrays["test forecasts"] = forecasts
			record.Facts = &facts
			result.Record = &record
			all = append(all, result)
		}
		return all
	}
	r.Results = slices.Concat(r.Results, model("peng", -1), model("peng-tuned", 0.5))
	text := table(t, e, r, RollingOrigin)
	if made, err := e.Table(r, RollingOrigin); err != nil || !strings.HasPrefix(made.Finding, "Beside the best simple") {
		t.Errorf("%v, the verdict is not the finding: %q", err, made.Finding)
	}
	for _, says := range []string{"peng: worse (", "peng-tuned: better (", "lag 12", "minus best simple",
		"Beside the best simple forecast here, \"linear part alone", "England, rolling origin: ± is"} {
		if !strings.Contains(text, says) {
			t.Errorf("the table lacks %q:\n%s", says, text)
		}
	}
	cut := model("dcrnn", 0)
	cut[0].Record = nil
	r.Results = slices.Concat(r.Results, cut)
	if figure, err := e.Differences(r, RollingOrigin); err != nil || !strings.Contains(figure.Alt(), "dcrnn missing") {
		t.Errorf("%v, a row that lacks a run is not missing: %s", err, figure.Alt())
	}
	if _, err := e.WindowErrors(r, RollingOrigin); err != nil {
		t.Error(err)
	}
}

func table(t *testing.T, e *Forecasting, r *experiments.Report, split Split) string {
	t.Helper()
	made, err := e.Table(r, split)
	if err != nil {
		t.Fatal(err)
	}
	return made.String() + strings.Join(e.Notes(r), "\n")
}

// tinyModel returns a model that trains in a moment.
func tinyModel(training train.Config) setting {
	config := pengcde.Config{Nodes: 129, Features: 8}
	config.Field, config.Hidden = field.Constant{}, 2
	return network("two", "Two", config, training)
}

// A training serves several origins, and its row has every origin once for each seed.
func TestRetrainEvery(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	e := england(t)
	e.settings = func(experiments.Profile, pengcde.Config) []setting {
		two := tinyModel(train.Config{Epochs: 1})
		two.retrainEvery = 9
		return two.on(map[Split]int{RollingOrigin: 2})
	}
	r, err := e.Run(context.Background(), studytest.GoOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	all, err := e.rows(r.Results, RollingOrigin)
	if err != nil || len(all) != 1 || all[0].count != 2 || len(all[0].errors) != 20 || len(r.Results) != 6 {
		t.Fatalf("%+v, %v, want 20 origins of 2 seeds from 6 trainings", all, err)
	}
	if text := table(t, e, r, RollingOrigin); !strings.Contains(text, "trained anew every 9 origins") ||
		!strings.Contains(text, "Two (2)") {
		t.Errorf("the table does not say how often it trains:\n%s", text)
	}
}

// Rows keep the data that figures show.
func TestForecastFigures(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(experiments.ResultsEnv, folder)
	e := england(t)
	e.settings = func(experiments.Profile, pengcde.Config) []setting {
		two := tinyModel(train.Config{Epochs: 2, EvaluateEvery: 1})
		two.retrainEvery = 10
		return slices.Concat(two.on(map[Split]int{Random: 1,
			RollingOrigin: 2}),
			heuristics(counts(1, 1, 1)))
	}
	r, err := e.Run(context.Background(), studytest.GoOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	losses, err := e.Losses(r, "two", Random)
	if err != nil {
		t.Fatal(err)
	}
	studytest.Draw(t, folder, "losses", losses)
	if _, err := e.Losses(r, "ridge", Random); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("losses of a regression: %v, want ErrNotStored", err)
	}
	forecasts, err := e.Forecasts(r, []int{0, 5}, "two", "ridge")
	if err != nil {
		t.Fatal(err)
	}
	studytest.Draw(t, folder, "forecasts", forecasts)
	dots, err := e.Dots(r)
	if err != nil {
		t.Fatal(err)
	}
	studytest.Draw(t, folder, "dots", dots)
	for _, result := range r.Results.Where("split", string(RollingOrigin)).Where("model", "two") {
		targets := targetsOf(result)
		parts := make(map[string]int)
		for i, target := range targets {
			parts[target.part]++
			if i > 0 && target.snapshot <= targets[i-1].snapshot {
				t.Errorf("snapshot %d after %d", target.snapshot, targets[i-1].snapshot)
			}
		}
		if parts["validation"] == 0 || parts["test"] == 0 {
			t.Errorf("forecasts of %v, want validation and test", parts)
		}
	}
	if _, err := e.Forecasts(r, []int{129}, "two"); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("node that is not there: %v", err)
	}
}
