package experiments

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Test errors of the simple forecasts, from the data alone; those of england to four digits as they were computed
// independently (see TestFiguresOfSimpleForecasts of package baseline).
func TestSimpleForecasts(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	for _, c := range []struct {
		experiment Forecasting
		split      Split
		windows    int
		want       map[string]float64
	}{
		{England(), LeakyRotation, 10, map[string]float64{"zero": .9137, "last-visible": 1.0247,
			"recent-mean": .7281, "ridge": .5122}},
		{England(), PurgedRotation, 10, map[string]float64{"zero": .9137, "last-visible": 1.0247,
			"recent-mean": .7281, "ridge": .8001}},
		{England(), RollingOrigin, 20, map[string]float64{"zero": .7390, "last-visible": .8735, "recent-mean": .5832,
			"ridge": .4809}},
		{Tennis(), PurgedRotation, 12, map[string]float64{"zero": .4934, "last-visible": .3418, "recent-mean": .2863}},
	} {
		o := Options{Profile: Full, Splits: []Split{c.split}}
		for id := range c.want {
			o.Models = append(o.Models, id)
		}
		results, err := c.experiment.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		series, err := c.experiment.Series()
		if err != nil {
			t.Fatal(err)
		}
		all, err := results.ByWindow(series, c.split)
		if err != nil || len(all) != len(c.want) {
			t.Fatalf("%d rows, %v, want %d", len(all), err, len(c.want))
		}
		for _, r := range all {
			mean, _ := train.MeanCI(r.Ensemble)
			if want := c.want[r.Setting.ID]; math.Abs(mean-want) > 6e-5 || len(r.Ensemble) != c.windows {
				t.Errorf("%s, %s, %s: %.5f over %d windows, want %.4f over %d",
					c.experiment.Name, c.split, r.Setting.ID, mean, len(r.Ensemble), want, c.windows)
			}
		}
	}
}

// steps are those that a window's features and target are made of, by the definition of each data set.
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

// What any row of any profile trains or validates on shares no step with the tested window of a purged rotation, and ends
// before the newest step that the first tested window shows where the split goes forward in time.
func TestSplitsDoNotLeak(t *testing.T) {
	for _, e := range []Forecasting{England(), Tennis()} {
		series, err := e.Series()
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range Profiles() {
			for _, s := range e.settings(profile) {
				if s.Split == Random || s.Split == LeakyRotation {
					continue
				}
				parts, err := e.splits(series, s, 3)
				if err != nil {
					t.Fatal(err)
				}
				tested := make(map[int]int)
				for fold := range parts {
					split, err := e.split(series, s, 3, fold)
					if err != nil {
						t.Fatal(err)
					}
					if len(split.Validation) > 0 != s.stopsEarly() {
						t.Errorf("%s, %s: %d validation windows", s.ID, s.Split, len(split.Validation))
					}
					inputs, _ := steps(e.Name, split.Test[0])
					of := touched(e.Name, split.Test[0])
					for _, w := range slices.Concat(split.Train, split.Validation) {
						all := touched(e.Name, w)
						shares := slices.ContainsFunc(all, func(step int) bool { return slices.Contains(of, step) })
						if s.Split == PurgedRotation && shares {
							t.Fatalf("%s, %s: window %d shares a step with the tested %d", s.ID, s.Split, w.Start,
								split.Test[0].Start)
						}
						if s.Split != PurgedRotation && slices.Max(all) > slices.Max(inputs) {
							t.Fatalf("%s, %s: window %d ends at step %d, the tested %d shows %d",
								s.ID, s.Split, w.Start, slices.Max(all), split.Test[0].Start, slices.Max(inputs))
						}
					}
					for _, w := range split.Test {
						tested[w.Start]++
					}
				}
				for start, times := range tested {
					if times != 1 {
						t.Errorf("%s, %s: window %d tested %d times", s.ID, s.Split, start, times)
					}
				}
			}
		}
	}
}

