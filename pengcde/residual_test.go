package pengcde

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// knownRing is ring with recent means.
func knownRing(t *testing.T) *dyngraph.Series {
	s := ring(t)
	for k := range s.Times {
		var recent []float64
		for u := range ringNodes {
			recent = append(recent, float64(10*k+u))
		}
		s.RecentMean = append(s.RecentMean, recent)
	}
	return s
}

// With the same parameters the forecasts of a residual model are larger by the recent mean, at all times and also for a
// window with unknown target. Its loss is the loss of these forecasts.
func TestResidualAddsTheRecentMean(t *testing.T) {
	series := knownRing(t)
	plain, residual := ringModel(t, nil), ringModel(t, func(c *Config) { c.Head = head.Nodes{Residual: true} })
	latest, err := series.Latest(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []dyngraph.Window{{Series: series, Start: 5, Length: 4}, latest} {
		times := []float64{0, 1.5, 2}
		a, err := plain.Predict(context.Background(), w, times)
		if err != nil {
			t.Fatal(err)
		}
		b, err := residual.Predict(context.Background(), w, times)
		if err != nil {
			t.Fatal(err)
		}
		for i := range times {
			for u := range ringNodes {
				if want := a.At(i, u, 0) + float64(10*(w.Last()-1)+u); !(math.Abs(b.At(i, u, 0)-want) <= 1e-9) {
					t.Errorf("window from %d, time %g, node %d: %g, want %g", w.Start, times[i], u, b.At(i, u, 0), want)
				}
			}
		}
	}
	windows, err := series.Windows(4, 4).List()
	if err != nil {
		t.Fatal(err)
	}
	batches, err := batches(residual.backend, 1, source{residual, windows[:1], nil})
	if err != nil {
		t.Fatal(err)
	}
	defer batches[0].free()
	loss, err := lossOf(context.Background(), residual.network, residual.params, batches[0])
	if err != nil {
		t.Fatal(err)
	}
	want, err := train.MSE(forecast(t, residual, windows[0]), windows[0].Target())
	if err != nil || !(math.Abs(loss-want) <= 1e-4*want) {
		t.Errorf("loss %g, the forecast's error is %g (%v)", loss, want, err)
	}
}

func TestResidualErrors(t *testing.T) {
	residual := ringModel(t, func(c *Config) { c.Head = head.Nodes{Residual: true} })
	if _, err := residual.Predict(context.Background(), dyngraph.Window{Series: ring(t), Length: 4},
		nil); !errors.Is(err, ErrInput) {
		t.Errorf("series that knows no recent means: %v, want ErrInput", err)
	}
	if _, err := residual.Predict(context.Background(), knownRing(t).Whole(), nil); !errors.Is(err, ErrInput) {
		t.Errorf("a whole series: %v, want ErrInput", err)
	}
	if _, err := New(xlatest.Go(t), Config{Nodes: 2, Features: 1, Head: head.Nodes{Residual: true},
		Equation: Equation{Parity: true}}); !errors.Is(err,
		ErrInput) {
		t.Errorf("residual with parity: %v, want ErrInput", err)
	}
}

func TestFitWithoutValidation(t *testing.T) {
	split, m := ringSplit(t), ringModel(t, nil)
	if _, err := m.Fit(context.Background(), split.Train, nil, train.Config{Epochs: 2}); !errors.Is(err, ErrInput) {
		t.Errorf("no validation, not asked for: %v, want ErrInput", err)
	}
	report, err := m.Fit(context.Background(), split.Train, nil, train.Config{Epochs: 4, EvaluateEvery: -1, BatchSize: 5})
	if err != nil || len(report.Epochs) != 4 || report.Best != -1 {
		t.Errorf("%+v, %v, want 4 epochs and no best", report, err)
	}
}

// A training that was interrupted and continued from the checkpoint in a new model gives the same file.
func TestCutModelTrainsOnBitForBit(t *testing.T) {
	split, folder := ringSplit(t), t.TempDir()
	config := train.Config{Epochs: 6, EvaluateEvery: 2, BatchSize: 5}
	saved := func(m *Model, name string) []byte {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	m := ringModelOn(t, xlatest.Backend(t), nil)
	anew := func(seed uint64) *Model { // what was compiled serves on
		m.Reset(seed)
		return m
	}
	if _, err := m.Fit(context.Background(), split.Train, split.Validation, config); err != nil {
		t.Fatal(err)
	}
	whole := saved(m, "whole")
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(folder, "cut"), Every: -1}
	for _, stop := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		cut := config
		cut.Progress = func(p train.Progress) {
			if p.Epoch == stop {
				cancel()
			}
		}
		if _, err := anew(1).Fit(ctx, split.Train, split.Validation, cut); !errors.Is(err, context.Canceled) {
			t.Fatalf("cut after epoch %d: %v, want canceled", stop, err)
		}
	}
	report, err := anew(1).Fit(context.Background(), split.Train, split.Validation, config)
	if err != nil || len(report.Epochs) != 6 {
		t.Fatalf("%+v, %v", report, err)
	}
	if !bytes.Equal(saved(m, "again"), whole) {
		t.Error("the parameters differ")
	}
	if _, err := anew(2).Fit(context.Background(), split.Train, split.Validation, config); !errors.Is(err,
		train.ErrCheckpoint) {
		t.Errorf("another model's checkpoint: %v, want ErrCheckpoint", err)
	}
	split.Train[0].Series.Targets[5][2] *= 1.01
	if _, err := anew(1).Fit(context.Background(), split.Train, split.Validation, config); !errors.Is(err,
		train.ErrCheckpoint) {
		t.Errorf("a checkpoint of other data: %v, want ErrCheckpoint", err)
	}
}

