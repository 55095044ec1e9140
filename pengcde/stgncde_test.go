package pengcde

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// The gradient of the loss with respect to every parameter agrees with differences, in directions through all of its
// entries: with and without features, with the published loss, more layers and higher polynomials.
func TestSTGNCDEGradient(t *testing.T) {
	windows, err := ring(t).Windows(4, 6).List()
	if err != nil {
		t.Fatal(err)
	}
	ctx, backend := context.Background(), xlatest.Go(t)
	for name, c := range map[string]struct {
		change  func(*Config)
		windows []dyngraph.Window
	}{
		"features": {func(*Config) {}, windows[:2]},
		"deeper": {func(c *Config) {
			c.Layers, c.Field, c.Parity = 3, rivals.STGNCDE{Order: 4, Embedding: 3}, true
		}, windows[:1]},
		"time alone": {func(c *Config) { c.GraphOnly, c.LinearCoders = true, true }, windows[:2]},
	} {
		m := ringModelOn(t, backend, func(cfg *Config) {
			cfg.Field, cfg.Hidden, cfg.Float64 = rivals.STGNCDE{}, 3, true
			c.change(cfg)
		})
		for i, p := range m.declared { // large enough for every gradient, and no tanh is at its end
			values := make([]float64, p.Size())
			for j := range values {
				values[j] = 0.6 * math.Sin(float64(i+3*j+1))
			}
			m.params[i] = host.Tensor(m.config.dtype(), values, p.Dims...)
		}
		made, err := batches(backend, len(c.windows), source{m, c.windows, nil})
		if err != nil {
			t.Fatal(err)
		}
		_, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range m.declared {
			values, gradient := host.Floats(m.params[i]), host.Floats(gradients[i])
			for turn := range 2 {
				along := make([]float64, len(values))
				for j := range along {
					along[j] = math.Cos(float64(1+j) * float64(1+turn))
				}
				const h = 3e-5
				slope := 0.0
				for side, weight := range map[float64]float64{-2: 1. / 12, -1: -2. / 3, 1: 2. / 3, 2: -1. / 12} {
					moved, params := slices.Clone(values), slices.Clone(m.params)
					floats.AddScaled(moved, side*h, along)
					params[i] = host.Tensor(m.config.dtype(), moved, p.Dims...)
					loss, err := lossOf(ctx, m.network, params, made[0])
					xla.Free(params[i])
					if err != nil {
						t.Fatal(err)
					}
					slope += weight * loss / h
				}
				got := floats.Dot(gradient, along)
				if !(math.Abs(got-slope) <= 1e-6*floats.Norm(gradient, 2)) || slope == 0 {
					t.Errorf("%s: gradient of %s in direction %d is %g, by differences %g", name, p.Name, turn, got, slope)
				}
			}
		}
		xla.Free(gradients...)
		freeAll(made)
	}
}

// An STGNCDE model learns with gaps in features and targets and with a recent mean added, is saved, and loads by name.
// It reads no graph, but its nodes depend on each other.
func TestSTGNCDELearnsSavesAndLoads(t *testing.T) {
	series, backend, ctx := knownRing(t), xlatest.Go(t), context.Background()
	missing, _ := gaps(t)
	series.Features, series.Targets = missing.Features, missing.Targets
	for k := range series.Times {
		floats.Scale(0.01, series.RecentMean[k])
	}
	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	m := ringModelOn(t, backend, func(c *Config) {
		c.Field, c.Layers, c.Head, c.Step, c.Adaptive = rivals.STGNCDE{}, 0, head.Nodes{Residual: true}, 0, &ode.PID{}
	})
	if got := m.Config().Layers; got != 1 {
		t.Errorf("%d layers, want the field's default 1", got)
	}
	report, err := m.Fit(ctx, split.Train, split.Validation, train.Config{Epochs: 10, BatchSize: 5,
		AdamW: train.AdamW{LearningRate: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[9].TrainLoss; !(last < 0.7*first) {
		t.Errorf("loss %g after 10 epochs, %g at first", last, first)
	}

	file := filepath.Join(t.TempDir(), "stg")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(backend, file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	w := split.Test[0]
	want := forecast(t, m, w)
	if got := forecast(t, loaded, w); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
	changed := *series
	changed.Weights = slices.Clone(series.Weights)
	for k := range changed.Weights { // nodes 1 and 2 are isolated in some snapshots
		changed.Weights[k] = slices.Clone(changed.Weights[k])
		changed.Weights[k][k%3], changed.Weights[k][(k+1)%3] = 0, 0
	}
	w.Series = &changed
	if got := forecast(t, m, w); !slices.Equal(got, want) {
		t.Errorf("with another graph %v, want the same, %v", got, want)
	}
	changed.Features = slices.Clone(series.Features)
	last := slices.Clone(changed.Features[w.Start+w.Inputs()-1])
	for i, x := range last[:ringFeatures] {
		last[i] = x + 1
	}
	changed.Features[w.Start+w.Inputs()-1] = last
	if got := forecast(t, m, w); slices.Equal(got[1:], want[1:]) {
		t.Errorf("with other features of node 0 %v, want other nodes to know of it", got)
	}
	resolved, err := m.Config().Resolved()
	if err != nil || resolved.Field != "stg-ncde" || !strings.Contains(resolved.Options, `"Embedding":5`) {
		t.Errorf("resolved to %+v (%v), want its name and options", resolved, err)
	}
}

// Steps end next to changes of the features, not of the graph.
func TestSTGNCDEStops(t *testing.T) {
	for name, graphOnly := range map[string]bool{"features": false, "time alone": true} {
		m := ringModel(t, func(c *Config) {
			c.Field, c.GraphOnly, c.Step, c.Adaptive = rivals.STGNCDE{}, graphOnly, 0, &ode.PID{}
		})
		series := ring(t)
		for k := 3; k < len(series.Times); k++ {
			series.Features[k] = series.Features[2]
		}
		s, err := m.sample(series.Whole(), false, validated{})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool][]float64{false: {0, 1, 2, 3}, true: nil}[graphOnly]; !slices.Equal(s.stops, want) {
			t.Errorf("%s: stops at %v, want %v", name, s.stops, want)
		}
	}
}

func TestSTGNCDEForecastsEngland(t *testing.T) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	windows, err := series.Windows(5, 5).List()
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(xlatest.Backend(t), Config{Nodes: series.Nodes(), Features: series.FeatureSize,
		Hidden: 8, Field: rivals.STGNCDE{}, Equation: Equation{Adaptive: &ode.PID{}},
		Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	report, err := m.Fit(context.Background(), windows[:1], nil, train.Config{Epochs: 30, EvaluateEvery: -1,
		AdamW: train.AdamW{LearningRate: 0.003}})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[29].TrainLoss; !(last < 0.7*first) {
		t.Errorf("loss %g after 30 steps on one window, %g at first", last, first)
	}
}

func TestSTGNCDESizesThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"order":     func(c *Config) { c.Field = rivals.STGNCDE{Order: -1} },
		"embedding": func(c *Config) { c.Field = rivals.STGNCDE{Embedding: -5} },
		"nodes":     func(c *Config) { c.Field = rivals.STGNCDE{Nodes: 5} },
		"features":  func(c *Config) { c.Field = rivals.STGNCDE{Features: 7} },
		"pointer":   func(c *Config) { c.Field = &rivals.STGNCDE{} },
	} {
		c := Config{Nodes: ringNodes, Features: ringFeatures}
		change(&c)
		if _, err := New(xlatest.Go(t), c); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}
