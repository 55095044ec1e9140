package pengcde

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// A model with gaps in its data, a mask, identities and few checkpoints on the host learns, and its file loads.
func TestOptionsTrainSaveAndLoad(t *testing.T) {
	trainsSavesAndLoads(t, xlatest.Go(t), func(c *Config) {
		c.Field = field.PENG{Identities: equivariant.Identities{Kind: equivariant.IdentityTable, Size: 2}}
	})
}

// A network of package rivals learns, and its file loads without a value: the file has its name and its options.
func TestNetworkTrainsSavesAndLoads(t *testing.T) {
	trainsSavesAndLoads(t, xlatest.Go(t), func(c *Config) { c.Network = rivals.DCRNN{Hidden: 5, Order: 1} })
}

// On the backend that others use as well, without a graph, which would take long to compile.
func TestOptionsOnBackend(t *testing.T) {
	trainsSavesAndLoads(t, xlatest.Backend(t), func(c *Config) { c.Field = field.Constant{} })
}

func trainsSavesAndLoads(t *testing.T, backend *xla.Backend, change func(*Config)) {
	t.Helper()
	series, _ := gaps(t)
	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	m := ringModelOn(t, backend, func(c *Config) {
		c.Mask, c.Memory = path.Observed, ode.Memory{Checkpoints: 2, Host: true}
		change(c)
		if c.Network != nil {
			c.Hidden, c.Layers, c.Step, c.Memory = 0, 0, 0, ode.Memory{}
		}
	})
	report, err := m.Fit(context.Background(), split.Train, split.Validation, train.Config{Epochs: 6, EvaluateEvery: 1,
		BatchSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[5].TrainLoss; !(last < 0.9*first) {
		t.Errorf("loss %g after 6 epochs, %g at first", last, first)
	}
	file := filepath.Join(t.TempDir(), "options.safetensors")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(backend, file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	want := m.Config()
	want.Memory = ode.Memory{}
	if got := loaded.Config(); !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v, saved %+v", got, want)
	}
	if want, got := forecast(t, m, split.Test[0]), forecast(t, loaded, split.Test[0]); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
}

// Unused options do not appear in the configuration, which identifies results and checkpoints.
func TestOptionsLeftAtZero(t *testing.T) {
	plain := resolved(t, func(*Config) {})
	for name, change := range map[string]func(*Config){
		"memory": func(c *Config) { c.Memory.Bytes = 1 << 20 }, "default field": func(c *Config) { c.Field = field.PENG{} },
		"identities of size 0": func(c *Config) {
			c.Field = field.PENG{Identities: equivariant.Identities{Kind: equivariant.IdentityTable}}
		},
	} {
		if diff := cmp.Diff(plain, resolved(t, change)); diff != "" {
			t.Errorf("%s (-without +with):\n%s", name, diff)
		}
		text, err := json.Marshal(ringModelOn(t, xlatest.Go(t), change).Config())
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range []string{"Field", "Options", "Memory"} {
			if strings.Contains(string(text), option) && name != "identities of size 0" {
				t.Errorf("%s: %s names %s", name, text, option)
			}
		}
	}
}

// The gradient does not depend on which states are kept, with constant and adaptive steps, and every parameter of
// identities has a gradient.
func TestMemoryOfAModel(t *testing.T) {
	backend := xlatest.Go(t)
	ctx := context.Background()
	split := ringSplit(t)
	for name, change := range map[string]func(*Config){
		"PENG": func(c *Config) { c.Field = field.PENG{Identities: equivariant.Identities{Size: 3}} },
		"Original, adaptive": func(c *Config) {
			c.Field, c.Step, c.Adaptive = field.Original{Identities: equivariant.Identities{Size: 3}}, 0, &ode.PID{}
		},
	} {
		var whole [][]float64
		state := int64(2 * ringNodes * 4 * 8) // a batch of 2, hidden 4, float64
		for _, memory := range []ode.Memory{{}, {Checkpoints: 2}, {Bytes: 3 * state}, {Host: true}} {
			m := ringModelOn(t, backend, func(c *Config) { change(c); c.Float64, c.Memory = true, memory })
			batches, err := batches(m.backend, 2, source{m, split.Train[:2], nil})
			if err != nil {
				t.Fatal(err)
			}
			_, gradients, err := gradientOf(ctx, m.network, m.params, batches[0])
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range m.declared {
				got := host.Floats(gradients[i])
				if len(whole) <= i {
					whole = append(whole, got)
				}
				fixture.Close(t, name+", "+p.Name, got, whole[i], 1e-12)
				if !slices.ContainsFunc(got, func(g float64) bool { return g != 0 }) {
					t.Errorf("%s: the gradient of %s is 0", name, p.Name)
				}
			}
			if _, err := lossOf(ctx, m.network, m.params, batches[0]); err != nil { // keeps nothing
				t.Errorf("%s, %+v: %v", name, memory, err)
			}
			xla.Free(gradients...)
			batches[0].free()
		}
	}
	m := ringModelOn(t, backend, func(c *Config) { c.Memory.Bytes = 10 })
	if _, err := m.Fit(ctx, split.Train, split.Validation, train.Config{}); !errors.Is(err, ode.ErrInput) ||
		!strings.Contains(err.Error(), "Memory of 10 bytes") {
		t.Errorf("less than one state: %v, want ode.ErrInput", err)
	}
}

// Identities tell nodes apart that have the same features, edges and weights.
func TestIdentitiesTellNodesApart(t *testing.T) {
	series := ring(t)
	for k := range series.Times {
		for u := range ringNodes {
			series.Weights[k][u] = 1 + float64(k)/10
			series.Features[k][2*u], series.Features[k][2*u+1] = math.Sin(float64(k)), 1
		}
	}
	windows, err := series.Windows(4, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 2} {
		m := ringModelOn(t, xlatest.Go(t), func(c *Config) {
			c.Float64 = true
			c.Field = field.PENG{Identities: equivariant.Identities{Kind: equivariant.IdentityTable, Size: size}}
		})
		y := forecast(t, m, windows[0])
		if apart := slices.Max(y) - slices.Min(y); (apart > 1e-9) != (size > 0) {
			t.Errorf("identities of size %d: forecasts differ by %g", size, apart)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	identities := func(i equivariant.Identities) func(*Config) {
		return func(c *Config) { c.Field = field.PENG{Identities: i} }
	}
	for name, c := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"negative size":     {identities(equivariant.Identities{Size: -1}), "identities of size -1"},
		"unknown kind":      {identities(equivariant.Identities{Kind: "hash", Size: 1}), `"hash"`},
		"other nodes":       {identities(equivariant.Identities{Size: 1, Nodes: 9}), "for {Nodes:9 "},
		"unknown smoothing": {func(c *Config) { c.Smoothing = "spline" }, `"spline"`},
		"smoothing, driven by the graph": {func(c *Config) { c.Smoothing, c.GraphOnly = path.LocalLines, true },
			"do not drive"},
		"smoothing that looks ahead": {func(c *Config) { c.Smoothing, c.Path = path.LocalLines, path.Rectilinear },
			"looks ahead"},
		"derivative per channel where time stands still": {func(c *Config) {
			c.Field, c.Path = field.PENG{PerChannel: true}, path.Rectilinear
		}, "Config.Field peng has PerChannel on a rectilinear Path"},
		"unknown mask":       {func(c *Config) { c.Mask = "seen" }, `"seen"`},
		"negative memory":    {func(c *Config) { c.Memory.Bytes = -5 }, "-5 bytes"},
		"negative number of": {func(c *Config) { c.Memory.Checkpoints = -2 }, "-2 checkpoints"},
		"unknown product":    {func(c *Config) { c.Product = "diagonal" }, `"diagonal"`},
		"two kinds of steps": {func(c *Config) { c.Step, c.Adaptive = 0.1, &ode.PID{} },
			"Config.Step is 0.1 beside Adaptive"},
		"bound without need": {func(c *Config) { c.MaxSteps = 10 }, "Config.MaxSteps is 10"},
		"negative bound":     {func(c *Config) { c.MaxSteps, c.Adaptive = -1, &ode.PID{} }, "Config.MaxSteps is -1"},
	} {
		cfg := Config{Nodes: ringNodes, Features: ringFeatures}
		c.change(&cfg)
		if _, err := New(xlatest.Backend(t), cfg); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want ErrInput that says %q", name, err, c.says)
		}
	}
}
