package pengcde

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// needCores is a backend with at least two workers.
func needCores(t *testing.T) *xla.Backend {
	t.Helper()
	backend := xlatest.Backend(t)
	if backend.MostWorkers() < 2 {
		t.Skipf("%s has %d cores for groups, want 2", backend, backend.MostWorkers())
	}
	return backend
}

// A batch in groups has the same loss, gradient and forecasts as the whole batch, for every batch size, and the same
// bits in each run.
func TestGroups(t *testing.T) {
	backend, ctx := needCores(t), context.Background()
	split := ringSplit(t)
	for name, change := range map[string]func(*Config){
		"constant steps": func(*Config) {},
		"adaptive":       func(c *Config) { c.Step, c.Adaptive = 0, &ode.PID{} },
		"checkpoints":    func(c *Config) { c.Field, c.Memory = field.Original{}, ode.Memory{Checkpoints: 2} },
	} {
		for _, size := range []int{2, 3, 5} { // the last batch of 5 is padded
			var losses [3][]float64
			var gradients [3][]float64
			var forecasts [3][]float64
			var steps [3][]ode.Stats
			for i, groups := range []int{1, 2, 2} {
				m := ringModelOn(t, backend, func(c *Config) {
					c.Float64, c.Groups = true, groups
					change(c)
				})
				made, err := batches(m.backend, size, source{model: m, windows: split.Train})
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range made {
					loss, gradient, err := gradientOf(ctx, m.network, m.params, b)
					if err != nil {
						t.Fatal(err)
					}
					alone, err := lossOf(ctx, m.network, m.params, b)
					if err != nil {
						t.Fatal(err)
					}
					losses[i] = append(losses[i], loss, alone)
					made, err := m.network.evaluate(ctx, m.params, b, forLoss)
					if err != nil {
						t.Fatal(err)
					}
					steps[i] = append(steps[i], made.stats[:b.samples]...)
					for _, x := range gradient {
						gradients[i] = append(gradients[i], host.Floats(x)...)
					}
					xla.Free(gradient...)
					if got := len(b.parts); got != 0 != (groups > 1) {
						t.Errorf("%s: %d parts for %d groups", name, got, groups)
					}
				}
				freeAll(made)
				all, err := m.PredictAll(ctx, split.Test, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range all {
					forecasts[i] = append(forecasts[i], one.Values...)
				}
			}
			if !slices.Equal(steps[1], steps[0]) || len(steps[0]) != len(split.Train) {
				t.Errorf("%s: steps %v in groups, %v without", name, steps[1], steps[0])
			}
			fixture.Close(t, name+": losses", losses[1], losses[0], 1e-12)
			fixture.Close(t, name+": gradients", gradients[1], gradients[0], 1e-10)
			fixture.Close(t, name+": forecasts", forecasts[1], forecasts[0], 1e-12)
			if !slices.Equal(losses[1], losses[2]) || !slices.Equal(gradients[1], gradients[2]) ||
				!slices.Equal(forecasts[1], forecasts[2]) {
				t.Errorf("%s: another time the same groups give other numbers", name)
			}
		}
	}
}

// Training in groups learns the same as without groups, and continues from its checkpoints bit for bit.
func TestFitInGroups(t *testing.T) {
	backend := needCores(t)
	split := ringSplit(t)
	parameters := func(groups int) (all []float64) {
		m := ringModelOn(t, backend, func(c *Config) { c.Float64, c.Groups = true, groups })
		if _, err := m.Fit(context.Background(), split.Train, split.Validation,
			train.Config{Epochs: 4, EvaluateEvery: 2, BatchSize: 4}); err != nil {
			t.Fatal(err)
		}
		for _, p := range m.params {
			all = append(all, host.Floats(p)...)
		}
		return all
	}
	fixture.Close(t, "parameters", parameters(2), parameters(1), 1e-9)
}

// An error of a group names the sample of the batch.
func TestErrorsOfGroups(t *testing.T) {
	backend := needCores(t)
	m := ringModelOn(t, backend, func(c *Config) {
		c.Step, c.Adaptive, c.MaxSteps, c.Groups = 0, &ode.PID{RTol: 1e-12}, 2, 2
	})
	split := ringSplit(t)
	_, err := m.PredictAll(context.Background(), split.Train[:4], nil)
	var failure *ode.Failure
	if !errors.As(err, &failure) || failure.Sample != 0 {
		t.Errorf("%v, want a failure of sample 0", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := m.PredictAll(ctx, split.Train[:4], nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	failure = &ode.Failure{Sample: 1, Also: []*ode.Failure{{Sample: 2}}}
	if inWhole(failure, 3); failure.Sample != 4 || failure.Also[0].Sample != 5 {
		t.Errorf("%+v in the whole, want samples 4 and 5", failure)
	}
	if _, err := New(backend, Config{Nodes: 1, Features: 1, Execution: Execution{Groups: -1}}); !errors.Is(err, ErrInput) {
		t.Errorf("-1 groups: %v", err)
	}
}

// A model that outlives its backend is closed, and gives errors.
func TestGroupsOfAClosedBackend(t *testing.T) {
	needCores(t)
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := ringModelOn(t, backend, func(c *Config) { c.Groups = 2 })
	windows := []dyngraph.Window{ringSplit(t).Train[0], ringSplit(t).Train[1]}
	if _, err := m.PredictAll(context.Background(), windows, nil); err != nil {
		t.Fatal(err)
	}
	backend.Close()
	m.Close()
}
