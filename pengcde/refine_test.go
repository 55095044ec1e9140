package pengcde

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// gradientFor is the gradient of three trajectories as one array, with the tries of each.
func gradientFor(t *testing.T, m *Model, why purpose) (gradient []float64, tries []int) {
	t.Helper()
	windows := wholes(pulses(t, 6, 1), pulses(t, 6, 2), pulses(t, 6, 3))
	made, err := batches(m.backend, 3, source{model: m, windows: windows})
	if err != nil {
		t.Fatal(err)
	}
	defer freeAll(made)
	got, err := m.network.evaluate(context.Background(), m.params, made[0], why)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(got.gradients...)
	for _, x := range got.gradients {
		gradient = append(gradient, host.Floats(x)...)
	}
	for _, s := range got.stats {
		tries = append(tries, s.Accepted+s.Rejected)
	}
	return gradient, tries
}

// A refined gradient takes more steps and is closer to the gradient of a very exact solve. It equals the gradient of a
// model with finer steps.
func TestRefinedGradients(t *testing.T) {
	withSteps := func(layers int, step float64, adaptive *ode.PID) *Model {
		config := trajectoryConfig(6)
		config.Layers, config.Step, config.Adaptive = layers, step, adaptive
		return trajectoryModel(t, config)
	}
	exact := make(map[int][]float64)
	for layers := 1; layers <= 2; layers++ {
		exact[layers], _ = gradientFor(t, withSteps(layers, 0, &ode.PID{RTol: 1e-10, ATol: 1e-12}), forGradient)
	}
	for name, c := range map[string]struct {
		layers, times int
		model, finer  *Model
	}{
		"defaults":        {2, 1, withSteps(2, 0, &ode.PID{}), withSteps(2, 0, &ode.PID{RTol: 1e-4, ATol: 1e-7})},
		"tighter":         {1, 1, withSteps(1, 0, &ode.PID{RTol: 1e-4}), withSteps(1, 0, &ode.PID{RTol: 1e-5, ATol: 1e-7})},
		"constant":        {1, 1, withSteps(1, 0.1, nil), withSteps(1, 0.05, nil)},
		"twice":           {2, 2, withSteps(2, 0, &ode.PID{}), withSteps(2, 0, &ode.PID{RTol: 1e-5, ATol: 1e-8})},
		"constant, twice": {1, 2, withSteps(1, 0.1, nil), withSteps(1, 0.025, nil)},
	} {
		exact := exact[c.layers]
		plain, tries := gradientFor(t, c.model, forGradient)
		refined, more := gradientFor(t, c.model, purpose(c.times))
		same, as := gradientFor(t, c.finer, forGradient)
		for b := range tries {
			if more[b] <= tries[b] || more[b] != as[b] {
				t.Errorf("%s, sample %d: %d tries, refined %d, want more and %d", name, b, tries[b], more[b], as[b])
			}
		}
		if far, near := floats.Distance(plain, exact, 2), floats.Distance(refined, exact, 2); !(near < far/2) {
			t.Errorf("%s: the gradient is off by %.3g, refined by %.3g", name, far, near)
		}
		if off := floats.Distance(refined, same, 2); off != 0 {
			t.Errorf("%s: off by %.3g from the gradient of a model with the finer steps", name, off)
		}
		if again, _ := gradientFor(t, c.model, forGradient); floats.Distance(again, plain, 2) != 0 {
			t.Errorf("%s: another gradient after the refined one", name)
		}
	}
}

// watchful sets options with which each run of seedRuns solves batches again, or skips some, different for each run.
func watchful(runs []SeedRun) {
	for i := range runs {
		c := &runs[i].Config
		c.Guard = &train.Guard{Multiple: 1.001, Window: 1 + i, Retries: []int{0, train.NoRetries, 1}[i%3], Skips: 100}
		c.Average = 0.5
		c.Schedule = []train.Schedule{{Kind: train.Cosine}, {Kind: train.Plateau, After: 1}, {}}[i%3]
	}
}

