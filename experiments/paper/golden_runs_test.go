package paper

import (
	"context"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/smallmodels"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// goldenAdamW takes short steps, and none where a gradient is hardly more than rounding: AdamW divides by its size.
var goldenAdamW = train.AdamW{LearningRate: 1e-4, Epsilon: 1e-2}

// goldenRuns makes all numbers that are held, by name and kind.
func goldenRuns(t *testing.T, backend *xla.Backend) map[string][]float64 {
	t.Helper()
	values := make(map[string][]float64)
	goldenForecasts(t, backend, values)
	goldenWorlds(t, backend, []field.Field{field.PENG{}, field.GNODE{}}, values)
	goldenModels(t, backend, values)
	return values
}

// namedField is the field of package field with a name.
func namedField(t *testing.T, name string) field.Field {
	t.Helper()
	f, err := field.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// goldenForecasts trains vector fields for two optimiser steps on england, and makes all forecasts without a model.
// With more or longer steps, losses by step change by 1e-4 for rounding alone.
func goldenForecasts(t *testing.T, backend *xla.Backend, values map[string][]float64) {
	t.Helper()
	e := england(t)
	e.settings = func(_ experiments.Profile, size pengcde.Config) []setting {
		all := heuristics(counts(1, 0, 0))
		for _, kind := range field.Names() {
			model := size
			model.Field, model.Hidden, model.Step, model.Float64 = namedField(t, kind), 4, 0.5, true
			all = append(all, network(kind, kind, model, train.Config{Epochs: 2, EvaluateEvery: 1, BatchSize: 7,
				AdamW: goldenAdamW}).on(map[Split]int{Random: 1})...)
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

// goldenWorlds trains in a small world by adaptive steps: the field with control by the graph, and the one whose graph
// jumps.
func goldenWorlds(t *testing.T, backend *xla.Backend, fields []field.Field, values map[string][]float64) {
	t.Helper()
	for _, f := range fields {
		kind := field.Name(f)
		w := small()
		plan := w.Plan
		w.Plan = func(ctx context.Context, scope experiments.Scope) ([]experiments.Run, error) {
			runs, err := plan(ctx, scope)
			run := runs[len(runs)-1]
			at := run.Spec.(world)
			config := pengcde.Config{Nodes: 16, Features: 1, Hidden: 4, Layers: 2,
				Input:     pengcde.Input{GraphOnly: true},
				Equation:  pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{RTol: 1e-6}},
				Execution: pengcde.Execution{Product: equivariant.Dense, Float64: true},
				Field:     f}
			training := run.Model.Train
			training.Epochs, training.AdamW = 2, goldenAdamW
			at.Model = experiments.Network("peng", kind, config, training)
			run.Model, run.Spec = at.Model, at
			run.Identity = func() (any, error) { return at.identity(0) }
			return []experiments.Run{run}, err
		}
		t.Setenv(experiments.ResultsEnv, t.TempDir())
		r, err := w.Run(context.Background(), experiments.Options{Fresh: true, Profile: experiments.Quick, Backend: backend,
			Seeds: []uint64{0}})
		if err != nil || r.Results[0].Facts().Failure != "" {
			t.Fatalf("%s: %v %+v", kind, err, r)
		}
		facts, name := r.Results[0].Facts(), "heat on a grid, "+kind
		values[name+": losses"] = slices.Concat(facts.Training.TrainLoss, facts.Training.ValidationLoss,
			[]float64{facts.Scores["test"], facts.Scores["interpolation"], facts.Scores["extrapolation"]})
		values[name+": errors over time"] = facts.Arrays["errors"][0][110:]
	}
}

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
			EvaluateEvery: 1, BatchSize: len(one.Windows), AdamW: goldenAdamW})
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
		values[one.Name+": forecast"] = slices.Concat(slices.Concat(forecast...)...)
	}
}
