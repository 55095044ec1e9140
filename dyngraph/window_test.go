package dyngraph_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

func starts(windows []dyngraph.Window) []int {
	s := make([]int, len(windows))
	for i, w := range windows {
		s[i] = w.Start
	}
	return s
}

func TestWindows(t *testing.T) {
	for _, c := range []struct{ snapshots, length, stride, count, last int }{
		{53, 5, 5, 10, 45}, // england_covid as published
		{53, 5, 1, 49, 48},
		{120, 10, 10, 12, 110}, // twitter_tennis as published
		{5, 5, 5, 1, 0},
		{6, 5, math.MaxInt - 3, 1, 0},
		{60, 2, math.MaxInt, 1, 0},
	} {
		list, err := ring(3, c.snapshots, 2).Windows(c.length, c.stride).List()
		if err != nil || len(list) != c.count || list[len(list)-1].Start != c.last {
			t.Errorf("%+v: got starts %v (%v)", c, starts(list), err)
		}
	}
}

func TestWindow(t *testing.T) {
	s := ring(3, 6, 2) // times 2, 2.5, 4, 6.5, 10, 14.5
	w := dyngraph.Window{Series: s, Start: 1, Length: 4}
	if got, want := w.InputTimes(), []float64{0, 1.5, 4}; !slices.Equal(got, want) {
		t.Errorf("input times %v, want %v", got, want)
	}
	if w.Inputs() != 3 || w.Last() != 4 {
		t.Errorf("%d inputs, last %d; want 3, 4", w.Inputs(), w.Last())
	}
	if got, want := w.Target(), []float64{400, 401, 402}; !slices.Equal(got, want) {
		t.Errorf("target %v, want %v", got, want)
	}
	s.Targets = nil
	if w.Target() != nil {
		t.Errorf("a target without targets: %v", w.Target())
	}
}

// A whole series shows all its snapshots and forecasts the targets at each; it uses all steps.
func TestWholeSeries(t *testing.T) {
	s := ring(3, 6, 2) // times 2, 2.5, 4, 6.5, 10, 14.5
	s.LastObserved = s.Targets
	w := s.Whole()
	if want := []float64{0, 0.5, 2, 4.5, 8, 12.5}; !slices.Equal(w.InputTimes(), want) ||
		!slices.Equal(w.ForecastTimes(), want) {
		t.Errorf("input times %v, forecast times %v, want %v", w.InputTimes(), w.ForecastTimes(), want)
	}
	if w.Inputs() != 6 || w.Last() != 5 || len(w.Targets()) != 6 || w.Target() != nil || w.GraphTargets() != nil {
		t.Errorf("%d inputs, last %d, %d targets, target %v", w.Inputs(), w.Last(), len(w.Targets()), w.Target())
	}
	if want := (dyngraph.StepRange{First: 0, Last: 5}); w.StepsUsed() != want {
		t.Errorf("steps %v, want %v", w.StepsUsed(), want)
	}
	if newest, err := w.LastObserved(); err != nil || !slices.Equal(newest, s.Targets[5]) || len(w.Visible()) != 6 {
		t.Errorf("newest %v (%v), %d visible", newest, err, len(w.Visible()))
	}
	part := dyngraph.Window{Series: s, Start: 1, Length: 3, Whole: true}
	if got, want := part.Targets(), s.Targets[1:4]; len(got) != 3 || !slices.Equal(got[2], want[2]) {
		t.Errorf("targets %v, want %v", got, want)
	}
	inside := dyngraph.Window{Series: s, Start: 1, Length: 3}
	if times := inside.ForecastTimes(); !slices.Equal(times, []float64{1.5}) || len(inside.Targets()) != 1 {
		t.Errorf("a window's forecast times %v, targets %v", times, inside.Targets())
	}
	if len(dyngraph.Known([]dyngraph.Window{inside, part}, w)) != 2 || len(dyngraph.Purge([]dyngraph.Window{inside},
		[]dyngraph.Window{w})) != 0 {
		t.Error("a whole series shows all its windows, and touches them")
	}
	for _, bad := range []dyngraph.Window{{Whole: true}, (*dyngraph.Series)(nil).Whole(), {Series: s, Whole: true},
		{Series: s, Length: 7, Whole: true}, {Series: s, Start: 3, Length: 4, Whole: true}, {Series: s, Length: math.MinInt,
			Whole: true}} {
		if bad.Validate() == nil || bad.Targets() != nil || bad.GraphTargets() != nil || bad.ForecastTimes() != nil {
			t.Errorf("start %d, length %d is a window", bad.Start, bad.Length)
		}
	}
}

