package pengcde

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// events is a whole series of 12 observations whose graph has the given weights from some observations on.
func events(t *testing.T, weights map[int]float64) *dyngraph.Series {
	t.Helper()
	pattern, _, err := dyngraph.NewPattern(3, []int{0, 1, 2, 1}, []int{1, 2, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	s := &dyngraph.Series{Name: "events", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	row := []float64{1, 0.5, 0.2, 0.8}
	for k := range 12 {
		if w, ok := weights[k]; ok {
			row = []float64{1, w, 0.2, 0.8 - w/2}
		}
		s.Times, s.Weights = append(s.Times, 0.1*float64(k*k)/4), append(s.Weights, row)
		values := []float64{math.Sin(float64(k)), math.Cos(float64(k)), 0.1 * float64(k)}
		s.Features, s.Targets = append(s.Features, values), append(s.Targets, values)
	}
	return s
}

func rectilinearModel(t *testing.T) *Model {
	t.Helper()
	m, err := New(xlatest.Go(t), Config{Nodes: 3, Features: 1, Hidden: 4, Field: field.Affine(),
		Input:     Input{GraphOnly: true},
		Equation:  Equation{LinearCoders: true, Adaptive: &ode.PID{RTol: 1e-7, ATol: 1e-9}, Path: path.Rectilinear},
		Execution: Execution{Float64: true}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// On a rectilinear path a forecast at a time does not depend on graphs that come into force later; at the time from
// which a graph is in force it has been taken in; and samples with different numbers of events share a batch.
func TestRectilinearPathOfWholeSeries(t *testing.T) {
	m, ctx := rectilinearModel(t), context.Background()
	one, other := events(t, map[int]float64{5: 0.9}), events(t, map[int]float64{5: 0.9, 8: 0.1, 9: 0.7})
	last := one.Times[11]
	times := []float64{0, one.Times[4], one.Times[5], one.Times[7], (one.Times[7] + one.Times[8]) / 2, one.Times[8], last,
		last + 0.5}
	got, err := m.PredictAll(ctx, []dyngraph.Window{one.Whole(), other.Whole()}, [][]float64{times, times}, HoldControl())
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range times {
		same := math.Abs(got[0].At(i, 2, 0)-got[1].At(i, 2, 0)) < 1e-6
		if want := at < one.Times[8]; same != want {
			t.Errorf("at %g: forecasts %g and %g, want equal ones: %v", at, got[0].At(i, 2, 0), got[1].At(i, 2, 0), want)
		}
	}
	alone, err := m.Predict(ctx, other.Whole(), times, HoldControl())
	if err != nil {
		t.Fatal(err)
	}
	for i := range times {
		if d := math.Abs(alone.At(i, 1, 0) - got[1].At(i, 1, 0)); !(d <= 1e-6) {
			t.Errorf("at %g: %g apart from the forecast in a batch", times[i], d)
		}
	}
	steps, err := m.Steps(ctx, []dyngraph.Window{one.Whole(), other.Whole()})
	if err != nil {
		t.Fatal(err)
	}
	for b, s := range steps {
		missed := func(stop float64) bool { return !slices.Contains(s.Ends, stop) }
		if len(s.StepTo) == 0 || slices.ContainsFunc(s.StepTo, missed) {
			t.Errorf("sample %d: steps end at %v, want each of %v among them", b, s.Ends, s.StepTo)
		}
	}
	none := events(t, nil)
	before, err := m.Predict(ctx, none.Whole(), times, HoldControl())
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(before.At(1, 0, 0) - alone.At(1, 0, 0)); !(d <= 1e-6) {
		t.Errorf("before the first event: %g apart from the forecast without it", d)
	}
	if d := math.Abs(before.At(2, 0, 0) - alone.At(2, 0, 0)); d < 1e-3 {
		t.Errorf("at the first event: %g apart from the forecast without it, want it taken in", d)
	}
	if _, err := m.Fit(ctx, []dyngraph.Window{one.Whole(), other.Whole()}, []dyngraph.Window{none.Whole()},
		train.Config{Epochs: 2, BatchSize: 2, EvaluateEvery: 1}); err != nil {
		t.Error(err)
	}
}
