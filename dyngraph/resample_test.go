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

// lagged returns a ring whose features repeat k steps and whose target is the step after them.
func lagged(snapshots, k int) *dyngraph.Series {
	s := ring(3, snapshots, k)
	s.Alignment = dyngraph.Alignment{Features: dyngraph.StepRange{Last: k - 1},
		Targets: dyngraph.StepRange{First: k, Last: k}}
	return s
}

// steps lists the steps of a window's inputs and target, one by one from the definition of Alignment.
func steps(w dyngraph.Window) (inputs, targets []int) {
	s := w.Series.Alignment
	for i := w.Start; i < w.Last(); i++ {
		inputs = append(inputs, i) // its edges
		for offset := s.Features.First; offset <= s.Features.Last; offset++ {
			inputs = append(inputs, i+offset)
		}
	}
	for offset := s.Targets.First; offset <= s.Targets.Last; offset++ {
		targets = append(targets, w.Last()+offset)
	}
	return inputs, targets
}

func shareStep(a, b dyngraph.Window) bool {
	in, target := steps(a)
	otherIn, otherTarget := steps(b)
	other := slices.Concat(otherIn, otherTarget)
	return slices.ContainsFunc(slices.Concat(in, target), func(step int) bool { return slices.Contains(other, step) })
}

func drawSeries(t *rapid.T) *dyngraph.Series {
	s := ring(3, rapid.IntRange(8, 60).Draw(t, "snapshots"), 2)
	first := rapid.IntRange(-3, 3).Draw(t, "first feature step")
	s.Alignment.Features = dyngraph.StepRange{First: first, Last: first + rapid.IntRange(0, 8).Draw(t, "lags")}
	target := rapid.IntRange(0, 9).Draw(t, "first target step")
	s.Alignment.Targets = dyngraph.StepRange{First: target, Last: target + rapid.IntRange(0, 3).Draw(t, "target steps")}
	return s
}

func drawWindows(t *rapid.T, s *dyngraph.Series) (sideBySide, all dyngraph.Windows, list []dyngraph.Window) {
	length := rapid.IntRange(2, 6).Draw(t, "length")
	all = s.Windows(length, 1)
	list, err := all.List()
	if err != nil {
		t.Fatal(err)
	}
	return s.Windows(length, length), all, list
}

func TestPurgedRotationSharesNoStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sideBySide, all, candidates := drawWindows(t, drawSeries(t))
		list, _ := sideBySide.List()
		validation := rapid.IntRange(0, 2).Draw(t, "validation")
		splits, err := sideBySide.PurgedRotation(all, validation)
		if err != nil {
			if !errors.Is(err, dyngraph.ErrInvalid) {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		var tested []int
		for _, split := range splits {
			tested = append(tested, starts(split.Test)...)
			if len(split.Test) != 1 || len(split.Validation) != validation || len(split.Train) == 0 {
				t.Fatalf("%d/%d/%d windows", len(split.Train), len(split.Validation), len(split.Test))
			}
			for _, v := range split.Validation {
				if shareStep(v, split.Test[0]) {
					t.Fatalf("validation window %d shares a step with the tested %d", v.Start, split.Test[0].Start)
				}
			}
			for _, c := range candidates {
				shares := false
				for _, other := range slices.Concat(split.Test, split.Validation) {
					shares = shares || shareStep(c, other)
				}
				trains := slices.Contains(starts(split.Train), c.Start)
				if shares && trains {
					t.Fatalf("training window %d shares a step with test %v or validation %v", c.Start,
						starts(split.Test), starts(split.Validation))
				}
				apart := true // by more than any span of steps
				for _, other := range slices.Concat(split.Test, split.Validation) {
					apart = apart && max(c.Start-other.Start, other.Start-c.Start) > 40
				}
				if apart && !trains {
					t.Fatalf("window %d is far from test %v and validation %v, yet left out", c.Start,
						starts(split.Test), starts(split.Validation))
				}
			}
		}
		if !slices.Equal(tested, starts(list)) {
			t.Fatalf("tested %v, want each of %v once", tested, starts(list))
		}
	})
}

// latest and newest step of a window by the definition of Alignment.
func latest(w dyngraph.Window) int {
	in, target := steps(w)
	return max(slices.Max(in), slices.Max(target))
}
func newest(w dyngraph.Window) int { in, _ := steps(w); return slices.Max(in) }

func TestRollingOriginKnowsThePastAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, all, list := drawWindows(t, drawSeries(t))
		first := rapid.Float64Range(.3, .9).Draw(t, "first")
		every := rapid.SampledFrom([]int{1, 2, 7, math.MaxInt}).Draw(t, "every")
		fraction := rapid.SampledFrom([]float64{0, .25}).Draw(t, "validation")
		splits, err := all.RollingOrigin(first, every, fraction)
		if err != nil {
			if !errors.Is(err, dyngraph.ErrInvalid) {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		var tested []int
		for _, split := range splits {
			tested = append(tested, starts(split.Test)...)
			if len(split.Test) > every || (len(split.Validation) > 0) != (fraction > 0) {
				t.Fatalf("%d tested, %d for validation", len(split.Test), len(split.Validation))
			}
			known := newest(split.Test[0])
			for _, w := range slices.Concat(split.Train, split.Validation) {
				if latest(w) > known {
					t.Fatalf("window %d ends at step %d, after the newest known %d", w.Start, latest(w), known)
				}
			}
			if fraction > 0 {
				known = newest(split.Validation[0])
			}
			for _, w := range list {
				if trains := slices.Contains(starts(split.Train),
					w.Start); trains != (latest(w) <= known && w.Start < split.Test[0].Start) &&
					!slices.Contains(starts(split.Validation), w.Start) {
					t.Fatalf("window %d ends at step %d, known are steps to %d: trains %v", w.Start, latest(w),
						known, trains)
				}
			}
		}
		if begin := int(math.Floor(first * float64(len(list)))); !slices.Equal(tested, starts(list[begin:])) {
			t.Fatalf("tested %v, want each from %d on once", tested, begin)
		}
	})
}

func TestChronologicalKnowsThePastAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, all, _ := drawWindows(t, drawSeries(t))
		split, err := all.Chronological(.6, .2)
		if err != nil {
			t.Skip(err)
		}
		for _, w := range slices.Concat(split.Train, split.Validation) {
			if latest(w) > newest(split.Test[0]) {
				t.Fatalf("window %d ends at step %d, the first tested shows %d", w.Start, latest(w),
					newest(split.Test[0]))
			}
		}
		for _, w := range split.Train {
			if latest(w) > newest(split.Validation[0]) {
				t.Fatalf("window %d ends at step %d, the first of validation shows %d", w.Start, latest(w),
					newest(split.Validation[0]))
			}
		}
	})
}

// The numbers of england_covid: 53 snapshots of 8 lags, windows of 5.
func TestSplitsWithLags(t *testing.T) {
	s := lagged(53, 8)
	sideBySide, all := s.Windows(5, 5), s.Windows(5, 1)
	list, err := all.List()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := list[10].StepsUsed(), (dyngraph.StepRange{First: 10, Last: 22}); got != want {
		t.Errorf("window 10 touches %v, want %v", got, want)
	}
	rotation, err := sideBySide.PurgedRotation(all, 0)
	if err != nil || len(rotation) != 10 {
		t.Fatalf("%d splits (%v), want 10", len(rotation), err)
	}
	if got, want := starts(rotation[2].Train), numbers(23, 49); !slices.Equal(got, want) {
		t.Errorf("beside window 10 train %v, want %v", got, want)
	}
	rolling, err := all.RollingOrigin(.6, 1, 0)
	if err != nil || len(rolling) != 20 || !slices.Equal(starts(rolling[0].Test), []int{29}) ||
		!slices.Equal(starts(rolling[0].Train), numbers(0, 28)) {
		t.Errorf("%d origins (%v), the first tests %v and trains on %v; want 20, [29], 0 to 27", len(rolling), err,
			starts(rolling[0].Test), starts(rolling[0].Train))
	}
	split, err := all.Chronological(.6, .2)
	if err != nil || !slices.Equal(starts(split.Train), numbers(0, 28)) || !slices.Equal(starts(split.Validation),
		numbers(29, 37)) ||
		!slices.Equal(starts(split.Test), numbers(38, 49)) {
		t.Errorf("in order of time: %v, %v, %v (%v); want 0-27, 29-36, 38-48", starts(split.Train),
			starts(split.Validation), starts(split.Test), err)
	}
}

func numbers(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

func TestResampleErrors(t *testing.T) {
	s := lagged(20, 8)
	windows, broken := s.Windows(5, 1), s.Windows(50, 1)
	second := func(_ []dyngraph.Split, err error) error { return err }
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"all windows overlap", second(windows.PurgedRotation(windows, 0)), "0 windows for training"},
		{"negative validation", second(windows.PurgedRotation(windows, -1)), "-1 validation windows"},
		{"broken windows", second(broken.PurgedRotation(windows, 0)), "length 50"},
		{"broken candidates", second(windows.PurgedRotation(broken, 0)), "length 50"},
		{"broken origins", second(broken.RollingOrigin(.6, 1, 0)), "length 50"},
		{"from the first", second(windows.RollingOrigin(0, 1, 0)), "fraction 0"},
		{"NaN", second(windows.RollingOrigin(math.NaN(), 1, 0)), "fraction NaN"},
		{"never trained", second(windows.RollingOrigin(.6, 0, 0)), "every 0 origins"},
		{"validation takes all", second(windows.RollingOrigin(.6, 1, 1)), "fraction 1 for validation"},
		{"too early", second(windows.RollingOrigin(.01, 1, 0)), "no window is known"},
		{"validation leaves none", second(windows.RollingOrigin(.1, 1, .25)), "no window is known"},
	} {
		if !errors.Is(c.err, dyngraph.ErrInvalid) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: error %v, want ErrInvalid saying %q", c.name, c.err, c.says)
		}
	}
	late := ring(3, 20, 2)
	late.Alignment.Targets = dyngraph.StepRange{First: 9, Last: 9}
	if _, err := late.Windows(5, 1).Chronological(.6, .2); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("nothing known in time: %v, want ErrInvalid", err)
	}
}

