package series

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// goldenPart holds the numbers of small runs on England. Another backend adds the sums of large graphs in another
// order; the rounding shows more in forecasts than in losses.
var goldenPart = studytest.Part{File: "../testdata/golden.json", Prefix: "england, ", Make: goldenForecasts,
	Rounding: func(name string) float64 {
		if strings.HasSuffix(name, ": forecast") {
			return 1e-5
		}
		return 1e-6
	}}

func TestGolden(t *testing.T) { goldenPart.Check(t) }

func TestGoldenHere(t *testing.T) { goldenPart.CheckHere(t) }

// goldenForecasts trains vector fields for two optimiser steps on England, and makes all forecasts without a model.
// With more or longer steps, rounding changes losses by step by 1e-4.
func goldenForecasts(t *testing.T, backend *xla.Backend, values map[string][]float64) {
	t.Helper()
	e := england(t)
	e.settings = func(_ experiments.Profile, size pengcde.Config) []setting {
		all := heuristics(counts(1, 0, 0))
		for _, kind := range field.Names() {
			model := size
			model.Field, model.Hidden, model.Step, model.Float64 = studytest.NamedField(t, kind), 4, 0.5, true
			all = append(all, network(kind, kind, model, train.Config{Epochs: 2, EvaluateEvery: 1, BatchSize: 7,
				AdamW: studytest.GoldenAdamW}).on(map[Split]int{Random: 1})...)
		}
		return all
	}
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	r, err := e.Run(context.Background(), experiments.Options{Fresh: true, Profile: experiments.Quick, Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range r.Results {
		facts, name := result.Facts(), "england, "+result.Model.ID
		if facts.Failure != "" {
			t.Fatalf("%s: %s", name, facts.Failure)
		}
		s, losses := facts.Scores, []float64(nil)
		if facts.Training != nil {
			losses = slices.Concat(facts.Training.TrainLoss, facts.Training.ValidationLoss)
		}
		values[name+": losses"] = append(losses, s["validation"], s["validation*"], s["test"], s["test*"])
		values[name+": forecast"] = targetsOf(result)[0].forecast[:8]
	}
}
