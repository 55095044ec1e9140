package baseline_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// mean of the test errors over splits.
func testError(t *testing.T, f baseline.Forecaster, splits []dyngraph.Split) float64 {
	t.Helper()
	sum, tested := 0.0, 0
	for _, split := range splits {
		if err := f.Fit(split.Train, split.Validation); err != nil {
			t.Fatal(err)
		}
		for _, w := range split.Test {
			forecast, err := f.Forecast(w)
			if err != nil {
				t.Fatal(err)
			}
			mse, err := train.MSE(forecast, w.Target())
			if err != nil {
				t.Fatal(err)
			}
			sum += mse
			tested++
		}
	}
	return sum / float64(tested)
}

// leaky tests windows side by side and trains on all windows that share no snapshot with the tested window, though they
// share days.
func leaky(t *testing.T, s *dyngraph.Series, length int) []dyngraph.Split {
	t.Helper()
	tested, err1 := s.Windows(length, length).List()
	all, err2 := s.Windows(length, 1).List()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	var splits []dyngraph.Split
	for _, w := range tested {
		train := slices.DeleteFunc(slices.Clone(all),
			func(o dyngraph.Window) bool { return o.Start <= w.Last() && w.Start <= o.Last() })
		splits = append(splits, dyngraph.Split{Train: train, Test: []dyngraph.Window{w}})
	}
	return splits
}

// Errors that were computed independently (NumPy) from the files, to four digits: values standardised over all days,
// windows of 5, rotations test windows side by side and train on windows of stride 1, rolling origins train on the
// windows known by then.
func TestFiguresOfSimpleForecasts(t *testing.T) {
	second := func(s *dyngraph.Series, err error) *dyngraph.Series {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	type figures [4]float64 // zero, last value, recent mean, ridge
	for _, c := range []struct {
		name                   string
		series                 *dyngraph.Series
		windows, origins       int
		leaky, purged, rolling figures
	}{
		{"england", second(pgt.EnglandCovid()), 10, 20, figures{.9137, 1.0247, .7281, .5122},
			figures{.9137, 1.0247, .7281, .8001}, figures{.7390, .8735, .5832, .4809}},
		{"italy", second(pgt.ItalyCovid()), 14, 27, figures{}, figures{1.0154, 1.3432, .8535, .8039}, figures{.5214,
			.6264, .4127, .3549}},
		{"france", second(pgt.FranceCovid()), 11, 21, figures{}, figures{.9399, 1.7472, .8434, .9373}, figures{.4880,
			.7344, .4139, .4631}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sideBySide, all := c.series.Windows(5, 5), c.series.Windows(5, 1)
			purged, err1 := sideBySide.PurgedRotation(all, 0)
			rolling, err2 := all.RollingOrigin(.6, 1, 0)
			if err1 != nil || err2 != nil || len(purged) != c.windows || len(rolling) != c.origins {
				t.Fatalf("%d windows and %d origins (%v, %v), want %d and %d", len(purged), len(rolling), err1, err2,
					c.windows, c.origins)
			}
			for _, p := range []struct {
				name   string
				splits []dyngraph.Split
				want   figures
			}{{"leaky", leaky(t, c.series, 5), c.leaky}, {"purged", purged, c.purged}, {"rolling", rolling,
				c.rolling}} {
				for i, f := range []baseline.Forecaster{baseline.Zero{}, baseline.Persistence{},
					baseline.RecentMean{}, &baseline.Ridge{}} {
					if got := testError(t, f, p.splits); p.want[i] != 0 && !(math.Abs(got-p.want[i]) <= 5e-5) {
						t.Errorf("%s, %s: %.5f, want %.4f", p.name, f.Name(), got, p.want[i])
					}
				}
			}
		})
	}
}

func TestRidgeOnEngland(t *testing.T) {
	windows := england(t)
	ridge := &baseline.Ridge{}
	if err := ridge.Fit(windows, nil); err != nil || ridge.Coefficients() != 23 || ridge.Chosen() != 1e-2 {
		t.Errorf("%d coefficients, penalty %g (%v), want 23 (11 days, 11 means, 1) and 0.01", ridge.Coefficients(),
			ridge.Chosen(), err)
	}
}

