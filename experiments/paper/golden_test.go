package paper

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/internal/smallmodels"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// goldenPart holds the numbers of a small model of each head and network.
var goldenPart = studytest.Part{File: "testdata/golden.json", Others: []string{"england, ", "heat on a grid, "},
	Make: goldenModels, Rounding: func(string) float64 { return 1e-9 }}

func TestGolden(t *testing.T) { goldenPart.Check(t) }

func TestGoldenHere(t *testing.T) { goldenPart.CheckHere(t) }

// goldenModels trains a small model of each head and network for two optimiser steps.
func goldenModels(t *testing.T, backend *xla.Backend, values map[string][]float64) {
	t.Helper()
	all, err := smallmodels.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		config := one.Config
		config.Float64 = true
		model, err := pengcde.New(backend, config)
		if err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		defer model.Close()
		report, err := model.Fit(context.Background(), one.Windows[1:], one.Windows[:1], train.Config{Epochs: 2,
			EvaluateEvery: 1, BatchSize: len(one.Windows), AdamW: studytest.GoldenAdamW})
		if err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		forecast, err := model.Predict(context.Background(), one.Windows[0], nil)
		if err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		var losses []float64
		for _, epoch := range report.Epochs {
			losses = append(losses, epoch.TrainLoss, epoch.Validation)
		}
		values[one.Name+": losses"] = losses
		values[one.Name+": forecast"] = forecast.Values
	}
}
