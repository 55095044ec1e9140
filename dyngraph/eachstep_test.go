package dyngraph_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// stepped returns a series of two nodes with two quantities each, whose targets are the quantities of the next two
// steps: quantity k of node u at step t is 100t + 10u + k.
func stepped(snapshots int) *dyngraph.Series {
	s := ring(2, snapshots, 1)
	value := func(t, u, k int) float64 {
		if t >= snapshots {
			return math.NaN()
		}
		return float64(100*t + 10*u + k)
	}
	s.EachStep, s.Lagged, s.TargetSize, s.FeatureSize = true, true, 4, 2
	s.Alignment = dyngraph.Alignment{Targets: dyngraph.StepRange{First: 1, Last: 2}}
	s.Targets, s.Features, s.LastObserved, s.RecentMean = nil, nil, nil, nil
	for t := range snapshots {
		var targets, features, newest []float64
		for u := range 2 {
			for _, at := range []int{t + 1, t + 2} {
				targets = append(targets, value(at, u, 0), value(at, u, 1))
				newest = append(newest, value(t, u, 0), value(t, u, 1))
			}
			features = append(features, value(t, u, 0), value(t, u, 1))
		}
		s.Targets, s.Features = append(s.Targets, targets), append(s.Features, features)
		s.LastObserved, s.RecentMean = append(s.LastObserved, newest), append(s.RecentMean, newest)
	}
	return s
}

// A row of targets has each step; the series of one step has its targets and its alignment.
func TestEachStep(t *testing.T) {
	s := stepped(6)
	s.GraphTargets = slices.Repeat([][]float64{{10, 11, 20, 21}}, 6)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if s.TargetSteps() != 2 || s.Quantities() != 2 {
		t.Errorf("%d steps of %d quantities", s.TargetSteps(), s.Quantities())
	}
	for k := range 2 {
		one := s.OfStep(k)
		if err := one.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := one.Alignment.Targets; got != (dyngraph.StepRange{First: k + 1, Last: k + 1}) || one.EachStep {
			t.Errorf("step %d is at %v", k, got)
		}
		at := float64(100 * (3 + k))
		if want := []float64{at, at + 1, at + 10, at + 11}; !slices.Equal(one.Targets[2], want) ||
			!slices.Equal(s.AtStep(s.Targets[2], k), want) {
			t.Errorf("targets at step %d: %v, want %v", k, one.Targets[2], want)
		}
		if want := []float64{float64(10 * (k + 1)), float64(10*(k+1) + 1)}; !slices.Equal(one.GraphTargets[2], want) {
			t.Errorf("targets of the graph at step %d: %v, want %v", k, one.GraphTargets[2], want)
		}
		if want := []float64{200, 201, 210, 211}; !slices.Equal(one.LastObserved[2], want) ||
			!slices.Equal(one.RecentMean[2], want) {
			t.Errorf("last observed %v, recent mean %v", one.LastObserved[2], one.RecentMean[2])
		}
	}
	w := dyngraph.Window{Series: s, Start: 1, Length: 3}
	if got := fmt.Sprint(w.Visible()); got != "[[100 101 110 111] [200 201 210 211]]" {
		t.Errorf("visible %s", got)
	}
	if got := w.StepsUsed(); got != (dyngraph.StepRange{First: 1, Last: 5}) {
		t.Errorf("steps %v", got)
	}
	// Snapshots 0 to 3 have targets at both steps, snapshot 4 at one.
	windows, err := s.Windows(2, 1).Complete().List()
	if err != nil || len(windows) != 3 || windows[2].Last() != 3 {
		t.Errorf("%d windows, %v", len(windows), err)
	}
	if windows, err := s.Windows(2, 1).Observed().List(); err != nil || len(windows) != 4 {
		t.Errorf("%d windows with an observed target, %v", len(windows), err)
	}
	if _, err := s.Windows(9, 1).Complete().List(); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	s.Scales = slices.Repeat([]dyngraph.Scale{{Mean: []float64{1, 2, 3, 4}, Std: []float64{1, 1, 1, 2}, Targets: 2}}, 6)
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	restored, err := s.Scales[0].Restore([]float64{0, 0, 1, 1, 0, 0, 1, 1})
	if err != nil || !slices.Equal(restored, []float64{1, 2, 2, 3, 3, 4, 4, 6}) {
		t.Errorf("restored %v, %v", restored, err)
	}
	s.Alignment.Targets.Last = 3
	if err := s.Validate(); !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(),
		"size 4 for each of 3 steps, want a multiple") {
		t.Errorf("4 targets for 3 steps: %v", err)
	}
	plain := ring(2, 3, 1)
	if plain.OfStep(0) != plain || plain.TargetSteps() != 1 {
		t.Error("a series of one step is not itself")
	}
}

// A step without any observed target inside the series drops no window that has other targets.
func TestCompleteAtGaps(t *testing.T) {
	s := stepped(8)
	for _, at := range []struct{ snapshot, step int }{{2, 1}, {3, 0}} { // both are step 4
		for u := range 2 {
			for k := range 2 {
				s.Targets[at.snapshot][4*u+2*at.step+k] = math.NaN()
			}
		}
	}
	windows, err := s.Windows(2, 1).Observed().Complete().List()
	if err != nil || len(windows) != 5 || windows[4].Last() != 5 {
		t.Errorf("%d windows, %v", len(windows), err)
	}
}