// Targets of the graph have one row of TargetSize for each snapshot.
func TestGraphTargets(t *testing.T) {
	s := ring(3, 4, 2)
	s.Targets, s.TargetSize = nil, 2
	s.GraphTargets = [][]float64{{1, 2}, {3, math.NaN()}, {5, 6}, {7, 8}}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if got := (dyngraph.Window{Series: s, Start: 1, Length: 3}).GraphTargets(); len(got) != 1 || !slices.Equal(got[0],
		[]float64{7, 8}) {
		t.Errorf("%v, want the last", got)
	}
	for name, rows := range map[string][][]float64{"short": {{1, 2}}, "width": {{1}, {2}, {3}, {4}}, "infinite": {{1, 2},
		{3, math.Inf(1)}, {5, 6}, {7, 8}}} {
		s.GraphTargets = rows
		if err := s.Validate(); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// For an invalid window every method returns an empty result, Validate gives the reason, and nothing panics.
func TestWindowOutsideOfItsSeries(t *testing.T) {
	s := ring(3, 6, 2)
	s.LastObserved, s.RecentMean = s.Targets, s.Targets
	check := func(t interface{ Errorf(string, ...any) }, w dyngraph.Window) {
		if err := w.Validate(); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("start %d, length %d: %v, want ErrInvalid", w.Start, w.Length, err)
		}
		if w.Target() != nil || w.InputTimes() != nil {
			t.Errorf("start %d, length %d: target %v, times %v", w.Start, w.Length, w.Target(), w.InputTimes())
		}
		for _, known := range []func() ([]float64, error){w.LastObserved, w.RecentMean} {
			if values, err := known(); values != nil || !errors.Is(err, dyngraph.ErrInvalid) {
				t.Errorf("start %d, length %d: knows %v (%v), want ErrInvalid", w.Start, w.Length, values, err)
			}
		}
	}
	for _, w := range []dyngraph.Window{
		{}, {Series: &dyngraph.Series{}, Length: 2},
		{Series: &dyngraph.Series{Pattern: &dyngraph.Pattern{Nodes: 1 << 40}, Times: []float64{0}}, Length: 2},
		{Series: s, Start: -5, Length: 3}, {Series: s, Start: math.MinInt, Length: 3},
		{Series: s, Start: math.MaxInt, Length: 3},
		{Series: s, Start: 1, Length: math.MaxInt}, {Series: s, Start: math.MaxInt, Length: math.MaxInt},
		{Series: s, Length: math.MinInt}, {Series: s, Length: 0}, {Series: s, Length: 1}, {Series: s, Length: 8},
		{Series: s, Start: 6, Length: 2},
	} {
		check(t, w)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := dyngraph.Window{Series: s, Start: rapid.Int().Draw(t, "start"), Length: rapid.Int().Draw(t, "length")}
		if w.Validate() != nil {
			check(t, w)
		} else if len(w.InputTimes()) != w.Inputs() {
			t.Fatalf("%d times of %d inputs", len(w.InputTimes()), w.Inputs())
		}
	})
	for _, inputs := range []int{math.MinInt, -1, 0, 7, math.MaxInt} {
		if _, err := s.Latest(inputs); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("the latest %d: %v, want ErrInvalid", inputs, err)
		}
	}
}

