package paper

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

var updateGolden = flag.Bool("update-golden", false,
	"write testdata/golden.json anew, for a Generation that was raised or where the file is gone")

const goldenFile = "testdata/golden.json"

// goldenTolerance is relative to the largest of a run's values of one kind.
const goldenTolerance = 1e-7

// goldenAdamW takes short steps, and none where a gradient is hardly more than rounding: AdamW divides by its size.
var goldenAdamW = train.AdamW{LearningRate: 1e-4, Epsilon: 1e-2}

// golden are numbers of small runs, by run and kind.
type golden struct {
	Generation int
	Values     map[string][]float64
}

// The numbers of small runs are those of the generation. Where they change, stored results are no longer what the code
// makes.
func TestGolden(t *testing.T) {
	got := golden{experiments.Generation, make(map[string][]float64)}
	goldenForecasts(t, xlatest.Go(t), allFields(t), got.Values)
	goldenWorlds(t, xlatest.Go(t), []field.Field{field.PENG{}, field.GNODE{}}, got.Values)

	var want golden
	content, err := os.ReadFile(goldenFile)
	if err == nil {
		err = json.Unmarshal(content, &want)
	}
	if err != nil && !(*updateGolden && errors.Is(err, fs.ErrNotExist)) {
		t.Fatalf("%v; go test ./experiments/paper -run TestGolden -update-golden writes the file", err)
	}
	changes := goldenChanges(want.Values, got.Values, goldenTolerance)
	switch {
	case *updateGolden && want.Generation == experiments.Generation && len(changes) > 0:
		t.Fatalf("numbers changed, but Generation is still %d: raise it in generation.go and update again, or, while no "+
			"run of it "+
			"was stored for others yet, delete %s and update again:\n%s", experiments.Generation, goldenFile,
			strings.Join(changes, "\n"))
	case *updateGolden:
		if content, err = json.MarshalIndent(got, "", " "); err == nil {
			err = os.WriteFile(goldenFile, append(content, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	case want.Generation != experiments.Generation:
		t.Fatalf("Generation is %d, the golden values are of %d: go test ./experiments/paper -run TestGolden "+
			"-update-golden writes them anew",
			experiments.Generation, want.Generation)
	case len(changes) > 0:
		t.Fatalf("numbers changed, so stored results are no longer what this code makes. If that is wanted, raise "+
			"Generation in "+
			"generation.go, which shows them as stale, and run go test ./experiments/paper -run TestGolden -update-golden; "+
			"else it is a defect:\n%s",
			strings.Join(changes, "\n"))
	}
}

// The backend of this process makes the same numbers. XLA takes too long to compile more than one model. Worlds are
// left out: adaptive steps follow an error estimate that rounding changes, and losses there differ by 1e-6 between
// backends.
func TestGoldenHere(t *testing.T) {
	if xlatest.Backend(t).Kind() == xlatest.Go(t).Kind() {
		t.Skip("TestGolden does this on the same backend")
	}
	var want golden
	content, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]float64)
	goldenForecasts(t, xlatest.Backend(t), []field.Field{field.PENG{}}, got)
	for name := range want.Values {
		if got[name] == nil {
			delete(want.Values, name)
		}
	}
	const tolerance = 1e-6               // rounding makes 4e-7 of two steps of training
	if xlatest.Backend(t).HasKernels() { // of forecasts rounding in their order of sums makes 5e-6
		const name, tolerance = "england, peng: forecast", 1e-5
		forecast := map[string][]float64{name: want.Values[name]}
		if changes := goldenChanges(forecast, map[string][]float64{name: got[name]}, tolerance); len(changes) > 0 {
			t.Errorf("%s with kernels makes other forecasts than the pure-Go backend:\n%s", xlatest.Backend(t),
				strings.Join(changes, "\n"))
		}
		delete(want.Values, name)
		delete(got, name)
	}
	if changes := goldenChanges(want.Values, got, tolerance); len(changes) > 0 {
		t.Errorf("%s makes other numbers than the pure-Go backend:\n%s", xlatest.Backend(t), strings.Join(changes, "\n"))
	}
}

// goldenChanges lists what differs by more than rounding.
func goldenChanges(want, got map[string][]float64, tolerance float64) (changes []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, found := got[name]; !found {
			changes = append(changes, name+": is gone")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		a, b := want[name], got[name]
		if len(a) != len(b) {
			changes = append(changes, fmt.Sprintf("%s: %d values, want %d", name, len(b), len(a)))
			continue
		}
		scale := 0.0
		for _, x := range a {
			scale = math.Max(scale, math.Abs(x))
		}
		for i := range a {
			if !(math.Abs(a[i]-b[i]) <= tolerance*scale) {
				changes = append(changes, fmt.Sprintf("%s, entry %d: %.12g, want %.12g", name, i, b[i], a[i]))
				break
			}
		}
	}
	return changes
}

// allFields are those of package field.
func allFields(t *testing.T) (all []field.Field) {
	t.Helper()
	for _, name := range field.Names() {
		f, err := field.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// goldenForecasts trains vector fields for two optimiser steps on england, and makes all forecasts without a model.
// With more or longer steps, losses by step change by 1e-4 for rounding alone.
func goldenForecasts(t *testing.T, backend *xla.Backend, fields []field.Field, values map[string][]float64) {
	t.Helper()
	e := england(t)
	e.settings = func(_ experiments.Profile, size pengcde.Config) []setting {
		all := heuristics(counts(1, 0, 0))
		for _, f := range fields {
			kind := field.Name(f)
			model := size
			model.Field, model.Hidden, model.Step, model.Float64 = f, 4, 0.5, true
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
			config := pengcde.Config{Nodes: 16, Features: 1, Hidden: 4, Layers: 2, GraphOnly: true, LinearCoders: true,
				Adaptive: &ode.PID{RTol: 1e-6}, Product: equivariant.Dense, Field: f, Float64: true}
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

// The comparison finds what it should, and nothing in rounding.
func TestGoldenChanges(t *testing.T) {
	want := map[string][]float64{"a": {1, 1e-3}, "b": {0, 0}}
	for _, c := range []struct {
		name    string
		got     map[string][]float64
		changes int
	}{
		{"the same", map[string][]float64{"a": {1, 1e-3}, "b": {0, 0}}, 0},
		{"rounding", map[string][]float64{"a": {1 + 1e-9, 1e-3 + 1e-12}, "b": {0, 0}}, 0},
		{"another number", map[string][]float64{"a": {1, 1.001e-3}, "b": {0, 0}}, 1},
		{"NaN", map[string][]float64{"a": {math.NaN(), 1e-3}, "b": {0, 0}}, 1},
		{"one gone, one new", map[string][]float64{"a": {1, 1e-3}, "c": {1}}, 2},
	} {
		if changes := goldenChanges(want, c.got, goldenTolerance); len(changes) != c.changes {
			t.Errorf("%s: %q, want %d changes", c.name, changes, c.changes)
		}
	}
}
