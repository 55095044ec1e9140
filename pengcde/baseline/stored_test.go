package baseline_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// Each forecaster forecasts the same after it was stored as JSON.
func TestStored(t *testing.T) {
	s, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	split, err := s.Windows(5, 1).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(baseline.Heuristics(), &baseline.Ridge{Choose: true, Neighbours: true}) {
		if err := f.Fit(split.Train, split.Validation); err != nil {
			t.Fatal(err)
		}
		want, err := f.Forecast(split.Test[0])
		if err != nil {
			t.Fatal(err)
		}
		stored, err := baseline.Store(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		var read baseline.Stored
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		again, err := read.Forecaster()
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Forecast(split.Test[0])
		if err != nil || !slices.Equal(got, want) || again.Name() != f.Name() {
			t.Errorf("%s: %v, another forecast after it was stored", f.Name(), err)
		}
	}
}

func TestStoredInputErrors(t *testing.T) {
	for _, s := range []baseline.Stored{{}, {Name: "tea leaves"}, {Name: "training mean"}, {Name: "ridge"},
		{Name: "ridge", Inputs: 4, Coefficients: [][]float64{{1}, {1, 2}}}} {
		if _, err := s.Forecaster(); !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%+v: %v, want an error about it", s, err)
		}
	}
	if _, err := baseline.Store(own{}); !errors.Is(err, baseline.ErrInput) {
		t.Errorf("a forecaster of another package: %v", err)
	}
	for _, f := range []baseline.Forecaster{&baseline.Ridge{}, &baseline.TrainingMean{}} {
		if _, err := baseline.Store(f); !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%s before Fit: %v, want ErrInput", f.Name(), err)
		}
	}
}

type own struct{}

func (own) Name() string                                  { return "own" }
func (own) Fit(_, _ []dyngraph.Window) error              { return nil }
func (own) Forecast(_ dyngraph.Window) ([]float64, error) { return nil, nil }
