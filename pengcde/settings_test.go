package pengcde

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// A model with adaptive steps has no constant one, can be made again from its configuration, and loads.
func TestAdaptiveModelsHaveNoStep(t *testing.T) {
	backend := xlatest.Go(t)
	m := ringModelOn(t, backend, func(c *Config) { c.Step, c.Adaptive, c.MaxSteps = 0, &ode.PID{}, 500 })
	text, err := json.Marshal(m.Config())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"Step"`) || !strings.Contains(string(text), `"MaxSteps":500`) {
		t.Errorf("stored %s, want MaxSteps and no Step", text)
	}
	again, err := New(backend, m.Config())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()

	file := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(backend, file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if got := loaded.Config(); got.Step != 0 || got.Adaptive == nil || got.MaxSteps != 500 {
		t.Errorf("loaded %+v, want adaptive steps alone", got)
	}
	if text, _ := json.Marshal(ringModelOn(t, backend, nil).Config()); strings.Contains(string(text), "MaxSteps") {
		t.Errorf("%s names MaxSteps, which was not set", text)
	}
}

// MaxSteps bounds the tries, and the failure says so.
func TestMaxSteps(t *testing.T) {
	window := ringSplit(t).Train[0]
	for _, c := range []struct {
		limit int
		fails bool
	}{{2, true}, {0, false}} {
		m := ringModel(t, func(c2 *Config) { c2.Step, c2.Adaptive, c2.MaxSteps = 0, &ode.PID{}, c.limit })
		_, err := m.Predict(context.Background(), window, nil)
		if errors.Is(err, ode.StepLimit) != c.fails {
			t.Errorf("MaxSteps %d: %v, want a failure: %v", c.limit, err, c.fails)
		}
		if c.fails && !strings.Contains(err.Error(), "raise Config.MaxSteps") {
			t.Errorf("%v, want advice on Config.MaxSteps", err)
		}
	}
}

// A loaded model stays within the memory that SetMemory allows, with the same gradient.
func TestComputeOfALoadedModel(t *testing.T) {
	backend, ctx := xlatest.Go(t), context.Background()
	file := filepath.Join(t.TempDir(), "model.safetensors")
	if err := ringModelOn(t, backend, nil).Save(file); err != nil {
		t.Fatal(err)
	}
	m, err := Load(backend, file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	state := int64(2 * ringNodes * 4 * 4) // a batch of 2, hidden 4, float32
	batches, err := batches(m.backend, 2, source{m, ringSplit(t).Train[:2], nil})
	if err != nil {
		t.Fatal(err)
	}
	defer batches[0].free()
	for _, c := range []struct {
		memory ode.Memory
		states int
	}{{ode.Memory{}, 4}, {ode.Memory{Bytes: 2*state + 1}, 2}} { // 4 steps in a window
		if err := errors.Join(m.SetProduct(equivariant.Sparse), m.SetMemory(c.memory)); err != nil {
			t.Fatal(err)
		}
		solution, err := m.network.(*equation).solve(ctx, m.params, batches[0], forGradient)
		if err != nil {
			t.Fatal(err)
		}
		if got := solution.States(); got != c.states {
			t.Errorf("%+v: %d states are kept, want %d", c.memory, got, c.states)
		}
		solution.Close()
		if got := m.Config(); got.Memory != c.memory || got.Product != equivariant.Sparse {
			t.Errorf("the configuration has %+v and %v", got.Memory, got.Product)
		}
	}
	if err := m.SetProduct("diagonal"); !errors.Is(err, ErrInput) {
		t.Errorf("an unknown product: %v, want ErrInput", err)
	}
	if err := m.SetMemory(ode.Memory{Bytes: -1}); !errors.Is(err, ErrInput) {
		t.Errorf("negative memory: %v, want ErrInput", err)
	}
	m.Close()
	if err := m.SetProduct(equivariant.Auto); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}

// Error messages do not repeat themselves, and name only one package.
func TestErrorsSayThingsOnce(t *testing.T) {
	split := ringSplit(t)
	ctx := context.Background()
	fit := func(m *Model) error {
		_, err := m.Fit(ctx, split.Train, split.Validation, train.Config{Epochs: 1})
		return err
	}
	unsorted := *split.Train[0].Series
	unsorted.Times = append([]float64{1, 1}, unsorted.Times[2:]...)
	window := split.Train[0]
	window.Series = &unsorted
	_, wrongTimes := ringModel(t, nil).Predict(ctx, window, nil)
	_, nilOption := ringModel(t, nil).Predict(ctx, split.Train[0], []float64{1}, nil)
	_, wrongMaps := New(xlatest.Go(t), Config{Nodes: 2, Features: 1, Field: field.PENG{Maps: []equivariant.Map{99}}})
	for name, err := range map[string]error{
		"memory": fit(ringModel(t, func(c *Config) { c.Memory.Bytes = 1 })),
		"steps":  fit(ringModel(t, func(c *Config) { c.Step = 1e-9 })),
		"times":  wrongTimes, "option": nilOption, "maps": wrongMaps,
	} {
		if !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
			continue
		}
		text := err.Error()
		if strings.Count(text, "pengcde") != 1 || !strings.HasPrefix(text, "pengcde: ") || strings.Count(text,
			"invalid") > 1 {
			t.Errorf("%s: %q, want each thing once", name, text)
		}
		t.Log(text)
	}
}

// An error in building a part of a model has the same form as errors of ode and xla.
func TestBuildErrorOfAModel(t *testing.T) {
	m := ringModel(t, nil)
	m.network.(*equation).encoder = encoders{nil}
	_, err := m.Predict(context.Background(), ringSplit(t).Train[0], nil)
	var build *xla.BuildError
	if !errors.As(err, &build) || build.Program != "encoder" || !strings.HasPrefix(err.Error(), "pengcde: ") ||
		!strings.Contains(err.Error(), "states.go:") {
		t.Errorf("%v, want a BuildError of the encoder in states.go", err)
	}
}

// Neither the options given to New nor the result of Config are tied to the model.
func TestConfigIsCopied(t *testing.T) {
	maps, derivative := equivariant.Published11()
	config := Config{Nodes: 3, Features: 1, Field: field.PENG{Maps: maps, DerivativeMaps: derivative},
		Head:     head.Corrected{Linear: head.Linear{Values: 1, Prior: []float64{1, 2, 3}}},
		Equation: Equation{Adaptive: &ode.PID{RTol: 1e-4}}}
	m, err := New(xlatest.Go(t), config)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want, err := json.Marshal(m.Config())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Config{"given": config, "returned": m.Config()} {
		peng := c.Field.(field.PENG)
		peng.Maps[0], peng.DerivativeMaps[0], c.Adaptive.RTol = equivariant.TraceOnAll, equivariant.TraceOnAll, 1
		c.Head.(head.Corrected).Linear.Prior[0] = 9
		if got, err := json.Marshal(m.Config()); err != nil || string(got) != string(want) {
			t.Errorf("after changes of what was %s: %s, %v, want %s", name, got, err, want)
		}
	}
}