// LastObserved and RecentMean return a typed error if the row at the last input has a NaN, also in a series without
// targets. Earlier rows do not matter.
func TestWindowKnown(t *testing.T) {
	s := ring(3, 6, 2)
	s.LastObserved, s.RecentMean = slices.Clone(s.Targets), slices.Clone(s.Targets)
	s.RecentMean[2] = []float64{1, math.NaN(), 3}
	for _, targets := range [][][]float64{s.Targets, nil} {
		s.Targets = targets
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		values, err := dyngraph.Window{Series: s, Length: 4}.LastObserved()
		if err != nil || !slices.Equal(values, s.LastObserved[2]) {
			t.Errorf("newest %v (%v), want %v", values, err, s.LastObserved[2])
		}
		_, err = dyngraph.Window{Series: s, Length: 4}.RecentMean()
		want := `series "ring": Series.RecentMean of snapshot 2, node 1, target 0 is NaN`
		if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		for _, w := range []dyngraph.Window{{Series: s, Length: 3}, {Series: s, Start: 2,
			Length: 5}} { // inputs to 1, inputs to 5
			if values, err := w.RecentMean(); err != nil || !slices.Equal(values, s.RecentMean[w.Last()-1]) {
				t.Errorf("beside the NaN: %v (%v)", values, err)
			}
		}
	}
	s.RecentMean = nil
	if _, err := (dyngraph.Window{Series: s, Length: 4}).RecentMean(); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("no recent means: %v, want ErrInvalid", err)
	}
}

func TestWindowErrors(t *testing.T) {
	s := ring(3, 53, 1)
	split := func(w dyngraph.Windows, train, validation float64) error {
		_, err := w.Split(train, validation, 1)
		_, same := w.Chronological(train, validation)
		if (err == nil) != (same == nil) {
			t.Errorf("Split: %v, Chronological: %v", err, same)
		}
		return err
	}
	rotate := func(folds int) error {
		_, err := s.Windows(5, 5).Rotate(folds)
		return err
	}
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"longer than the series", split(s.Windows(54, 1), .6, .2), "length 54 in 53 snapshots"},
		{"too short", split(s.Windows(1, 1), .6, .2), "length 1, want at least 2"},
		{"huge", split(s.Windows(math.MaxInt, math.MaxInt), .6, .2), "want a shorter window"},
		{"far below 0", split(s.Windows(math.MinInt, 1), .6, .2), "want at least 2"},
		{"stride below 0", split(s.Windows(5, math.MinInt), .6, .2), "want at least 1"},
		{"stride", split(s.Windows(5, 0), .6, .2), "every 0 snapshots"},
		{"sum of fractions", split(s.Windows(5, 5), .8, .2), "sum below 1"},
		{"negative fraction", split(s.Windows(5, 5), -.1, .2), "fractions -0.1"},
		{"NaN", split(s.Windows(5, 5), math.NaN(), .2), "fractions NaN"},
		{"no validation", split(s.Windows(5, 5), .6, 0), "fractions 0.6"},
		{"too few windows", split(s.Windows(20, 20), .6, .2), "2 windows split into 1 for training, 0 for validation"},
		{"2 folds", rotate(2), "2 folds of 10 windows"},
		{"11 folds", rotate(11), "11 folds of 10 windows"},
	} {
		if !errors.Is(c.err, dyngraph.ErrInvalid) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: error %v, want ErrInvalid saying %q", c.name, c.err, c.says)
		}
	}
	if _, err := s.Windows(54, 1).List(); err == nil {
		t.Error("List hides the error")
	}
	if _, err := s.Windows(54, 1).Rotate(3); err == nil {
		t.Error("Rotate hides the error")
	}
}

func TestSplit(t *testing.T) {
	windows := ring(3, 53, 1).Windows(5, 5)
	a, err := windows.Split(0.6, 0.2, 7)
	if err != nil || len(a.Train) != 6 || len(a.Validation) != 2 || len(a.Test) != 2 {
		t.Fatalf("got %d/%d/%d windows (%v), want 6/2/2", len(a.Train), len(a.Validation), len(a.Test), err)
	}
	again, _ := windows.Split(0.6, 0.2, 7)
	if !slices.Equal(starts(a.Train), starts(again.Train)) || !slices.Equal(starts(a.Test), starts(again.Test)) {
		t.Error("the same seed splits differently")
	}
	differ := false
	for seed := range uint64(5) {
		b, _ := windows.Split(0.6, 0.2, seed)
		differ = differ || !slices.Equal(starts(a.Test), starts(b.Test))
	}
	if !differ {
		t.Error("all seeds split alike")
	}
	list, _ := windows.List()
	if !slices.IsSorted(starts(list)) {
		t.Error("Split has shuffled the windows themselves")
	}
	chronological, err := windows.Chronological(0.6, 0.2)
	if err != nil || !slices.Equal(starts(chronological.Validation), []int{30, 35}) ||
		!slices.Equal(starts(chronological.Test), []int{40, 45}) {
		t.Errorf("chronological %v (%v)", chronological, err)
	}
	_ = append(a.Train, dyngraph.Window{})
	if got := a.Validation[0]; got.Series == nil {
		t.Error("appending to Train writes into Validation")
	}
}

