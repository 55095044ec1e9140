package pengcde

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// pulses returns a ring of n nodes that loses an edge at some time. Heat flows from its first node, by forward Euler in
// 400 steps. Snapshots have irregular times.
func pulses(t *testing.T, n, lost int) *dyngraph.Series {
	t.Helper()
	var from, to []int
	for u := range n {
		from, to = append(from, u, (u+1)%n), append(to, (u+1)%n, u)
	}
	pattern, index, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	whole := slices.Repeat([]float64{1}, pattern.Edges())
	broken := slices.Clone(whole)
	broken[index[2*lost]], broken[index[2*lost+1]] = 0, 0
	s := &dyngraph.Series{Name: "pulses", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	x := make([]float64, n)
	x[0] = 1
	const steps, event = 400, 200
	for k := range steps + 1 {
		weights := whole
		if k >= event {
			weights = broken
		}
		if r := k % 50; k == steps || r == 0 || r == 17 {
			s.Times = append(s.Times, 7+float64(k)/steps)
			s.Weights = append(s.Weights, weights)
			s.Features, s.Targets = append(s.Features, slices.Clone(x)), append(s.Targets, slices.Clone(x))
		}
		dx := make([]float64, n)
		for e, w := range weights {
			dx[pattern.From[e]] += w * (x[pattern.To[e]] - x[pattern.From[e]])
		}
		for u := range x {
			x[u] += dx[u] / steps
		}
	}
	return s
}

func wholes(list ...*dyngraph.Series) []dyngraph.Window {
	windows := make([]dyngraph.Window, len(list))
	for i, s := range list {
		windows[i] = s.Whole()
	}
	return windows
}

func trajectoryConfig(n int) Config {
	return Config{Nodes: n, Features: 1, Hidden: 8,
		Input:     Input{GraphOnly: true},
		Equation:  Equation{LinearCoders: true, Adaptive: &ode.PID{}},
		Execution: Execution{Float64: true}}
}

func trajectoryModel(t *testing.T, config Config) *Model {
	t.Helper()
	m, err := New(xlatest.Go(t), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func TestTrajectoriesAreLearnt(t *testing.T) {
	const n = 6
	m := trajectoryModel(t, trajectoryConfig(n))
	training := []*dyngraph.Series{pulses(t, n, 1), pulses(t, n, 3)}
	test := pulses(t, n, 2)
	if _, ok := m.Parameter("encoder.weight"); !ok {
		t.Error("no parameter encoder.weight")
	}
	report, err := m.Fit(context.Background(), wholes(training...), wholes(training[:1]...),
		train.Config{Epochs: 40, BatchSize: 2, AdamW: train.AdamW{LearningRate: 0.03}})
	if err != nil {
		t.Fatal(err)
	}
	first, last := report.Epochs[0].TrainLoss, report.Epochs[39].TrainLoss
	if last > first/5 {
		t.Errorf("loss went from %g to %g", first, last)
	}
	times := make([]float64, len(test.Times))
	for k, at := range test.Times {
		times[k] = at - test.Times[0]
	}
	forecast, err := m.Predict(context.Background(), test.Whole(), times)
	if err != nil {
		t.Fatal(err)
	}
	model, still := 0.0, 0.0 // squared errors of the forecast, and of the first values
	for k := range times {
		for u := range n {
			model += math.Pow(forecast.At(k, u, 0)-test.Targets[k][u], 2)
			still += math.Pow(test.Targets[0][u]-test.Targets[k][u], 2)
		}
	}
	if model > still/2 {
		t.Errorf("squared error %g on a graph not trained on, that of the first values is %g", model, still)
	}
}

// Forecasts depend only on the first features and the graph, and the loss is the mean square over snapshots and nodes.
func TestTrajectorySeesTheFirstFeaturesAlone(t *testing.T) {
	const n = 5
	m := trajectoryModel(t, trajectoryConfig(n))
	s := pulses(t, n, 1)
	times := []float64{0, 0.3, 0.3, 1}
	want, err := m.Predict(context.Background(), s.Whole(), times)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k < len(s.Features); k++ {
		s.Features[k] = slices.Repeat([]float64{1e3}, n)
		s.Weights[k] = slices.Clone(s.Weights[k]) // equal rows need not be the same slice
	}
	got, err := m.Predict(context.Background(), s.Whole(), times)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Values, want.Values) {
		t.Fatalf("%g, with other features %g", want.Values, got.Values)
	}

	batches, err := batches(m.backend, 1, source{m, wholes(s), nil})
	if err != nil {
		t.Fatal(err)
	}
	defer batches[0].free()
	loss, err := lossOf(context.Background(), m.network, m.params, batches[0])
	if err != nil {
		t.Fatal(err)
	}
	axis := make([]float64, len(s.Times))
	for k, at := range s.Times {
		axis[k] = at - s.Times[0]
	}
	all, err := m.Predict(context.Background(), s.Whole(), axis)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for k := range axis {
		for u := range n {
			mean += math.Pow(all.At(k, u, 0)-s.Targets[k][u], 2) / float64(n*len(axis))
		}
	}
	if !(math.Abs(loss-mean) <= 1e-10*mean) {
		t.Errorf("loss %g, the mean square error of the forecast is %g", loss, mean)
	}
}

// Series of a batch may differ in how many distinct snapshots they have.
func TestTrajectoriesWithDifferentEvents(t *testing.T) {
	const n = 5
	m := trajectoryModel(t, trajectoryConfig(n))
	eventful, calm := pulses(t, n, 1), pulses(t, n, 1)
	for k := range calm.Weights {
		calm.Weights[k] = calm.Weights[0]
	}
	loss := func(list ...*dyngraph.Series) float64 {
		batches, err := batches(m.backend, len(list), source{m, wholes(list...), nil})
		if err != nil {
			t.Fatal(err)
		}
		defer batches[0].free()
		loss, err := lossOf(context.Background(), m.network, m.params, batches[0])
		if err != nil {
			t.Fatal(err)
		}
		return loss
	}
	a, b, both := loss(eventful), loss(calm), loss(eventful, calm)
	if a == b || !(math.Abs(both-(a+b)/2) <= 1e-12*both) {
		t.Errorf("losses %g and %g, together %g, want two that differ and their mean", a, b, both)
	}
}

// A batch gives the same results as its series one by one, for any times.
func TestTrajectoriesTogether(t *testing.T) {
	const n = 5
	m := trajectoryModel(t, trajectoryConfig(n))
	series := []*dyngraph.Series{pulses(t, n, 1), pulses(t, n, 3)}
	together, err := m.PredictAll(context.Background(), wholes(series...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for b, s := range series {
		if all, err := m.Predict(context.Background(), s.Whole(), nil); err != nil || len(all.Times) != len(s.Times) {
			t.Errorf("series %d without times: %v, %d forecasts, want %d", b, err, len(all.Times), len(s.Times))
		}
		var times []float64
		for _, at := range s.Times[3:7] {
			times = append(times, at-s.Times[0])
		}
		alone, err := m.Predict(context.Background(), s.Whole(), times)
		if err != nil {
			t.Fatal(err)
		}
		for k := range times {
			for u := range n {
				if got, want := together[b].At(3+k, u, 0), alone.At(k, u, 0); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("series %d, time %g, node %d: %g together, %g alone", b, times[k], u, got, want)
				}
			}
		}
	}
}

func TestTrajectoryErrors(t *testing.T) {
	const n = 5
	m := trajectoryModel(t, trajectoryConfig(n))
	spoilt := func(spoil func(*dyngraph.Series)) []*dyngraph.Series {
		s := pulses(t, n, 1)
		spoil(s)
		return []*dyngraph.Series{s}
	}
	for what, list := range map[string][]*dyngraph.Series{
		"none":        nil,
		"nil":         {nil},
		"other nodes": {pulses(t, n+1, 1)},
		"no targets":  spoilt(func(s *dyngraph.Series) { s.Targets, s.TargetSize = nil, 0 }),
		"NaN weight": spoilt(func(s *dyngraph.Series) {
			s.Weights[2] = slices.Repeat([]float64{math.NaN()},
				len(s.Weights[2]))
		}),
		"one snapshot": spoilt(func(s *dyngraph.Series) {
			s.Times, s.Weights, s.Features, s.Targets = s.Times[:1], s.Weights[:1], s.Features[:1], s.Targets[:1]
		}),
	} {
		if _, err := m.Fit(context.Background(), wholes(list...), wholes(list...), train.Config{}); !errors.Is(err,
			ErrInput) {
			t.Errorf("%s: got %v, want an input error", what, err)
		}
	}
	s := pulses(t, n, 1)
	for _, times := range [][]float64{{}, {-1}, {0.5, 0.4}, {math.NaN()}, {1.1}} {
		if _, err := m.Predict(context.Background(), s.Whole(), times); !errors.Is(err, ErrInput) {
			t.Errorf("times %v: got %v, want an input error", times, err)
		}
	}
}

// Memory used to make large batches is returned to the system; for small batches it is not.
func TestMuchData(t *testing.T) {
	for bytes, want := range map[int]bool{releaseFrom - 8: false, releaseFrom: true} {
		b := &batch{}
		b.owned.Own(tensors.FromShape(shapes.Make(dtypes.Float64, bytes/8)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		releaseMemory([]*batch{b})
		runtime.ReadMemStats(&after)
		b.free()
		if got := after.NumForcedGC > before.NumForcedGC; got != want {
			t.Errorf("%d bytes: given back %t, want %t", bytes, got, want)
		}
	}
}
