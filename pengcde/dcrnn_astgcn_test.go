package pengcde

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// DCRNN, ASTGCN and STIDGCN learn on England, continue bit for bit after an interruption, and forecast the same after
// loading.
func TestRecurrentNetworksOnEngland(t *testing.T) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	split, err := series.Windows(5, 5).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	for name, network := range map[string]sequence.Network{
		"DCRNN, published": rivals.DCRNN{Published: true}, "DCRNN": rivals.DCRNN{Hidden: 8},
		"ASTGCN, published": rivals.ASTGCN{Published: true, Embedding: 4}, "ASTGCN": rivals.ASTGCN{Filters: 4},
		"STIDGCN, published": rivals.STIDGCN{Channels: 2, Published: true}, "STIDGCN": rivals.STIDGCN{Channels: 2},
	} {
		t.Run(name, func(t *testing.T) {
			fresh := func() *Model {
				m, err := New(xlatest.Go(t), Config{Nodes: series.Nodes(), Features: series.FeatureSize,
					Network: network, Input: Input{Inputs: 4}, Seed: 3})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(m.Close)
				return m
			}
			config := train.Config{Epochs: 3, AdamW: train.AdamW{LearningRate: 1e-2}}
			fit := func(ctx context.Context, m *Model) (*train.Report, error) {
				return m.Fit(ctx, split.Train[:2], split.Validation[:1], config)
			}
			whole := fresh()
			if got := whole.Config().Normalise; got != dyngraph.Raw {
				t.Errorf("control %q, want the raw weights", got)
			}
			report, err := fit(context.Background(), whole)
			if err != nil {
				t.Fatal(err)
			}
			if first, last := report.Epochs[0].TrainLoss, report.Epochs[2].TrainLoss; !(last < first) {
				t.Errorf("loss %g after 3 epochs, %g at first", last, first)
			}
			want := forecast(t, whole, split.Test[0])

			config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run"), Every: 1}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			config.Progress = func(p train.Progress) {
				if p.Epoch == 2 {
					cancel()
				}
			}
			if _, err := fit(ctx, fresh()); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, want it cut off", err)
			}
			config.Progress = nil
			resumed := fresh()
			if _, err := fit(context.Background(), resumed); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(forecast(t, resumed, split.Test[0]), want) {
				t.Error("other forecasts after a training that was cut off")
			}

			file := filepath.Join(t.TempDir(), "model")
			if err := whole.Save(file); err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(xlatest.Go(t), file)
			if err != nil {
				t.Fatal(err)
			}
			defer loaded.Close()
			if diff := cmp.Diff(whole.Config(), loaded.Config()); diff != "" {
				t.Errorf("configuration (-saved +loaded):\n%s", diff)
			}
			if !slices.Equal(forecast(t, loaded, split.Test[0]), want) {
				t.Error("the loaded model has other forecasts")
			}
		})
	}
	_, err = New(xlatest.Go(t), Config{Nodes: series.Nodes(), Features: series.FeatureSize, Network: rivals.ASTGCN{}})
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "Config.Inputs") {
		t.Errorf("ASTGCN of any length: %v, want ErrInput", err)
	}
	for _, network := range []sequence.Network{rivals.DCRNN{}, rivals.ASTGCN{}} {
		m, err := New(xlatest.Go(t), Config{Nodes: series.Nodes(), Features: series.FeatureSize,
			Network: network,
			Input:   Input{Inputs: 4, Normalise: dyngraph.NormalisedLaplacian}})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		_, err = m.Predict(context.Background(), split.Test[0], nil)
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "leave Normalise empty") {
			t.Errorf("%T with negative entries: %v, want ErrInput", network, err)
		}
	}
}
