package dyngraph_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// accounts is a ring of four nodes at six times: node 1 appears at snapshot 2, node 3 leaves at snapshot 4.
func accounts(t *testing.T, change func(s *dyngraph.Series)) (*dyngraph.Series, [][]bool) {
	t.Helper()
	s := ring(4, 6, 2)
	s.LastObserved, s.RecentMean = s.Targets, s.Targets
	if change != nil {
		change(s)
	}
	present := make([][]bool, 6)
	for i := range present {
		present[i] = []bool{true, i >= 2, true, i < 4}
	}
	made, err := s.WithPresence(present)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Validate(); err != nil {
		t.Fatal(err)
	}
	return made, present
}

// same compares values of which some are NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

func TestWithPresence(t *testing.T) {
	nan := math.NaN()
	s, present := accounts(t, nil)
	full := ring(4, 6, 2)
	if want := []float64{100, 101, nan, nan, 104, 105, 106, 107}; !same(s.Features[1], want) {
		t.Errorf("features %v, want %v", s.Features[1], want)
	}
	if want := []float64{0, 0, 102, 103}; !same(s.Weights[1], want) { // 0 -> 1, 1 -> 2, 2 -> 3, 3 -> 0
		t.Errorf("weights %v, want %v", s.Weights[1], want)
	}
	if want := []float64{400, 401, 402, nan}; !same(s.Targets[4], want) || !same(s.LastObserved[4], want) {
		t.Errorf("targets %v, newest values %v, want %v", s.Targets[4], s.LastObserved[4], want)
	}
	if again := ring(4, 6, 2); !same(full.Features[1], again.Features[1]) || s.Name != "ring" {
		t.Error("the given series changed")
	}
	again, err := s.WithPresence(present)
	if err != nil || !same(slices.Concat(again.Targets...), slices.Concat(s.Targets...)) {
		t.Errorf("presence given twice: %v", err)
	}
	always, err := full.WithPresence(slices.Repeat([][]bool{{true, true, true, true}}, 6))
	if err != nil || always.Present != nil || !always.AllPresent() {
		t.Errorf("all present: %v, %v", always.Present, err)
	}
}

// A target of several steps ahead is missing where its node is absent at that step.
func TestPresenceOfLaterTargets(t *testing.T) {
	for _, c := range []struct {
		name string
		each bool
		want []float64 // of snapshot 2
	}{{"two steps, both needed", false, []float64{0, 1, 2, 3, 4, 5, math.NaN(), math.NaN()}},
		{"each step its target", true, []float64{0, 1, 2, 3, 4, 5, 6, math.NaN()}}} {
		s, _ := accounts(t, func(s *dyngraph.Series) {
			s.TargetSize, s.EachStep, s.LastObserved, s.RecentMean = 2, c.each, nil, nil
			s.Alignment.Targets = dyngraph.StepRange{First: 1, Last: 2}
			s.Targets = slices.Repeat([][]float64{{0, 1, 2, 3, 4, 5, 6, 7}}, 6)
		})
		if !same(s.Targets[2], c.want) {
			t.Errorf("%s: %v, want %v", c.name, s.Targets[2], c.want)
		}
	}
}

// A window has no target of a node that is absent at its last input, where no forecast can be made.
func TestPresenceInWindows(t *testing.T) {
	s, _ := accounts(t, nil)
	windows, err := s.Windows(3, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for i, want := range [][]float64{{200, nan, 202, 203}, {300, 301, 302, 303}, {400, 401, 402, nan},
		{500, 501, 502, nan}} {
		if got := windows[i].Target(); !same(got, want) {
			t.Errorf("window %d: %v, want %v", i, got, want)
		}
	}
	last, err := windows[0].LastObserved()
	if want := []float64{100, nan, 102, 103}; err != nil || !same(last, want) {
		t.Errorf("newest values %v, %v, want %v", last, err, want)
	}
	if got := windows[1].Present(0); !slices.Equal(got, []bool{true, false, true, true}) {
		t.Errorf("present at the first input: %v", got)
	}
	for _, at := range []float64{windows[1].InputTimes()[1], 1e6} {
		if got := windows[1].Present(at); got != nil {
			t.Errorf("present at %g: %v, want nil for all", at, got)
		}
	}
	if got := s.Whole().Targets()[1]; !same(got, []float64{100, nan, 102, 103}) {
		t.Errorf("targets of the whole series %v", got)
	}
	if got := windows[0].WithoutAbsent(0, []float64{1, 2, 3, 4, 5, 6, 7, 8}); !same(got, []float64{1, 2, nan, nan, 5, 6, 7,
		8}) {
		t.Errorf("without absent nodes: %v", got)
	}
}

func TestPresenceErrors(t *testing.T) {
	for _, c := range []struct {
		change func(s *dyngraph.Series)
		want   string
	}{
		{func(s *dyngraph.Series) { s.Present = s.Present[:3] }, "presence at 3 snapshots"},
		{func(s *dyngraph.Series) { s.Present[2] = s.Present[2][:1] }, "presence of 1 nodes at snapshot 2"},
		{func(s *dyngraph.Series) { s.Weights[1][0] = 7 },
			"snapshot 1 has an edge 0 -> 1 of weight 7, and node 1 is absent there"},
		{func(s *dyngraph.Series) { s.Features[0][3] = 5 }, "snapshot 0, node 1: feature 1 is 5, and the node is absent"},
		{func(s *dyngraph.Series) { s.Targets[5][3] = 5 }, "snapshot 5, node 3: target 0 is 5"},
		{func(s *dyngraph.Series) { s.RecentMean[5][3] = 5 }, "snapshot 5, node 3: recent mean 0 is 5"},
		{func(s *dyngraph.Series) { s.Affinities, s.Classes = make([]*dyngraph.Affinities, 6), 2 }, "beside affinities"},
	} {
		s, _ := accounts(t, nil)
		c.change(s)
		if err := s.Validate(); !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	bad, affine := ring(4, 6, 2), ring(4, 6, 2)
	bad.Features[2] = bad.Features[2][:3]
	affine.Affinities, affine.Classes = make([]*dyngraph.Affinities, 6), 2
	for name, s := range map[string]*dyngraph.Series{"rows too short": bad, "too few snapshots": ring(4, 5, 2),
		"affinities": affine} {
		if _, err := s.WithPresence(slices.Repeat([][]bool{{true, true, false, true}}, 6)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