// sameCounts compares what epochs counted.
func sameCounts(t *testing.T, what string, got, want *train.Report) {
	t.Helper()
	ignored := cmpopts.IgnoreFields(train.Epoch{}, "Seconds", "TrainLoss", "Validation", "GradientNorm", "LargestNorm")
	if diff := cmp.Diff(want.Epochs, got.Epochs, ignored); diff != "" {
		t.Errorf("%s (-alone +got):\n%s", what, diff)
	}
}

// Runs with a guard, schedules and averages give the same results together as one by one, also if some of them solve a
// batch again, including the last of an epoch, and after interruptions.
func TestFitSeedsWithOptions(t *testing.T) {
	all := [3][]SeedRun{}
	for i := range all {
		all[i] = seedRuns(t, xlatest.Go(t), 3, nil)
		watchful(all[i])
	}
	want := alone(t, all[0])
	for i, o := range want {
		retried, skipped, last := 0, 0, o.Report.Epochs[0]
		for _, e := range o.Report.Epochs {
			retried, skipped = retried+e.Retried, skipped+e.Skipped
			if e.Tries <= e.Rejected {
				t.Errorf("run %d: %+v", i, e)
			}
		}
		if once := i == 1; o.Err != nil || (retried == 0) != once || (skipped > 0) != once {
			t.Fatalf("run %d: %d retried, %d skipped, %v; want some (%+v)", i, retried, skipped, o.Err, last)
		}
	}
	got, err := FitSeeds(context.Background(), all[1])
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	for i := range all[2] {
		all[2][i].Config.Checkpoint = &train.Checkpoint{Path: filepath.Join(folder, fmt.Sprint(i)), Every: -1}
	}
	all[2][1].Config.Progress = func(p train.Progress) {
		if p.Epoch == 3 {
			cancel()
		}
	}
	if _, err := FitSeeds(ctx, all[2]); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for i := range all[2] { // as in another process
		m := all[2][i].Model
		m.Reset(m.config.Seed)
	}
	resumed, err := FitSeeds(context.Background(), all[2])
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		for what, o := range map[string]Outcome{"together": got[i], "cut off": resumed[i]} {
			name := fmt.Sprintf("run %d, %s", i, what)
			models := map[string]*Model{"together": all[1][i].Model, "cut off": all[2][i].Model}
			sameRun(t, name, o.Report, want[i].Report, models[what], all[0][i].Model)
			sameCounts(t, name, o.Report, want[i].Report)
		}
	}
}

// An epoch counts the steps of real samples, without padding: the same number as a solve of the same windows.
func TestEpochsCountTheSolversSteps(t *testing.T) {
	r := seedRuns(t, xlatest.Go(t), 1, func(c *Config) { c.Layers = 2 })[0]
	steps, err := r.Model.Steps(context.Background(), r.Training)
	if err != nil {
		t.Fatal(err)
	}
	tries, rejected := 0, 0
	for _, s := range steps {
		tries, rejected = tries+s.Accepted+s.Rejected, rejected+s.Rejected
	}
	r.Config.Epochs, r.Config.AdamW.LearningRate = 2, 1e-300 // three windows in batches of two
	report, err := r.Model.Fit(context.Background(), r.Training, r.Validation, r.Config)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range report.Epochs {
		if e.Tries != tries || e.Rejected != rejected || rejected == 0 {
			t.Errorf("epoch %d: %d tries, %d rejected, want %d and %d", i, e.Tries, e.Rejected, tries, rejected)
		}
	}
}

