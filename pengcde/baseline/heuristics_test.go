package baseline_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

func england(t *testing.T) []dyngraph.Window {
	t.Helper()
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	windows, err := series.Windows(5, 5).List()
	if err != nil {
		t.Fatal(err)
	}
	return windows
}

// Errors of england_covid with the published standardisation, mean over its 10 windows, computed independently from
// the published file to three digits.
func TestEnglandCovid(t *testing.T) {
	windows := england(t)
	want := map[string]float64{"zero": 0.914, "training mean": 0.866, "last value": 1.025, "recent mean": 0.728}
	for _, f := range baseline.Heuristics() {
		if _, simple := want[f.Name()]; !simple {
			continue
		}
		if err := f.Fit(windows, nil); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, w := range windows {
			forecast, err := f.Forecast(w)
			if err != nil {
				t.Fatal(err)
			}
			mse, err := train.MSE(forecast, w.Target())
			if err != nil {
				t.Fatal(err)
			}
			sum += mse
		}
		if got := sum / float64(len(windows)); !(math.Abs(got-want[f.Name()]) < 5e-4) {
			t.Errorf("%s: MSE %.5f, want %.3f", f.Name(), got, want[f.Name()])
		}
	}
}

// Reference errors: of the best single number for the whole graph, and of the day before the target, which no input
// contains.
func TestEnglandCovidBounds(t *testing.T) {
	windows := england(t)
	floor, label := 0.0, 0.0
	for _, w := range windows {
		mean := []float64{stat.Mean(w.Target(), nil)}
		best, err := train.BroadcastMSE(mean, w.Target())
		if err != nil {
			t.Fatal(err)
		}
		before, err := train.MSE(w.Series.Targets[w.Last()-1], w.Target())
		if err != nil {
			t.Fatal(err)
		}
		floor += best / float64(len(windows))
		label += before / float64(len(windows))
	}
	if !(math.Abs(floor-0.558) <= 5e-4) || !(math.Abs(label-0.833) <= 5e-4) {
		t.Errorf("floor %.5f, label before %.5f, want 0.558 and 0.833", floor, label)
	}
}

// pair returns a graph of two nodes with three features and two targets for each node.
func pair() *dyngraph.Series {
	pattern, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		panic(err)
	}
	s := &dyngraph.Series{Name: "pair", Pattern: pattern, FeatureSize: 3, TargetSize: 2}
	for i := range 4 {
		v := float64(i)
		s.Times = append(s.Times, v)
		s.Weights = append(s.Weights, []float64{1})
		s.Features = append(s.Features, []float64{v, v + 1, v + 5, -v, -v, -v - 3})
		s.Targets = append(s.Targets, []float64{v, 10, v + 2, 30})
		s.LastObserved = append(s.LastObserved, []float64{v + 5, 1, -v - 3, 2})
		s.RecentMean = append(s.RecentMean, []float64{v + 2, 3, -v - 1, 4})
	}
	return s
}

