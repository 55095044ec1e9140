package pengcde

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// unrolled is a recurrent network that does not say so: one program has all of its steps.
type unrolled struct{ sequence.Network }

// rolling changes a configuration to a recurrent network that forecasts at each observation.
func rolling(network sequence.Network, graphOnly bool) func(*Config) {
	return func(c *Config) {
		c.Network, c.Head, c.GraphOnly, c.Float64 = network, head.Nodes{At: head.AtEach}, graphOnly, true
		c.Hidden, c.Layers, c.Step, c.Normalise = 0, 0, 0, dyngraph.Raw
	}
}

// Steps in blocks give the same as one program: forecasts, loss and gradient, also where targets are missing.
func TestRecurrentInBlocks(t *testing.T) {
	ctx, backend := context.Background(), xlatest.Go(t)
	missing, whole := gaps(t)
	copy(missing.Features[0], whole.Features[0])
	for i := range missing.Targets[5] {
		missing.Targets[5][i] = nan // at a time, all
	}
	for name, graphOnly := range map[string]bool{"features": false, "first state and time": true} {
		network := rivals.DCRNN{Hidden: 3, Order: 2}
		inBlocks := ringModelOn(t, backend, rolling(network, graphOnly))
		atOnce := ringModelOn(t, backend, rolling(unrolled{network}, graphOnly))
		if _, ok := inBlocks.network.(*recurrent); !ok {
			t.Fatalf("%s: a %T, want one in blocks", name, inBlocks.network)
		}
		for i, p := range inBlocks.params {
			atOnce.params[i] = host.Tensor(p.DType(), host.Floats(p), p.Shape().Dimensions...)
		}
		for _, series := range []*dyngraph.Series{missing, whole} {
			var losses []float64
			var slopes [2][][]float64
			for i, m := range []*Model{inBlocks, atOnce} {
				made, err := batches(backend, 2, source{m, []dyngraph.Window{series.Whole(), whole.Whole()}, nil})
				if err != nil {
					t.Fatal(err)
				}
				loss, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
				if err != nil {
					t.Fatal(err)
				}
				again, err := lossOf(ctx, m.network, m.params, made[0])
				if err != nil {
					t.Fatal(err)
				}
				losses = append(losses, loss, again)
				for _, g := range gradients {
					slopes[i] = append(slopes[i], host.Floats(g))
				}
				freeAll(made)
			}
			fixture.Close(t, name+": losses", losses[:3], slices.Repeat(losses[3:], 3), 1e-13)
			for i, p := range inBlocks.declared {
				fixture.Close(t, name+": gradient of "+p.Name, slopes[0][i], slopes[1][i], 1e-11)
			}
		}
		fixture.Close(t, name+": forecast", wholeForecast(t, inBlocks, whole), wholeForecast(t, atOnce, whole), 1e-13)
	}
}

func wholeForecast(t *testing.T, m *Model, s *dyngraph.Series) []float64 {
	t.Helper()
	y, err := m.Predict(context.Background(), s.Whole(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return y.Values
}

// A model in blocks trains, plans, stops when it is told to, is saved, and loads as the same.
func TestRecurrentLearnsSavesAndLoads(t *testing.T) {
	m, series, ctx := ringModel(t, rolling(rivals.DCRNN{Hidden: 6, Layers: 1}, false)), ring(t), context.Background()
	windows := []dyngraph.Window{series.Whole()}
	plan, err := m.Plan(windows, 1, 0)
	if err != nil || plan.Saves != 3*ringNodes*6*8 || plan.DeviceBytes < plan.Data+plan.Saves {
		t.Errorf("plan %+v (%v), want the states before three blocks", plan, err)
	}
	report, err := m.Fit(ctx, windows, nil, train.Config{Epochs: 20, EvaluateEvery: -1,
		AdamW: train.AdamW{LearningRate: 0.03}})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[19].TrainLoss; !(last < 0.3*first) {
		t.Errorf("loss %g after 20 epochs, %g at first", last, first)
	}
	file := filepath.Join(t.TempDir(), "dcrnn")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(xlatest.Go(t), file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if want, got := wholeForecast(t, m, series), wholeForecast(t, loaded, series); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := m.Predict(stopped, windows[0], nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was stopped", err)
	}
}

func TestBlock(t *testing.T) {
	for observations, want := range map[int]int{1: 1, 2: 2, 10: 10, 12: 6, 24: 8, 80: 10, 120: 10, 97: 1} {
		if got := block(observations); got != want {
			t.Errorf("blocks of %d for %d observations, want %d", got, observations, want)
		}
	}
}
