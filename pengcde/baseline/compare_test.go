package baseline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/stats"
)

// inOrder returns england_covid in order of time, with training on all windows known at the first tested window.
func inOrder(t *testing.T) dyngraph.Split {
	t.Helper()
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	windows := series.Windows(5, 1)
	split, err := windows.Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := windows.List()
	return dyngraph.Split{Train: dyngraph.Known(all, split.Test[0]), Test: split.Test}
}

// The errors equal the errors of the stored runs of the england-covid study for the split in order of time.
func TestCompareEnglandCovid(t *testing.T) {
	split := inOrder(t)
	scores, err := baseline.Compare(t.Context(), split)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"ridge": 0.438, "ridge, chosen penalty": 0.438, "recent mean": 0.487}
	for _, s := range scores {
		mean, half := s.Mean()
		if s.Err != nil || len(s.Errors) != 11 || len(s.NodeErrors) != 129 || !math.IsInf(half, 1) {
			t.Errorf("%s: %d errors, %d of nodes, half-width %g (all windows share days, so none), %v", s.Name,
				len(s.Errors), len(s.NodeErrors), half, s.Err)
		}
		if known, ok := want[s.Name]; ok && !(math.Abs(mean-known) < 5e-4) {
			t.Errorf("%s: mean error %.4f, want %.3f", s.Name, mean, known)
		}
		if byNode := stat.Mean(s.NodeErrors, nil); !(math.Abs(mean-byNode) < 1e-12) {
			t.Errorf("%s: mean over windows %g, over nodes %g", s.Name, mean, byNode)
		}
	}
	if best, ok := baseline.Best(scores); !ok || !strings.HasPrefix(best.Name, "ridge") {
		t.Errorf("best is %q, %t", best.Name, ok)
	}
}

func TestCompareNamesWhatASeriesCannotHave(t *testing.T) {
	split := inOrder(t)
	bare := *split.Test[0].Series
	bare.LastObserved, bare.RecentMean = nil, nil
	for _, windows := range [][]dyngraph.Window{split.Train, split.Test} {
		for i := range windows {
			windows[i].Series = &bare
		}
	}
	scores, err := baseline.Compare(t.Context(), split)
	if err != nil {
		t.Fatal(err)
	}
	var names, missing []string
	for _, s := range scores {
		names = append(names, s.Name)
		if s.Err == nil {
			continue
		}
		missing = append(missing, s.Name)
		mean, _ := s.Mean()
		difference, _ := s.Minus(scores[0])
		if !errors.Is(s.Err, baseline.ErrInput) || !strings.Contains(s.Err.Error(), "Series.") ||
			!math.IsNaN(mean) || !math.IsNaN(difference) {
			t.Errorf("%s: %v, mean %g, difference %g", s.Name, s.Err, mean, difference)
		}
	}
	if want := []string{"last value", "recent mean", "ridge", "ridge, chosen penalty",
		"ridge with neighbours"}; !slices.Equal(missing, want) ||
		len(names) != 7 {
		t.Errorf("of %q missing are %q, want %q", names, missing, want)
	}
	if best, ok := baseline.Best(scores); !ok || best.Err != nil {
		t.Errorf("best is %q, %t", best.Name, ok)
	}
}

// Windows and nodes without an observed target are left out of means, not counted as 0.
func TestScoreWithGaps(t *testing.T) {
	nan := math.NaN()
	pattern, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	s := &dyngraph.Series{Name: "gaps", Pattern: pattern, FeatureSize: 1, TargetSize: 1,
		Targets: [][]float64{{0, 0}, {1, nan}, {nan, nan}, {3, nan}, {0, nan}}}
	for i := range s.Targets {
		s.Times, s.Weights = append(s.Times, float64(i)), append(s.Weights, []float64{1})
		s.Features = append(s.Features, []float64{1, 1})
	}
	windows, err := s.Windows(2, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	// Given out of order of time.
	a, err := baseline.NewScore("a", []dyngraph.Window{windows[1], windows[0], windows[2], windows[3]},
		[][]float64{{9, 9}, {2, 9}, {1, 9}, {0, 9}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := baseline.NewScore("b", windows, [][]float64{{1, 0}, {0, 0}, {3, 0}, {1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a.Errors, a.NodeErrors) != "[1 NaN 4 0] [1.6666666666666667 NaN]" {
		t.Errorf("errors %v, of nodes %v", a.Errors, a.NodeErrors)
	}
	mean, half := a.Minus(b) // of 1-0, 4-0, 0-1
	if wantMean, wantHalf := stats.MeanCI([]float64{1, 4, -1}); mean != wantMean || half < wantHalf {
		t.Errorf("difference %g ± %g, want %g and no less than %g, as windows share steps", mean, half, wantMean, wantHalf)
	}
	if lag := baseline.Lag(windows); lag != 1 {
		t.Errorf("lag of windows of two steps, one apart: %d", lag)
	}
	if lag := baseline.Lag(windows[:1]); lag != 0 {
		t.Errorf("lag of one window: %d", lag)
	}
}

func TestCompareInputErrors(t *testing.T) {
	split := inOrder(t)
	other := inOrder(t)
	untargeted := *split.Test[0].Series
	untargeted.Targets = nil
	latest, err := split.Test[0].Series.Latest(4)
	if err != nil {
		t.Fatal(err)
	}
	alone := split.Test[0]
	alone.Series = &untargeted
	for _, c := range []struct {
		name string
		dyngraph.Split
		says string
	}{
		{"nothing tested", dyngraph.Split{Train: split.Train}, "0 for testing"},
		{"nothing to train on", dyngraph.Split{Test: split.Test}, "0 windows for training"},
		{"no targets", dyngraph.Split{Train: split.Train, Test: []dyngraph.Window{alone}}, "0 targets"},
		{"the future", dyngraph.Split{Train: split.Train, Test: []dyngraph.Window{latest}}, "0 targets"},
		{"two series", dyngraph.Split{Train: split.Train, Test: []dyngraph.Window{split.Test[0], other.Test[0]}},
			"want windows of one series"},
		{"no series", dyngraph.Split{Train: split.Train, Test: make([]dyngraph.Window, 1)}, "without a series"},
	} {
		scores, err := baseline.Compare(t.Context(), c.Split)
		if scores != nil || !errors.Is(err, baseline.ErrInput) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an ErrInput that says %q", c.name, err, c.says)
		}
	}
	infinite := slices.Repeat([]float64{math.Inf(1)}, 129)
	for name, forecast := range map[string][]float64{"no number": infinite, "short": {1}} {
		if _, err := baseline.NewScore("x", split.Test[:1], [][]float64{forecast}); !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := baseline.NewScore("x", split.Test, nil); !errors.Is(err, baseline.ErrInput) {
		t.Errorf("no forecasts: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := baseline.Compare(cancelled, split); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func ExampleCompare() {
	series, err := pgt.EnglandCovid()
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := baseline.Compare(context.Background(), split)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range scores {
		mean, _ := s.Mean()
		fmt.Printf("%-22s %.2f\n", s.Name, mean)
	}
	// Output:
	// zero                   0.79
	// training mean          1.87
	// last value             0.70
	// recent mean            0.49
	// ridge                  0.60
	// ridge, chosen penalty  0.60
	// ridge with neighbours  0.59
}