// The leaky splits have their name from this: training windows share no snapshot with tested ones, but days.
func TestLeakySplits(t *testing.T) {
	e := England()
	series, err := e.Series()
	if err != nil {
		t.Fatal(err)
	}
	all, err := series.Windows(e.Window, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range []Split{Random, LeakyRotation} {
		for fold := range map[Split]int{Random: 1, LeakyRotation: 2}[split] {
			s := Setting{Split: split, Dense: true, Model: &pengcde.Config{}, Train: train.Config{EvaluateEvery: -1}}
			parts, err := e.split(series, s, 3, fold)
			if err != nil {
				t.Fatal(err)
			}
			free := sharingNoSnapshot(all, parts.Test)
			if len(parts.Validation) != 0 || len(parts.Test) == 0 || len(parts.Train) != len(free) ||
				len(sharingNoSnapshot(parts.Train, parts.Test)) != len(free) {
				t.Errorf("%s: %d windows train, want %d that share no snapshot", split, len(parts.Train), len(free))
			}
			if len(dyngraph.Purge(parts.Train, parts.Test)) == len(parts.Train) {
				t.Errorf("%s shares no day", split)
			}
		}
	}
}

// The leaky rotation is made when it is asked for, and only then.
func TestLeakyRotationIsNoDefault(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e := England()
	has := func(o Options) bool {
		results, err := e.Stored(o)
		if err != nil {
			t.Fatal(err)
		}
		return results.has(LeakyRotation)
	}
	if has(Options{Profile: Medium}) || !has(Options{Profile: Medium, Splits: []Split{LeakyRotation}}) {
		t.Error("want the leaky rotation on request alone")
	}
	if _, err := e.Stored(Options{Profile: Medium, Splits: []Split{"rotation"}}); !errors.Is(err,
		ErrInput) || !strings.Contains(err.Error(), "leaky-rotation") {
		t.Errorf("unknown split: %v, want ErrInput with the names", err)
	}
}

func TestIntervals(t *testing.T) {
	of := func(e Forecasting, split Split) interval {
		series, err := e.Series()
		if err != nil {
			t.Fatal(err)
		}
		i, err := e.interval(series, split)
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
		experiment Forecasting
		split      Split
		count      int
		want       func([]float64) (float64, float64)
		says       string
	}{
		// 2 of 10 windows tested, 6 for training.
		{"seeds share windows", England(), Random, 10, func(v []float64) (float64,
			float64) {
			return train.CorrectedCI(v, 2./6)
		}, "2 tested and 6 training"},
		// Side by side, window 20 leaves 0, 5, 35, 40 and 45.
		{"rotation", England(), PurgedRotation, 10, func(v []float64) (float64,
			float64) {
			return train.CorrectedCI(v, 1./5)
		}, "1/5"},
		// A window touches 13 days.
		{"origins", England(), RollingOrigin, 20, func(v []float64) (float64, float64) {
			return train.SerialCI(v,
				12)
		}, "lag 12"},
		{"no two disjoint windows", England(), Chronological, 11, func([]float64) (float64, float64) {
			return 0,
				math.Inf(1)
		}, "no interval"},
		// A window touches 11 snapshots, and 23 are tested.
		{"in order of time", Tennis(), Chronological, 23, func(v []float64) (float64,
			float64) {
			return train.SerialCI(v, 10)
		}, "23 tested windows"},
		{"origins of tennis", Tennis(), RollingOrigin, 45, func(v []float64) (float64,
			float64) {
			return train.SerialCI(v, 10)
		}, "45 tested windows"},
	} {
		i := of(c.experiment, c.split)
		_, half := i.of(values[:c.count])
		_, want := c.want(values[:c.count])
		_, independent := train.MeanCI(values[:c.count])
		if half != want || !strings.Contains(i.note, c.says) {
			t.Errorf("%s: ± %g and note %q, want ± %g and %q", c.name, half, i.note, want, c.says)
		}
		if strings.Contains(i.note, "Nadeau") && half <= independent {
			t.Errorf("%s: ± %g, not above that of independent values, %g", c.name, half, independent)
		}
	}
}

// simpleResults are stored simple forecasts of england, and a model with given errors in rolling origins.
func TestVerdictFollowsTheNumbers(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e := England()
	results, err := e.Run(context.Background(), Options{Profile: Full, Splits: []Split{RollingOrigin},
		Models: []string{"zero", "training-mean", "last-visible", "recent-mean", "ridge", "ridge-chosen-penalty"}})
	if err != nil {
		t.Fatal(err)
	}
	series, err := e.Series()
	if err != nil {
		t.Fatal(err)
	}
	best, err := results.bestSimple(series, RollingOrigin)
	if err != nil || best == nil || !strings.HasPrefix(best.setting.ID, "ridge") {
		t.Fatalf("best simple forecast %+v, %v, want a ridge", best, err)
	}
	// A model that forecasts what the best does, but a part of it: worse, or that of the truth: better.
	model := func(id string, towards float64) Row {
		row := *results.Row(best.setting.ID, RollingOrigin)
		row.Setting.ID, row.Setting.Name, row.Setting.Model = id, id, &pengcde.Config{}
		row.Runs = slices.Clone(row.Runs)
		for i := range row.Runs {
			row.Runs[i].Targets = slices.Clone(row.Runs[i].Targets)
			for k, target := range row.Runs[i].Targets {
				truth, forecast := series.Targets[target.Snapshot], slices.Clone(target.Forecast)
				for u := range forecast {
					forecast[u] += towards * (truth[u] - forecast[u])
				}
				row.Runs[i].Targets[k].Forecast = forecast
			}
		}
		return row
	}
	results.Rows = append(results.Rows, model("bad model", -1), model("good model", 0.5))
	text := markdown(t, results)
	for _, says := range []string{"Worse than it: bad model (by ", "Better than it: good model (by ",
		"an interval without 0", "lag 12",
		"minus best simple", "The best simple forecast here is \"ridge"} {
		if !strings.Contains(text, says) {
			t.Errorf("the table lacks %q:\n%s", says, text)
		}
	}
	if _, err := results.Differences(RollingOrigin); err != nil {
		t.Error(err)
	}
	if _, err := results.WindowErrors(RollingOrigin); err != nil {
		t.Error(err)
	}
}

// A training serves several origins, and its row has every one of them once for each seed.
func TestRetrainEvery(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e, o := tiny(), options(t)
	settings := e.settings
	e.settings = func(p Profile) []Setting {
		two := settings(p)[0]
		two.Train = train.Config{Epochs: 1}
		two.RetrainEvery = 9
		return two.on(map[Split]int{RollingOrigin: 2})
	}
	results, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	series, err := e.Series()
	if err != nil {
		t.Fatal(err)
	}
	all, err := results.ByWindow(series, RollingOrigin)
	if err != nil || len(all) != 1 || all[0].Seeds != 2 || len(all[0].Ensemble) != 20 || len(results.Rows[0].Runs) != 6 {
		t.Fatalf("%+v, %v, want 20 origins of 2 seeds from 6 trainings", all, err)
	}
	if text := markdown(t, results); !strings.Contains(text,
		"trained anew every 9 origins") || !strings.Contains(text, "Two (2)") {
		t.Errorf("the table does not say how often it trains:\n%s", text)
	}
}
