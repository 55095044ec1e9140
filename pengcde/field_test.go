package pengcde

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// diffusion is dz/dt = rate (A(t) z + A'(t) z), a custom field.
type diffusion struct {
	Hidden int
	Scale  float64
}

func (f diffusion) Params() []nn.Param {
	return []nn.Param{{Name: "rate", Dims: []int{f.Hidden}, Init: nn.Uniform(f.Scale)}}
}

func (f diffusion) Derivative(v nn.Values, c *field.Control, t, z *Node) *Node {
	a, da, _ := c.At(t)
	sum := Add(a.Apply(z), da.Apply(z))
	return Mul(sum, BroadcastToDims(ExpandLeftToRank(v.Get("rate"), 3), z.Shape().Dimensions...))
}

// checkLoss checks the loss of windows in one batch, and checks its gradient, to which every parameter contributes,
// against differences. It returns the gradients by name.
func checkLoss(t *testing.T, m *Model, windows []dyngraph.Window, want float64) map[string][]float64 {
	t.Helper()
	made, err := batches(m.backend, len(windows), source{m, windows, nil})
	if err != nil {
		t.Fatal(err)
	}
	defer freeAll(made)
	loss, gradients, err := gradientOf(context.Background(), m.network, m.params, made[0])
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(gradients...)
	fixture.Close(t, "loss", []float64{loss}, []float64{want}, 1e-12)
	all := make(map[string][]float64)
	for i, p := range m.declared {
		all[p.Name] = host.Floats(gradients[i])
		if !slices.ContainsFunc(all[p.Name], func(g float64) bool { return math.Abs(g) > 1e-9 }) {
			t.Errorf("the gradient of %s is %v", p.Name, all[p.Name])
		}
	}
	checkGradient(t, m, windows)
	return all
}

// checkGradient compares the gradient of a model's loss with finite differences, for some entries of each parameter.
func checkGradient(t *testing.T, m *Model, windows []dyngraph.Window) {
	t.Helper()
	made, err := batches(m.backend, len(windows), source{m, windows, nil})
	if err != nil {
		t.Fatal(err)
	}
	defer freeAll(made)
	ctx := context.Background()
	_, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(gradients...)
	const h, tolerance = 1e-6, 1e-7
	for i, p := range m.declared {
		values := host.Floats(m.params[i])
		for entry := 0; entry < len(values); entry += 1 + len(values)/3 {
			at := func(x float64) float64 {
				moved, params := slices.Clone(values), slices.Clone(m.params)
				moved[entry] += x
				params[i] = host.Tensor(m.config.dtype(), moved, p.Dims...)
				defer xla.Free(params[i])
				loss, err := lossOf(ctx, m.network, params, made[0])
				if err != nil {
					t.Fatal(err)
				}
				return loss
			}
			got, want := host.Floats(gradients[i])[entry], (at(h)-at(-h))/(2*h)
			if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
				t.Errorf("gradient of %s[%d] is %g, by differences %g", p.Name, entry, got, want)
			}
		}
	}
}

// A custom field trains on windows and on whole series, is saved, and loads with its value.
func TestOwnField(t *testing.T) {
	own := diffusion{Hidden: 4, Scale: 0.5}
	set := func(c *Config) { c.Field, c.Float64 = own, true }
	split, backend := ringSplit(t), xlatest.Go(t)
	m := ringModelOn(t, backend, set)
	checkGradient(t, m, split.Train[:2])
	report, err := m.Fit(context.Background(), split.Train, split.Validation,
		train.Config{Epochs: 10, BatchSize: 4, AdamW: train.AdamW{LearningRate: 0.03}})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[9].TrainLoss; last > 0.7*first {
		t.Errorf("loss %g after 10 epochs, %g at first", last, first)
	}
	checkGradient(t, ringModelOn(t, backend, func(c *Config) {
		set(c)
		c.Step, c.Adaptive, c.GraphOnly = 0, &ode.PID{}, true
	}), []dyngraph.Window{ring(t).Whole()})

	file := filepath.Join(t.TempDir(), "own")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(backend, file, diffusion{Hidden: 5}) // the file has the size
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if want, got := forecast(t, m, split.Test[0]), forecast(t, loaded, split.Test[0]); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
	for name, given := range map[string][]any{"none": nil, "another": {field.PENG{}}} {
		if _, err := Load(backend, file, given...); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(),
			`"pengcde.diffusion"`) {
			t.Errorf("%s given: %v, want ErrFile with the field's name", name, err)
		}
	}
	runs := []SeedRun{{Model: m, Training: split.Train, Validation: split.Validation}}
	if _, err := FitSeeds(context.Background(), runs); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(),
		"several seeds") {
		t.Errorf("seeds: %v, want ErrInput", err)
	}
	other := Config{Nodes: 2, Features: 1, Field: diffusion{4, 0.25}}
	a, errA := m.config.Resolved()
	b, errB := other.Resolved()
	if errA != nil || errB != nil || a.Field != "pengcde.diffusion" || a.Options == b.Options {
		t.Errorf("resolved %+v (%v) and %+v (%v), want their options", a, errA, b, errB)
	}
}

// embedding inherits Sized from the field that it embeds.
type embedding struct{ field.Adjacency }