// A solve that takes too many steps ends a training with its own error, and a guarded training after the allowed number
// of skipped batches in a row.
func TestGuardOfUnsolvedBatches(t *testing.T) {
	few := func(c *Config) { c.MaxSteps = 3 }
	r := seedRuns(t, xlatest.Go(t), 1, few)[0]
	report, err := r.Model.Fit(context.Background(), r.Training, r.Validation, r.Config)
	if !errors.Is(err, ode.StepLimit) || errors.Is(err, train.ErrNotFinite) ||
		report.Stop != train.Stop("error: "+err.Error()) {
		t.Errorf("%v, stop %q, want the step limit alone", err, report.Stop)
	}
	var failure *ode.Failure
	if !errors.As(err, &failure) || err.Error() != failure.Error() {
		t.Errorf("%q, want the solver's words, as stored runs have them", err)
	}
	r = seedRuns(t, xlatest.Go(t), 1, few)[0]
	r.Config.Guard = &train.Guard{Skips: 4}
	report, err = r.Model.Fit(context.Background(), r.Training, nil, func() train.Config {
		c := r.Config
		c.EvaluateEvery = -1
		return c
	}())
	if !errors.Is(err, ode.StepLimit) || !errors.Is(err, train.ErrNotFinite) || report.Stop != train.StopNotFinite ||
		len(report.Epochs) != 1 || report.Epochs[0].Retried != 2 || report.Epochs[0].Skipped != 2 {
		t.Errorf("%v, %+v, want the end after four batches", err, report)
	}
}

// The report's stiffness is the largest of the validation with the parameters that are kept; and shorter steps make it
// less.
func TestStiffnessOfATraining(t *testing.T) {
	r := seedRuns(t, xlatest.Go(t), 1, nil)[0]
	r.Config.Stiffness = true
	report, err := r.Model.Fit(context.Background(), r.Training, r.Validation, r.Config)
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.Model.Stiffness(context.Background(), r.Validation)
	if err != nil || len(found) != 1 || report.Stiffness != found[0].Product || !(report.Stiffness > 0) {
		t.Fatalf("report %g, model %+v, %v; want them equal", report.Stiffness, found, err)
	}
	outcomes, err := FitSeeds(context.Background(), func() []SeedRun {
		runs := seedRuns(t, xlatest.Go(t), 2, nil)
		runs[0].Config.Stiffness = true
		return runs
	}())
	if err != nil || outcomes[1].Report.Stiffness != 0 ||
		scalar.Round(outcomes[0].Report.Stiffness/report.Stiffness, 6) != 1 {
		t.Errorf("of two seeds %v, want %g of the first alone", outcomes, report.Stiffness)
	}
	short := seedRuns(t, xlatest.Go(t), 1, func(c *Config) { c.Adaptive = &ode.PID{Max: 0.01} })[0]
	long := seedRuns(t, xlatest.Go(t), 1, nil)[0]
	a, err := short.Model.Stiffness(context.Background(), r.Validation)
	if err != nil {
		t.Fatal(err)
	}
	b, err := long.Model.Stiffness(context.Background(), r.Validation)
	if err != nil || !(a[0].Product < b[0].Product) || !(a[0].Step < 0.0101) {
		t.Errorf("steps up to 0.01: %+v, free: %+v (%v)", a, b, err)
	}
}

func TestStiffnessErrors(t *testing.T) {
	m := trajectoryModel(t, trajectoryConfig(6))
	if _, err := m.Stiffness(context.Background(), nil); !errors.Is(err, ErrInput) {
		t.Errorf("no windows: %v", err)
	}
	m.Close()
	for _, err := range []error{
		func() error { _, err := m.Stiffness(context.Background(), wholes(pulses(t, 6, 1))); return err }(),
		func() error { _, err := m.Steps(context.Background(), wholes(pulses(t, 6, 1))); return err }(),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("a closed model: %v", err)
		}
	}
	split := ringSplit(t)
	d, err := New(xlatest.Go(t), Config{Nodes: 4, Features: 2, Network: rivals.DCRNN{}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Fit(context.Background(), split.Train, split.Validation, train.Config{Stiffness: true}); !errors.Is(err,
		ErrInput) {
		t.Errorf("training in discrete steps: %v", err)
	}
}