func TestForecasts(t *testing.T) {
	s := pair()
	last := dyngraph.Window{Series: s, Start: 1, Length: 3} // inputs 1 and 2
	mean := &baseline.TrainingMean{}
	if _, err := mean.Forecast(last); !errors.Is(err, baseline.ErrNotFitted) {
		t.Errorf("before Fit: error %v, want ErrNotFitted", err)
	}
	if err := mean.Fit([]dyngraph.Window{{Series: s, Start: 0, Length: 2}, {Series: s, Start: 1, Length: 2}},
		nil); err != nil {
		t.Fatal(err)
	}
	gaps, observed := pair(), &baseline.TrainingMean{}
	for _, at := range [][2]int{{1, 0}, {1, 2}, {1, 3}, {2, 3}} {
		gaps.Targets[at[0]][at[1]] = math.NaN()
	}
	if err := observed.Fit([]dyngraph.Window{{Series: gaps, Start: 0, Length: 2}, {Series: gaps, Start: 1, Length: 2}},
		nil); err != nil {
		t.Fatal(err)
	}
	one := pair() // its first target only
	one.TargetSize, one.LastObserved, one.RecentMean = 1, nil, nil
	for i, row := range one.Targets {
		one.Targets[i] = []float64{row[0], row[2]}
	}
	single := dyngraph.Window{Series: one, Start: 1, Length: 3}
	for _, c := range []struct {
		f    baseline.Forecaster
		w    dyngraph.Window
		want []float64
	}{
		{baseline.Zero{}, last, []float64{0, 0, 0, 0}},
		{mean, last, []float64{2.5, 20, 2.5, 20}}, // targets of snapshots 1 and 2
		{observed, last, []float64{3, 10, 3, 10}}, // of 2, 4 and of 10, 10
		{baseline.Persistence{}, last, []float64{7, 1, -5, 2}},
		{baseline.RecentMean{}, last, []float64{4, 3, -3, 4}},
	} {
		got, err := c.f.Forecast(c.w)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v (%v), want %v", c.f.Name(), got, err, c.want)
		}
	}
	second := func(_ []float64, err error) error { return err }
	none, unseen := pair(), pair()
	none.Targets = nil
	unseen.Targets[1][1], unseen.Targets[1][3] = math.NaN(), math.NaN()
	gone := pair()
	gone.Targets, gone.RecentMean[2][3] = nil, math.NaN()
	unknown := second(baseline.RecentMean{}.Forecast(dyngraph.Window{Series: gone, Start: 1, Length: 3}))
	if want := "RecentMean of snapshot 2, node 1, target 1 is NaN"; !strings.Contains(fmt.Sprint(unknown), want) {
		t.Errorf("%v, want %s", unknown, want)
	}
	wide := pair()
	wide.Targets, wide.TargetSize = nil, 1<<40
	for name, w := range map[string]dyngraph.Window{
		"empty": {}, "negative start": {Series: s, Start: -5, Length: 3},
		"huge start":  {Series: s, Start: math.MaxInt, Length: 3},
		"huge length": {Series: s, Start: 1, Length: math.MaxInt}, "no inputs": {Series: s, Length: 1},
		"huge targets": {Series: wide, Length: 3},
	} {
		for _, f := range []baseline.Forecaster{baseline.Zero{}, mean, baseline.Persistence{}, baseline.RecentMean{}} {
			if _, err := f.Forecast(w); !errors.Is(err, baseline.ErrInput) || !errors.Is(err, dyngraph.ErrInvalid) {
				t.Errorf("%s, %s: %v, want ErrInput and dyngraph.ErrInvalid", name, f.Name(), err)
			}
		}
		if err := (&baseline.TrainingMean{}).Fit([]dyngraph.Window{last, w}, nil); !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%s: Fit: %v, want ErrInput", name, err)
		}
	}
	for name, err := range map[string]error{
		"recent mean NaN":              unknown,
		"nothing known":                second(baseline.Persistence{}.Forecast(single)),
		"no mean known":                second(baseline.RecentMean{}.Forecast(single)),
		"another number of targets":    second(mean.Forecast(single)),
		"no windows":                   (&baseline.TrainingMean{}).Fit(nil, nil),
		"windows of different targets": (&baseline.TrainingMean{}).Fit([]dyngraph.Window{last, single}, nil),
		"a target never observed": (&baseline.TrainingMean{}).Fit([]dyngraph.Window{{Series: unseen, Length: 2}},
			nil),
		"windows of no targets": (&baseline.TrainingMean{}).Fit([]dyngraph.Window{{Series: none, Length: 2}},
			nil),
		"size 0 beside existing window": (&baseline.TrainingMean{}).Fit([]dyngraph.Window{last,
			{Series: none, Length: 2}}, nil),
	} {
		if !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%s: error %v, want ErrInput", name, err)
		}
	}
}

// A forecast depends only on the inputs: changes of the target snapshot must not change it.
func TestForecastsDoNotSeeTheTarget(t *testing.T) {
	windows := england(t)
	w := windows[4]
	for _, f := range baseline.Heuristics() {
		if err := f.Fit(windows[:4], nil); err != nil {
			t.Fatal(err)
		}
		before, err := f.Forecast(w)
		if err != nil {
			t.Fatal(err)
		}
		kept := w.Series.Features[w.Last()]
		w.Series.Features[w.Last()] = make([]float64, len(kept))
		after, err := f.Forecast(w)
		w.Series.Features[w.Last()] = kept
		if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("%s sees the target snapshot (%v)", f.Name(), err)
		}
	}
}

func ExampleForecaster() {
	series, err := pgt.EnglandCovid()
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := series.Windows(5, 5).Chronological(0.6, 0.2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range baseline.Heuristics() {
		if err := f.Fit(split.Train, split.Validation); err != nil {
			fmt.Println(err)
			return
		}
		forecast, err := f.Forecast(split.Test[0])
		if err != nil {
			fmt.Println(err)
			return
		}
		mse, err := train.MSE(forecast, split.Test[0].Target())
		fmt.Printf("%-21s %.3f %v\n", f.Name(), mse, err)
	}
	// Output:
	// zero                  0.561 <nil>
	// training mean         1.104 <nil>
	// last value            0.706 <nil>
	// recent mean           0.394 <nil>
	// ridge                 0.472 <nil>
	// ridge, chosen penalty 0.427 <nil>
	// ridge with neighbours 0.477 <nil>
}
