package pengcde

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

func resolved(t *testing.T, change func(*Config)) Resolved {
	t.Helper()
	c := Config{Nodes: 5, Features: 2}
	change(&c)
	r, err := c.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every field that changes results changes the resolved configuration; a field that only changes rounding does not.
func TestEveryFieldIsResolved(t *testing.T) {
	discrete := func(c *Config) { c.Step, c.Hidden, c.Layers, c.Network = 0, 0, 0, mixing{Width: 3} }
	changes := map[string]func(*Config){
		"Nodes": func(c *Config) { c.Nodes = 6 }, "Features": func(c *Config) { c.Features = 3 },
		"Outputs": func(c *Config) { c.Outputs = 2 },
		"Field":   func(c *Config) { c.Field = field.GNODE{} }, "Hidden": func(c *Config) { c.Hidden = 17 },
		"Layers":    func(c *Config) { c.Layers = 3 },
		"Normalise": func(c *Config) { c.Normalise = dyngraph.Log }, "Head": func(c *Config) { c.Head = head.Ranking{} },
		"Mask": func(c *Config) { c.Mask = path.Counted }, "Path": func(c *Config) { c.Path = path.Linear },
		"Method":   func(c *Config) { c.Method = ode.RK4 },
		"Step":     func(c *Config) { c.Step = 0.2 },
		"Adaptive": func(c *Config) { c.Adaptive = &ode.PID{} }, "GraphOnly": func(c *Config) { c.GraphOnly = true },
		"LinearCoders":  func(c *Config) { c.LinearCoders = true },
		"Head residual": func(c *Config) { c.Head = head.Nodes{Residual: true} },
		"Parity":        func(c *Config) { c.Parity = true }, "Float64": func(c *Config) { c.Float64 = true },
		"Smoothing":   func(c *Config) { c.Smoothing = path.LocalLines },
		"MaxSteps":    func(c *Config) { c.Adaptive, c.MaxSteps = &ode.PID{}, 7 },
		"Head linear": func(c *Config) { c.Head = head.Corrected{Linear: head.Linear{Values: 3}} },
		"RowFeatures": func(c *Config) { c.RowFeatures = 4 },
		"Head pairs":  func(c *Config) { c.Head = head.Ranking{Pairs: true} },
		"Network":     discrete, "Inputs": func(c *Config) { discrete(c); c.Inputs = 3 },
	}
	same := []string{"Product", "Memory", "Loop", "Groups", "Seed", "Notices"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if changes[f.Name] == nil && !f.Anonymous && !slices.Contains(same, f.Name) {
			t.Errorf("no change of Config.%s", f.Name)
		}
	}
	base := resolved(t, func(*Config) {})
	for name, change := range changes {
		r, beside := resolved(t, change), map[string]string{"MaxSteps": "Adaptive", "Inputs": "Network",
			"Head pairs": "Head"}[name]
		if cmp.Equal(r, base) || beside != "" && cmp.Equal(r, resolved(t, changes[beside])) {
			t.Errorf("another %s resolves to the same: %+v", name, r)
		}
	}
	rounding := resolved(t, func(c *Config) { c.Product, c.Memory.Checkpoints, c.Seed = equivariant.Dense, 3, 9 })
	if diff := cmp.Diff(base, rounding); diff != "" {
		t.Errorf("product, memory or seed (-without +with):\n%s", diff)
	}
}

// A default and the value that it stands for resolve alike.
func TestDefaultsAreWrittenOut(t *testing.T) {
	written := func(c *Config) {
		c.Outputs, c.Hidden, c.Layers = 1, 16, 2
		c.Normalise, c.Mask, c.Path = dyngraph.NormalisedLaplacian, path.NoMask, path.Hermite
		c.Field = field.PENG{Hidden: 16, Layers: 2, Features: 2, Maps: equivariant.Published8()}
	}
	if diff := cmp.Diff(resolved(t, func(*Config) {}), resolved(t,
		func(c *Config) { written(c); c.Step = 0.1 })); diff != "" {
		t.Errorf("constant steps (-defaults +written out):\n%s", diff)
	}
	pid := &ode.PID{RTol: 1e-3, ATol: 1e-6, I: 1, First: 0.01, Safety: 0.9, Shrink: 0.2, Grow: 10}
	if diff := cmp.Diff(resolved(t, func(c *Config) { c.Adaptive = &ode.PID{} }), resolved(t, func(c *Config) {
		written(c)
		c.Adaptive, c.MaxSteps = pid, 4096
	})); diff != "" {
		t.Errorf("adaptive steps (-defaults +written out):\n%s", diff)
	}
	directed := resolved(t, func(c *Config) { c.Field = published11() })
	if cmp.Equal(directed.Maps, directed.DerivativeMaps) || len(directed.Maps) != 11 {
		t.Errorf("published11 is %v on A, %v on A'", directed.Maps, directed.DerivativeMaps)
	}
}

// Each option of fields on graphs changes the resolved configuration; the published options resolve to the zero value.
func TestStylesAreResolved(t *testing.T) {
	with := func(f field.Field) Resolved { return resolved(t, func(c *Config) { c.Field = f }) }
	graph := field.Style{Norm: nn.Norm{Over: nn.GraphNorm}}
	seen := map[string]string{}
	for name, f := range map[string]field.Field{
		"published": field.PENG{}, "last": field.PENG{DerivativeIn: field.LastLayer},
		"none": field.PENG{DerivativeIn: field.NoLayer}, "local": field.PENG{LocalScale: true},
		"graph": field.PENG{Style: graph}, "row 1e-2": field.PENG{Style: field.Style{Norm: nn.Norm{Epsilon: 1e-2}}},
		"no norm":  field.PENG{Style: field.Style{Norm: nn.Norm{Over: nn.NoNorm}}},
		"silu":     field.PENG{Style: field.Style{Activation: nn.SiLU}},
		"linear":   field.PENG{Style: field.Style{Linear: true}},
		"feedback": field.PENG{Style: field.Style{Feedback: true}},
		"original": field.Original{}, "original, graph": field.Original{Style: graph},
		"original, last": field.Original{DerivativeIn: field.LastLayer}, "adjacency": field.Adjacency{},
		"adjacency, graph": field.Adjacency{Style: graph}, "gn-ode": field.GNODE{}, "gn-ode, graph": field.GNODE{Style: graph},
	} {
		text := fmt.Sprintf("%+v", with(f))
		if other, ok := seen[text]; ok {
			t.Errorf("%s and %s resolve to the same", name, other)
		}
		seen[text] = name
	}
	written := field.PENG{DerivativeIn: field.EveryLayer,
		Style: field.Style{Norm: nn.Norm{Over: nn.RowNorm, Epsilon: 1e-5}, Activation: nn.Rectified}}
	if diff := cmp.Diff(with(field.PENG{}), with(written)); diff != "" {
		t.Errorf("the published style written out (-zero +written out):\n%s", diff)
	}
	graph.Norm.Epsilon = 1e-2
	if diff := cmp.Diff(with(field.GNODE{Style: field.Style{Norm: nn.Norm{Over: nn.GraphNorm}}}),
		with(field.GNODE{Style: graph})); diff != "" {
		t.Errorf("a norm over graphs written out:\n%s", diff)
	}
	for name, f := range map[string]field.Field{
		"a norm that does not exist":        field.PENG{Style: field.Style{Norm: nn.Norm{Over: "batch"}}},
		"an activation that does not exist": field.GNODE{Style: field.Style{Activation: "gelu"}},
		"layers that do not exist":          field.Original{DerivativeIn: "first"},
		"a negative epsilon":                field.Adjacency{Style: field.Style{Norm: nn.Norm{Epsilon: -1}}},
		"PerChannel, affine":                field.PENG{DerivativeIn: field.LastLayer, PerChannel: true},
		"identities, affine": field.PENG{DerivativeIn: field.LastLayer,
			Identities: equivariant.Identities{Size: 2}},
	} {
		if _, err := (Config{Nodes: 5, Features: 2, Field: f}).Resolved(); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}

// Diverged parameters are not reported as bad input, whatever error the solver returns.
func TestDivergedParameters(t *testing.T) {
	split := ringSplit(t)
	for name, change := range map[string]func(*Config){
		"float32": nil, "float64": func(c *Config) { c.Float64 = true }, "adaptive": func(c *Config) {
			c.Adaptive,
				c.Step = &ode.PID{}, 0
		},
	} {
		rate := 1e20
		if name == "float64" {
			rate = 1e160
		}
		for _, every := range []int{1, -1} {
			m := ringModelOn(t, xlatest.Go(t), change)
			config := train.Config{Epochs: 3, EvaluateEvery: every, AdamW: train.AdamW{LearningRate: rate}}
			report, err := m.Fit(context.Background(), split.Train, split.Validation, config)
			if !errors.Is(err, train.ErrNotFinite) || errors.Is(err, ErrInput) || report == nil ||
				report.Stop != train.StopNotFinite {
				t.Errorf("%s, validation every %d: %v, report %+v, want ErrNotFinite and that it stopped for that", name, every,
					err, report)
			}
		}
	}
	m := ringModel(t, nil)
	config := train.Config{Epochs: 1, EvaluateEvery: -1, BatchSize: len(split.Train),
		AdamW: train.AdamW{LearningRate: 1e20}}
	if _, err := m.Fit(context.Background(), split.Train, nil, config); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(context.Background(), split.Test[0], nil); !errors.Is(err, train.ErrNotFinite) ||
		!strings.Contains(err.Error(), "diverged") {
		t.Errorf("forecast of a diverged model: %v, want ErrNotFinite", err)
	}
}
