package worlds

import (
	"context"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// goldenPart holds the numbers of small worlds. Adaptive steps follow an error estimate that rounding changes. States
// therefore differ between backends by more than their tolerance of 1e-6: at the end of a world, which they reach
// last, by 1.5e-5.
var goldenPart = studytest.Part{File: "../testdata/golden.json", Prefix: "heat on a grid, ", Make: goldenWorlds,
	Rounding: func(string) float64 { return 1e-4 }}

func TestGolden(t *testing.T) { goldenPart.Check(t) }

func TestGoldenHere(t *testing.T) { goldenPart.CheckHere(t) }

// goldenWorlds trains in a small world with adaptive steps: the field controlled by the graph, and the field whose
// graph jumps.
func goldenWorlds(t *testing.T, backend *xla.Backend, values map[string][]float64) {
	t.Helper()
	for _, f := range []field.Field{field.PENG{}, field.GNODE{}} {
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
			training.Epochs, training.AdamW = 2, studytest.GoldenAdamW
			at.Row = experiments.NetworkRow("peng", kind, config, training)
			run.Model, run.Spec = at.Row, at
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