// line returns a series of four nodes with random newest values and the target 2 v + 3 mean(v) + 1, where v is the
// newest value visible at the second input of windows of 3.
func line(snapshots int) *dyngraph.Series {
	pattern, _, err := dyngraph.NewPattern(4, []int{0}, []int{1})
	if err != nil {
		panic(err)
	}
	s := &dyngraph.Series{Name: "line", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range snapshots {
		row, target, mean := make([]float64, 4), make([]float64, 4), 0.0
		for u := range row {
			row[u] = rng.NormFloat64()
			if i > 0 {
				mean += s.LastObserved[i-1][u] / 4
			}
		}
		for u := range target {
			if i > 0 {
				target[u] = 2*s.LastObserved[i-1][u] + 3*mean + 1
			}
		}
		s.Times, s.Weights = append(s.Times, float64(i)), append(s.Weights, []float64{1})
		s.Features, s.LastObserved = append(s.Features, row), append(s.LastObserved, row)
		s.Targets = append(s.Targets, target)
	}
	return s
}

func TestRidgeFindsALine(t *testing.T) {
	s := line(30)
	split, err := s.Windows(3, 1).Chronological(.6, .2)
	if err != nil {
		t.Fatal(err)
	}
	ridge := &baseline.Ridge{Penalty: 1e-12}
	if got := testError(t, ridge, []dyngraph.Split{split}); got > 1e-15 {
		t.Errorf("error %g of a line that is one, want none", got)
	}
	chosen := &baseline.Ridge{Choose: true}
	if got := testError(t, chosen, []dyngraph.Split{split}); got > 1e-4 || chosen.Chosen() != 1e-4 {
		t.Errorf("error %g with the chosen penalty %g, want the least penalty", got, chosen.Chosen())
	}
	// Targets of noise ask for a large one, and tested windows have no say.
	noise := line(30)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, row := range noise.Targets {
		for u := range row {
			row[u] = rng.NormFloat64()
		}
	}
	all, err := noise.Windows(3, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	if err := chosen.Fit(all[:20], nil); err != nil || chosen.Chosen() < 1e-1 {
		t.Errorf("penalty %g for noise (%v), want a large one", chosen.Chosen(), err)
	}
	// The held-out windows are the latest in time, in whatever order windows come.
	before := chosen.Chosen()
	shuffled := slices.Clone(all[:20])
	slices.Reverse(shuffled)
	if err := chosen.Fit(shuffled, nil); err != nil || chosen.Chosen() != before {
		t.Errorf("penalty %g with windows in another order (%v), want %g", chosen.Chosen(), err, before)
	}
}

// Missing targets are left out, missing inputs are replaced by the mean over nodes, and nothing becomes NaN.
func TestRidgeWithMissingValues(t *testing.T) {
	clean, gaps := line(30), line(30)
	for _, s := range []*dyngraph.Series{clean, gaps} {
		s.Lagged, s.FeatureSize, s.Alignment.Features = true, 2, dyngraph.StepRange{First: -1, Last: 0}
		for i := range s.Features {
			s.Features[i] = make([]float64, 8)
			for u := range 4 {
				s.Features[i][2*u], s.Features[i][2*u+1] = s.LastObserved[max(0, i-1)][u], s.LastObserved[i][u]
			}
		}
	}
	for i := range gaps.Targets {
		gaps.Targets[i][i%4] = math.NaN()
		gaps.Features[i][2*(i%4)] = math.NaN()
	}
	for u := range 4 {
		gaps.Features[5][2*u] = math.NaN() // at no node
	}
	for _, s := range []*dyngraph.Series{clean, gaps} {
		windows, err := s.Windows(3, 1).List()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*baseline.Ridge{{Penalty: 1e-12}, {Choose: true}} {
			if got := testError(t, f, []dyngraph.Split{{Train: windows[:20], Test: windows[20:]}}); !(got < 1e-2) {
				t.Errorf("%s: error %g, want nearly none: the target depends on values that are all there", f.Name(),
					got)
			}
		}
	}
}

// Each component of a target has its own coefficients, on the visible values of all components.
func TestRidgeOfTwoTargets(t *testing.T) {
	s := pair()
	for i := range s.Targets {
		s.Targets[i] = []float64{1, 2, 1, 2}
	}
	windows, err := s.Windows(2, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	ridge := &baseline.Ridge{Penalty: 1e-9}
	if err := ridge.Fit(windows[:2], nil); err != nil {
		t.Fatal(err)
	}
	got, err := ridge.Forecast(windows[2])
	if err != nil || ridge.Coefficients() != 5 {
		t.Fatalf("%d coefficients (%v), want 5", ridge.Coefficients(), err)
	}
	for i, want := range []float64{1, 2, 1, 2} {
		if !(math.Abs(got[i]-want) <= 1e-3) {
			t.Errorf("forecast %v, want 1 2 1 2", got)
		}
	}
}

func TestRidgeErrors(t *testing.T) {
	windows := func(s *dyngraph.Series, length int) []dyngraph.Window {
		list, err := s.Windows(length, 1).List()
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	unknown, unobserved, huge := line(9), line(9), line(9)
	unknown.LastObserved = nil
	for i := range unobserved.Targets {
		unobserved.Targets[i] = slices.Repeat([]float64{math.NaN()}, 4)
		huge.LastObserved[i] = slices.Repeat([]float64{1e300}, 4)
	}
	fitted := &baseline.Ridge{}
	if err := fitted.Fit(windows(line(9), 3), nil); err != nil {
		t.Fatal(err)
	}
	fit := func(r baseline.Ridge, w ...dyngraph.Window) error { return r.Fit(w, nil) }
	forecast := func(r *baseline.Ridge, w dyngraph.Window) error { _, err := r.Forecast(w); return err }
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"no windows", fit(baseline.Ridge{}), "no training windows"},
		{"no windows to choose by", fit(baseline.Ridge{Choose: true}), "none of 0 training windows"},
		{"one window to choose by", fit(baseline.Ridge{Choose: true}, windows(line(9), 3)[0]),
			"none of 1 training windows"},
		{"negative penalty", fit(baseline.Ridge{Penalty: -1}, windows(line(9), 3)...), "penalty -1"},
		{"NaN", fit(baseline.Ridge{Penalty: math.NaN()}, windows(line(9), 3)...), "penalty NaN"},
		{"nothing known", fit(baseline.Ridge{}, windows(unknown, 3)...), "set Series.LastObserved"},
		{"no target observed", fit(baseline.Ridge{}, windows(unobserved, 3)...), "target 0 is NaN at every node"},
		{"beyond floats", fit(baseline.Ridge{}, windows(huge, 3)...), "no solution in floats"},
		{"windows of different lengths", fit(baseline.Ridge{}, windows(line(9), 3)[0], windows(line(9), 4)[0]),
			"as the first training window"},
		{"forecast of another length", forecast(fitted, windows(line(9), 4)[0]), "as in Fit"},
	} {
		if !errors.Is(c.err, baseline.ErrInput) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: error %v, want ErrInput saying %q", c.name, c.err, c.says)
		}
	}
	if _, err := (&baseline.Ridge{}).Forecast(windows(line(9), 3)[0]); !errors.Is(err, baseline.ErrNotFitted) {
		t.Errorf("before Fit: %v, want ErrNotFitted", err)
	}
}

func ExampleRidge() {
	series, err := pgt.EnglandCovid()
	if err != nil {
		fmt.Println(err)
		return
	}
	splits, err := series.Windows(5, 1).RollingOrigin(0.6, 1, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	ridge, sum := &baseline.Ridge{}, 0.0
	for _, split := range splits { // fitted again for each split
		if err := ridge.Fit(split.Train, split.Validation); err != nil {
			fmt.Println(err)
			return
		}
		forecast, err := ridge.Forecast(split.Test[0])
		if err != nil {
			fmt.Println(err)
			return
		}
		mse, err := train.MSE(forecast, split.Test[0].Target())
		if err != nil {
			fmt.Println(err)
			return
		}
		sum += mse
	}
	fmt.Printf("%d coefficients, mean squared error %.4f over %d origins\n", ridge.Coefficients(),
		sum/float64(len(splits)), len(splits))
	// Output:
	// 23 coefficients, mean squared error 0.4809 over 20 origins
}

// Windows outside their series, or with rows of another length, are errors.
func TestRidgeOfWindowsThatCannotBe(t *testing.T) {
	series := &dyngraph.Series{Times: []float64{0, 1, 2, 3}, Pattern: &dyngraph.Pattern{Nodes: 1, From: []int32{0},
		To: []int32{0}}, TargetSize: 1,
		LastObserved: [][]float64{{1}, {2}, {3}, {4}}, Targets: [][]float64{{1}, {2}, {3}, {4}}}
	short := *series
	short.LastObserved = [][]float64{{1}, {}, {3}, {4}}
	none := *series
	none.TargetSize, none.Lagged = 0, true
	good := dyngraph.Window{Series: series, Length: 3}
	fitted := &baseline.Ridge{}
	if err := fitted.Fit([]dyngraph.Window{good}, nil); err != nil {
		t.Fatal(err)
	}
	err := (&baseline.Ridge{Neighbours: true}).Fit([]dyngraph.Window{good}, nil)
	if !errors.Is(err, baseline.ErrInput) || !strings.Contains(err.Error(), "Series.Weights") {
		t.Errorf("no weights of edges: %v, want ErrInput and what to set", err)
	}
	for name, w := range map[string]dyngraph.Window{
		"no series": {}, "huge start": {Series: series, Start: math.MaxInt, Length: 3}, "huge length": {Series: series,
			Length: math.MaxInt},
		"short row": {Series: &short, Length: 3}, "no targets": {Series: &none, Length: 3},
	} {
		_, forecast := fitted.Forecast(w)
		for what, err := range map[string]error{
			"fit": (&baseline.Ridge{}).Fit([]dyngraph.Window{w},
				nil), "choice": (&baseline.Ridge{Choose: true}).Fit([]dyngraph.Window{good, w}, nil),
			"forecast": forecast,
		} {
			if !errors.Is(err, baseline.ErrInput) {
				t.Errorf("%s, %s: %v, want ErrInput", name, what, err)
			}
		}
		if err := (&baseline.Ridge{Neighbours: true}).Fit([]dyngraph.Window{w}, nil); !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%s, with neighbours: %v, want ErrInput", name, err)
		}
		dyngraph.Known([]dyngraph.Window{good, w}, w)
		dyngraph.Purge([]dyngraph.Window{w}, []dyngraph.Window{good, w})
	}
}

// Where values follow the values at the sources of edges, ridge with neighbours forecasts exactly, also with all edges
// reversed; with weights of another time it does not, nor without neighbours.
func TestRidgeWithNeighbours(t *testing.T) {
	const nodes, times, share = 12, 30, 0.9
	rng := rand.New(rand.NewPCG(1, 2))
	var from, to []int
	for u := range nodes { // each node hears the two before it, and itself
		from, to = append(from, u, u, u), append(to, u, (u+1)%nodes, (u+2)%nodes)
	}
	pattern, at, err1 := dyngraph.NewPattern(nodes, from, to)
	backward, back, err2 := dyngraph.NewPattern(nodes, to, from)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	series := &dyngraph.Series{Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	reversed := &dyngraph.Series{Pattern: backward, FeatureSize: 1, TargetSize: 1}
	values, target := make([]float64, nodes), make([]float64, nodes) // a window ends one snapshot after its inputs
	for k := range times {
		weights, mirrored := make([]float64, len(from)), make([]float64, len(from))
		next, total := make([]float64, nodes), make([]float64, nodes)
		for e := range from {
			w := rng.Float64()
			if weights[at[e]], mirrored[back[e]] = w, w; from[e] != to[e] {
				next[to[e]] += w * values[from[e]]
				total[to[e]] += w
			}
		}
		for u := range next {
			next[u] = share * next[u] / total[u]
		}
		for _, s := range []*dyngraph.Series{series, reversed} {
			s.Times, s.Targets = append(s.Times, float64(k)), append(s.Targets, target)
			s.LastObserved, s.Features = append(s.LastObserved, slices.Clone(values)), append(s.Features, next)
		}
		series.Weights, reversed.Weights = append(series.Weights, weights), append(reversed.Weights, mirrored)
		target = next
		for u := range values {
			values[u] = rng.NormFloat64()
		}
	}
	late := *series
	late.Weights = append([][]float64{series.Weights[0]}, series.Weights[:times-1]...)
	for name, c := range map[string]struct {
		series     *dyngraph.Series
		neighbours bool
		exact      bool
	}{"with": {series, true, true}, "reversed": {reversed, true, true}, "without": {series, false, false},
		"weights of the day before": {&late, true, false}} {
		split, err := c.series.Windows(3, 1).Chronological(0.6, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		got := testError(t, &baseline.Ridge{Penalty: 1e-9, Neighbours: c.neighbours}, []dyngraph.Split{split})
		if exact := got < 1e-6; exact != c.exact {
			t.Errorf("%s: error %g", name, got)
		}
	}
}

// Weights whose sum is nearly 0 do not make a mean of neighbours large.
func TestRidgeOfSignedWeights(t *testing.T) {
	const nodes, times = 4, 24
	pattern := &dyngraph.Pattern{Nodes: nodes, From: []int32{0, 1, 2, 3}, To: []int32{3, 3, 3, 0}}
	series := &dyngraph.Series{Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	rng := rand.New(rand.NewPCG(5, 6))
	for k := range times {
		row, target := make([]float64, nodes), make([]float64, nodes)
		for u := range row {
			row[u], target[u] = rng.NormFloat64(), rng.NormFloat64()
		}
		weights := []float64{1, 0.5, -0.4, 1}
		if k >= times-3 {
			weights = []float64{0.1, 0.2, -0.3, 1}
		}
		series.Times, series.Weights = append(series.Times, float64(k)), append(series.Weights, weights)
		series.LastObserved, series.Targets = append(series.LastObserved, row), append(series.Targets, target)
		series.Features = append(series.Features, row)
	}
	windows, err := series.Windows(3, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	ridge := &baseline.Ridge{Neighbours: true}
	if err := ridge.Fit(windows[:15], nil); err != nil {
		t.Fatal(err)
	}
	y, err := ridge.Forecast(windows[len(windows)-1])
	if err != nil || slices.ContainsFunc(y, func(v float64) bool { return !(math.Abs(v) < 10) }) {
		t.Errorf("forecast %g (%v) of values of order 1", y, err)
	}
}