func TestStepsErrors(t *testing.T) {
	for name, damage := range map[string]func(*dyngraph.Series){
		"reversed":        func(s *dyngraph.Series) { s.Alignment.Features = dyngraph.StepRange{First: 2, Last: 1} },
		"reversed target": func(s *dyngraph.Series) { s.Alignment.Targets = dyngraph.StepRange{First: 2, Last: 1} },
		"huge":            func(s *dyngraph.Series) { s.Alignment.Targets.Last = math.MaxInt },
		"huge negative":   func(s *dyngraph.Series) { s.Alignment.Features.First = math.MinInt },
		"lags":            func(s *dyngraph.Series) { s.Lagged, s.Alignment.Features.Last = true, 5 },
	} {
		s := lagged(20, 3)
		damage(s)
		if err := s.Validate(); !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "steps") {
			t.Errorf("%s: error %v, want ErrInvalid about steps", name, err)
		}
	}
}

func TestVisible(t *testing.T) {
	s := lagged(6, 3)
	for i, row := range s.Features { // node u at step t: 10t + u
		for u := range 3 {
			for k := range 3 {
				row[u*3+k] = float64(10*(i+k) + u)
			}
		}
		s.LastObserved = append(s.LastObserved, []float64{row[2], row[5], row[8]})
	}
	w := dyngraph.Window{Series: s, Start: 1, Length: 3} // inputs 1 and 2
	if got, want := fmt.Sprint(w.Visible()), "[[30 31 32] [40 41 42]]"; got != want {
		t.Errorf("without lags %s, want the newest of snapshots 1 and 2", got)
	}
	s.Lagged = true
	if got, want := fmt.Sprint(w.Visible()), "[[10 11 12] [20 21 22] [30 31 32] [40 41 42]]"; got != want {
		t.Errorf("with lags %s, want %s", got, want)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	own := *s // a feature of the node's own after the lags
	own.FeatureSize, own.Features = 4, nil
	for _, row := range s.Features {
		own.Features = append(own.Features,
			slices.Concat(row[:3], []float64{7}, row[3:6], []float64{8}, row[6:], []float64{9}))
	}
	ofOwn := dyngraph.Window{Series: &own, Start: 1, Length: 3}
	if got, want := fmt.Sprint(ofOwn.Visible()), fmt.Sprint(w.Visible()); got != want || own.Validate() != nil {
		t.Errorf("with a feature after the lags %s, want %s (%v)", got, want, own.Validate())
	}
	own.Alignment.Features.Last = 9
	if got := ofOwn.Visible(); got != nil {
		t.Errorf("more lags than features: %v", got)
	}
	s.LastObserved = nil
	if got := w.Visible(); got != nil {
		t.Errorf("of a series that says nothing of it: %v", got)
	}
}

func ExampleWindows_RollingOrigin() {
	splits, err := ring(4, 13, 2).Windows(4, 1).RollingOrigin(0.6, 2, 0)
	for _, split := range splits {
		fmt.Println("training", starts(split.Train), "test", starts(split.Test), err)
	}
	// Output:
	// training [0 1 2 3 4 5] test [6 7] <nil>
	// training [0 1 2 3 4 5 6 7] test [8 9] <nil>
}

func ExampleWindows_PurgedRotation() {
	series := ring(4, 12, 2)
	series.Alignment.Targets = dyngraph.StepRange{First: 1, Last: 1} // the target is a step later than its snapshot
	splits, err := series.Windows(3, 3).PurgedRotation(series.Windows(3, 1), 0)
	for _, split := range splits {
		fmt.Println("test", starts(split.Test), "training", starts(split.Train), err)
	}
	// Output:
	// test [0] training [4 5 6 7 8 9] <nil>
	// test [3] training [7 8 9] <nil>
	// test [6] training [0 1 2] <nil>
	// test [9] training [0 1 2 3 4 5] <nil>
}