func TestFieldsThatCannotBe(t *testing.T) {
	for name, f := range map[string]field.Field{
		"no parameters": silent{}, "embedded": embedding{}, "sizes": diffusion{Hidden: -1},
		"hidden": field.GNODE{Hidden: 3}, "nodes": field.PreMult{Nodes: 7},
	} {
		_, err := New(xlatest.Go(t), Config{Nodes: 2, Features: 1, Hidden: 4, Field: f})
		if !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
		t.Log(err)
	}
	m, err := New(xlatest.Go(t), Config{Nodes: 2, Features: 1, Field: field.GNODE{Hidden: 3, Layers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if c := m.Config(); c.Hidden != 3 || c.Layers != 1 {
		t.Errorf("hidden %d, layers %d, want the field's 3 and 1", c.Hidden, c.Layers)
	}
}

type silent struct{}

func (silent) Params() []nn.Param                                         { return nil }
func (silent) Derivative(_ nn.Values, _ *field.Control, _, z *Node) *Node { return z }

// A file of an earlier format is refused with advice.
func TestOlderModelFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old")
	metadata := map[string]string{"pengcde.format": "model 1", configKey: `{"Nodes":2,"Features":1,"Maps":"all15"}`}
	if err := safetensors.Write(file, metadata, nil); err != nil {
		t.Fatal(err)
	}
	_, err := Load(xlatest.Go(t), file)
	if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "train the model again") {
		t.Errorf("%v, want ErrFile, and to train again", err)
	}
}

// Configurations survive a round trip through JSON.
func TestConfigAsJSON(t *testing.T) {
	for _, c := range []Config{
		{Nodes: 2}, {Field: field.GNODE{},
			Equation: Equation{Adaptive: &ode.PID{}}}, {Field: published11(), Input: Input{Normalise: dyngraph.Raw},
			Head: head.Summed{}},
		{Field: field.Original{Hidden: 3, Identities: equivariant.Identities{Size: 2}}}, {Field: field.PENG{Parity: true}},
	} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var got Config
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != string(text) {
			t.Errorf("%s comes back as %s (%v)", text, again, err)
		}
	}
	var c Config
	if err := json.Unmarshal([]byte(`{"Field":"peng","Options":{"Maps":["none"]}}`), &c); err == nil {
		t.Error("unknown maps are read")
	}
	if err := json.Unmarshal([]byte(`{"Field":"mine"}`), &c); !errors.Is(err, ErrInput) {
		t.Errorf("an unknown field: %v, want ErrInput", err)
	}
}

// The identities of stored runs and checkpoints are unchanged, byte for byte.
func TestIdentitiesOfBefore(t *testing.T) {
	text, err := os.ReadFile("testdata/identities.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored []struct{ Config, Resolved string }
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	for _, s := range stored {
		var c Config
		if err := json.Unmarshal([]byte(s.Config), &c); err != nil {
			t.Fatal(err)
		}
		r, err := c.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(r); err != nil || string(got) != s.Resolved {
			t.Errorf("%s resolves to\n%s (%v), was\n%s", s.Config, got, err, s.Resolved)
		}
	}
	windows := ringModel(t, nil)
	series := trajectoryModel(t, trajectoryConfig(6))
	for _, c := range []struct {
		source
		digest string
	}{
		{source{windows, ringSplit(t).Train, sha256.New()},
			"aaefb6f878bd7a4afb56d3faeb9b08f979ed772cad3cb7da1d5fdd080d005d4a"},
		{source{series, wholes(pulses(t, 6, 1), pulses(t, 6, 2)), sha256.New()},
			"34c43c7f385850fe80e3f058f12a11992e9909a03a44f92606bf3b3e724c0ba0"},
	} {
		made, err := batches(c.model.backend, 2, c.source)
		if freeAll(made); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", c.source.digest.Sum(nil)); got != c.digest {
			t.Errorf("digest of the data of %d windows is %s, was %s", len(c.windows), got, c.digest)
		}
	}
}

// Parity of the configuration reaches the field, which then has the defects of the published code.
func TestParityReachesTheField(t *testing.T) {
	for name, c := range map[string]struct {
		field field.Field
		set   func(field.Field) bool
	}{
		"peng":     {field.PENG{}, func(f field.Field) bool { return f.(field.PENG).Parity }},
		"default":  {nil, func(f field.Field) bool { return f.(field.PENG).Parity }},
		"pre-mult": {field.PreMult{}, func(f field.Field) bool { return f.(field.PreMult).Parity }},
		"gn-ode":   {field.GNODE{}, func(f field.Field) bool { return f.(field.GNODE).Lag }},
	} {
		for _, parity := range []bool{false, true} {
			config, err := Config{Nodes: 4, Features: 1, Input: Input{GraphOnly: true},
				Field: c.field, Equation: Equation{Parity: parity}}.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			if f := config.wiring().field; c.set(f) != parity {
				t.Errorf("%s: %+v with Parity %t", name, f, parity)
			}
		}
	}
}

// drift and drifting are a field before and after its type was renamed.
type (
	drift    struct{ diffusion }
	drifting struct{ diffusion }
)

func (drift) FileName() string    { return "town.drift" }
func (drifting) FileName() string { return "town.drift" }

// A field with FileName loads, and keeps its identity, after its type is renamed.
func TestOwnFieldThatNamesItself(t *testing.T) {
	before, after := drift{diffusion{4, 0.5}}, drifting{diffusion{4, 0.5}}
	m := ringModel(t, func(c *Config) { c.Field = before })
	file := filepath.Join(t.TempDir(), "own")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(xlatest.Go(t), file, after)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	a, errA := m.config.Resolved()
	b, errB := loaded.config.Resolved()
	if errA != nil || errB != nil || a.Field != "town.drift" || b.Field != a.Field || a.Options != b.Options {
		t.Errorf("resolved %+v (%v) and %+v (%v), want the same field town.drift", a, errA, b, errB)
	}
	if _, err := Load(xlatest.Go(t), file, diffusion{4, 0.5}); !errors.Is(err, ErrFile) {
		t.Errorf("a field without that name: %v, want ErrFile", err)
	}
}