// A recent mean that is NaN stops only the residual forecast that uses it, also for a series without targets.
func TestResidualOfAnUnknownRecentMean(t *testing.T) {
	series := knownRing(t)
	series.RecentMean[7][2] = math.NaN()
	plain, residual := ringModel(t, nil), ringModel(t, func(c *Config) { c.Head = head.Nodes{Residual: true} })
	at := dyngraph.Window{Series: series, Start: 5, Length: 4} // inputs 5, 6, 7
	for _, targets := range [][][]float64{series.Targets, nil} {
		series.Targets = targets
		_, err := residual.Predict(context.Background(), at, nil)
		want := "Series.RecentMean of snapshot 7, node 2"
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrInput of %s", err, want)
		}
		forecast(t, plain, at)
		forecast(t, residual, dyngraph.Window{Series: series, Start: 4, Length: 4})
	}
	series = knownRing(t)
	series.RecentMean[7][2] = math.NaN()
	windows := []dyngraph.Window{{Series: series, Start: 5, Length: 4}}
	if _, err := residual.Fit(context.Background(), windows, windows, train.Config{Epochs: 1}); !errors.Is(err, ErrInput) {
		t.Errorf("Fit: %v, want ErrInput", err)
	}
}

// A window far outside of its series is an error of every call that takes one.
func TestWindowsOutsideOfTheirSeries(t *testing.T) {
	m, s := ringModel(t, nil), ring(t)
	for _, w := range []dyngraph.Window{
		{}, {Series: s, Start: math.MaxInt, Length: 4}, {Series: s, Start: 2, Length: math.MaxInt},
		{Series: s, Length: math.MinInt},
		{Series: s, Start: math.MinInt, Length: 4}, {Series: s, Length: 2}, {Series: s, Start: 22, Length: 4},
	} {
		_, forecast := m.Predict(context.Background(), w, nil)
		_, predict := m.Predict(context.Background(), w, []float64{1})
		_, plan := m.Plan([]dyngraph.Window{w}, math.MaxInt, 0)
		_, fit := m.Fit(context.Background(), []dyngraph.Window{w}, nil, train.Config{EvaluateEvery: -1})
		for name, err := range map[string]error{"Forecast": forecast, "Predict": predict, "Plan": plan, "Fit": fit} {
			if !errors.Is(err, ErrInput) {
				t.Errorf("%s, start %d, length %d: %v, want ErrInput", name, w.Start, w.Length, err)
			}
		}
	}
}