// Every part of a split, and of every rotation, holds windows; together they hold each window once.
func TestSplitsAreParts(t *testing.T) {
	s := ring(3, 60, 1)
	rapid.Check(t, func(t *rapid.T) {
		windows := s.Windows(rapid.IntRange(2, 12).Draw(t, "length"), rapid.IntRange(1, 12).Draw(t, "stride"))
		list, err := windows.List()
		if err != nil {
			t.Fatal(err)
		}
		parts := func(split dyngraph.Split) {
			all := slices.Concat(starts(split.Train), starts(split.Validation), starts(split.Test))
			slices.Sort(all)
			if len(split.Train) == 0 || len(split.Validation) == 0 || len(split.Test) == 0 || !slices.Equal(all, starts(list)) {
				t.Fatalf("%v are not parts of %v", split, starts(list))
			}
		}
		split, err := windows.Split(rapid.Float64Range(.1, .6).Draw(t, "train"), rapid.Float64Range(.1, .3).Draw(t,
			"validation"),
			rapid.Uint64().Draw(t, "seed"))
		if err == nil {
			parts(split)
		} else if len(list) >= 10 {
			t.Fatal(err)
		}
		folds := rapid.IntRange(3, max(3, len(list))).Draw(t, "folds")
		rotation, err := windows.Rotate(folds)
		if len(list) < 3 {
			return
		}
		if err != nil || len(rotation) != folds {
			t.Fatalf("%d splits (%v), want %d", len(rotation), err, folds)
		}
		var tested []int
		for i, split := range rotation {
			parts(split)
			tested = append(tested, starts(split.Test)...)
			if next := rotation[(i+1)%folds].Test; !slices.Equal(starts(split.Validation), starts(next)) {
				t.Fatalf("split %d validates on %v, want the next fold %v", i, starts(split.Validation), starts(next))
			}
		}
		if !slices.Equal(tested, starts(list)) {
			t.Fatalf("tested %v, want each of %v once", tested, starts(list))
		}
	})
}

func ExampleSeries_Windows() {
	series := ring(4, 53, 2)
	split, err := series.Windows(5, 5).Split(0.6, 0.2, 1)
	fmt.Println(len(split.Train), len(split.Validation), len(split.Test), err)
	_, err = series.Windows(60, 5).Split(0.6, 0.2, 1)
	fmt.Println(err)
	// Output:
	// 6 2 2 <nil>
	// dyngraph: series "ring": windows of length 60 in 53 snapshots: want a shorter window, or data of more times
}

func ExampleWindows_Rotate() {
	splits, err := ring(4, 53, 2).Windows(5, 5).Rotate(5)
	for _, split := range splits[:2] {
		fmt.Println("test", starts(split.Test), "validation", starts(split.Validation), "training", len(split.Train), err)
	}
	// Output:
	// test [0 5] validation [10 15] training 6 <nil>
	// test [10 15] validation [20 25] training 6 <nil>
}

// TestObserved leaves out windows whose targets are all NaN, and all windows of a series without targets; an error
// stays.
func TestObserved(t *testing.T) {
	s := ring(3, 8, 1)
	for u := range s.Targets[5] {
		s.Targets[5][u] = math.NaN()
	}
	s.Targets[6][0] = math.NaN()
	got, err := s.Windows(3, 1).Observed().List()
	if want := []int{0, 1, 2, 4, 5}; err != nil || !slices.Equal(starts(got), want) {
		t.Errorf("windows at %v (%v), want %v", starts(got), err, want)
	}
	s.Targets = nil
	if got, err := s.Windows(3, 1).Observed().List(); err != nil || len(got) > 0 {
		t.Errorf("%d windows without targets, %v", len(got), err)
	}
	if _, err := s.Windows(99, 1).Observed().List(); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
}
