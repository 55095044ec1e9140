package affinity_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// forecast returns the forecast of node 0 at a time, for three classes.
func forecast(t *testing.T, f affinity.Forecaster, at float64) []float64 {
	t.Helper()
	scores := make([]float64, 6)
	if err := f.Forecast(context.Background(), at, []int32{1, 0}, scores); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(scores[:3], []float64{0, 0, 0}) {
		t.Errorf("%T: node 1, of which nothing is known, is forecast %v", f, scores[:3])
	}
	return scores[3:]
}

func start(f affinity.Forecaster) affinity.Forecaster {
	f.Reset(affinity.Task{Nodes: 3, Classes: 3, Step: 10})
	return f
}

func close(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-14 })
}

func TestLabelHeuristics(t *testing.T) {
	labels := func(at float64, classes []int32, weights []float64) affinity.Labels {
		return affinity.Labels{Time: at, Affinities: dyngraph.Affinities{Nodes: []int32{0}, Start: []int{0, len(classes)}, Classes: classes, Values: weights}}
	}
	persistent, average, quick := start(&affinity.PersistentForecast{}), start(&affinity.MovingAverage{}),
		start(&affinity.MovingAverage{Window: 2})
	for _, f := range []affinity.Forecaster{persistent, average, quick} {
		if got := forecast(t, f, 0); !slices.Equal(got, []float64{0, 0, 0}) {
			t.Errorf("%T: %v before any label", f, got)
		}
		for _, l := range []affinity.Labels{labels(0, []int32{0, 1}, []float64{7, 14}), labels(1, []int32{1, 2},
			[]float64{7, 1})} {
			if err := f.Learn(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		f    affinity.Forecaster
		want []float64
	}{{persistent, []float64{0, 7, 1}}, {average, []float64{6, 13, 1. / 7}}, {quick, []float64{3.5, 10.5, .5}}} {
		if got := forecast(t, c.f, 2); !close(got, c.want) {
			t.Errorf("%T: %v, want %v", c.f, got, c.want)
		}
		if got := forecast(t, start(c.f), 2); !close(got, []float64{0, 0, 0}) {
			t.Errorf("%T: %v after Reset", c.f, got)
		}
	}
}

func TestMessageHeuristics(t *testing.T) {
	events := []dyngraph.Event{{Time: 5, Destination: 1, Weight: 2}, {Time: 9, Destination: 1, Weight: 4},
		{Time: 15, Destination: 2, Weight: 7}, {Time: 46, Destination: 1, Weight: 12}}
	for _, c := range []struct {
		f    affinity.Forecaster
		at   float64
		want []float64
	}{
		{&affinity.MessageMean{}, 46, []float64{0, 6, 7}},
		{&affinity.MessageMean{Last: 2}, 46, []float64{0, 8, 7}},
		{&affinity.MessageMean{Last: 1}, 46, []float64{0, 12, 7}},
		// Steps are 5 to 15, with a sum of 6 for class 1; 15 to 25, with 7 for class 2; 45 to 55 with 12.
		{&affinity.MessageAverage{}, 54, []float64{0, 6. * 6 / 7, 1}},
		{&affinity.MessageAverage{Window: 2}, 55, []float64{0, 7.5, 1.75}},
	} {
		f := start(c.f)
		for i := range events { // one by one, in order
			if err := f.Observe(events[i : i+1]); err != nil {
				t.Fatal(err)
			}
			forecast(t, f, events[i].Time) // a forecast does not change the state
		}
		if err := f.Learn(affinity.Labels{}); err != nil {
			t.Fatal(err)
		}
		if got := forecast(t, f, c.at); !close(got, c.want) {
			t.Errorf("%T: %v, want %v", c.f, got, c.want)
		}
	}
	// 0.3 begins step 3 of 0.1, so that it ends the step of 0.2.
	short := &affinity.MessageAverage{Window: 1}
	short.Reset(affinity.Task{Nodes: 1, Classes: 3, Step: 0.1})
	messages := []dyngraph.Event{{Destination: 1, Weight: 1}, {Time: 0.2, Destination: 1, Weight: 5}}
	if err := short.Observe(messages); err != nil {
		t.Fatal(err)
	}
	if got := forecast(t, short, 0.3); !close(got, []float64{0, 5, 0}) {
		t.Errorf("after a step of 0.1: %v", got)
	}
	// Large weights that are no longer among the last leave no rounding error.
	f := start(&affinity.MessageMean{Last: 2})
	for _, w := range []float64{1e30, 1, 2} {
		if err := f.Observe([]dyngraph.Event{{Destination: 1, Weight: w}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := forecast(t, f, 9); !close(got, []float64{0, 1.5, 0}) {
		t.Error(got)
	}
}

func TestHeuristicErrors(t *testing.T) {
	event := []dyngraph.Event{{Destination: 3}}
	later := []dyngraph.Event{{}, {Time: 99}}
	label := affinity.Labels{Affinities: dyngraph.Affinities{Nodes: []int32{0}, Start: []int{0, 0}}}
	for name, err := range map[string]error{
		"no class":      start(&affinity.MessageMean{}).Observe(event),
		"no class too":  start(&affinity.MessageAverage{}).Observe(event),
		"last":          start(&affinity.MessageMean{Last: -1}).Observe(later),
		"window":        start(&affinity.MovingAverage{Window: .5}).Learn(label),
		"window of NaN": start(&affinity.MessageAverage{Window: math.NaN()}).Observe(later),
	} {
		if !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
