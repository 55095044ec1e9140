package pengcde

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

const ringNodes, ringFeatures = 6, 2

// ring is a small series: a directed ring whose weights swing in time, with two features and a target each node.
func ring(t *testing.T) *dyngraph.Series {
	t.Helper()
	s := &dyngraph.Series{Name: "ring", FeatureSize: ringFeatures, TargetSize: 1}
	var from, to []int
	for u := range ringNodes {
		from, to = append(from, u), append(to, (u+1)%ringNodes)
	}
	var err error
	if s.Pattern, _, err = dyngraph.NewPattern(ringNodes, from, to); err != nil {
		t.Fatal(err)
	}
	for k := range 24 {
		time := float64(k)
		s.Times = append(s.Times, time)
		var weights, features, targets []float64
		for u := range ringNodes {
			phase := float64(u)
			weights = append(weights, 2+math.Sin(time/3+phase))
			features = append(features, math.Sin(time/2+phase), math.Cos(time/2+phase))
			targets = append(targets, math.Sin((time+1)/2+phase))
		}
		s.Weights, s.Features, s.Targets = append(s.Weights, weights), append(s.Features, features), append(s.Targets,
			targets)
	}
	return s
}

// published11 are the maps of directed graphs.
func published11() field.PENG {
	maps, derivative := equivariant.Published11()
	return field.PENG{Maps: maps, DerivativeMaps: derivative}
}

func ringModel(t *testing.T, change func(*Config)) *Model {
	t.Helper()
	return ringModelOn(t, xlatest.Go(t), change)
}

func ringModelOn(t *testing.T, backend *xla.Backend, change func(*Config)) *Model {
	t.Helper()
	cfg := Config{Nodes: ringNodes, Features: ringFeatures, Hidden: 4,
		Layers: 1, Equation: Equation{Step: 0.5}, Seed: 1}
	if change != nil {
		change(&cfg)
	}
	m, err := New(backend, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func ringSplit(t *testing.T) dyngraph.Split {
	t.Helper()
	split, err := ring(t).Windows(4, 1).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	return split
}

func forecast(t *testing.T, m *Model, w dyngraph.Window) []float64 {
	t.Helper()
	y, err := m.Predict(context.Background(), w, nil)
	if err != nil {
		t.Fatal(err)
	}
	return y.Row(0)
}

func shape(f dyngraph.Forecasts) [3]int { return [3]int{len(f.Times), f.Nodes, f.Outputs} }

func TestFitLearnsSavesAndLoads(t *testing.T) {
	split, m := ringSplit(t), ringModel(t, nil)
	report, err := m.Fit(context.Background(), split.Train, split.Validation, train.Config{Epochs: 15, Patience: 15,
		BatchSize: 5, AdamW: train.AdamW{LearningRate: 3e-2}})
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	for _, w := range split.Validation {
		e, err := train.MSE(make([]float64, ringNodes), w.Target())
		if err != nil {
			t.Fatal(err)
		}
		zero += e / float64(len(split.Validation))
	}
	if !(report.BestValidation < 0.5*zero) {
		t.Errorf("validation %.3f, want below half of the zero forecast's %.3f", report.BestValidation, zero)
	}
	mean := 0.0
	for _, w := range split.Validation {
		e, err := train.MSE(forecast(t, m, w), w.Target())
		if err != nil {
			t.Fatal(err)
		}
		mean += e / float64(len(split.Validation))
	}
	if !(math.Abs(mean-report.BestValidation) <= 1e-5) {
		t.Errorf("the kept parameters give validation %.6f, the report says %.6f", mean, report.BestValidation)
	}

	path := filepath.Join(t.TempDir(), "ring.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(xlatest.Go(t), path)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if want, got := forecast(t, m, split.Test[0]), forecast(t, loaded, split.Test[0]); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
	damagedFiles(t, m, path)
}

func damagedFiles(t *testing.T, m *Model, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(t.TempDir(), "half.safetensors")
	if err := os.WriteFile(half, content[:len(content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.safetensors")
	file, err := safetensors.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := safetensors.FromFloats(file.Tensors[0].Name, "F32", []int{1, 3}, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	file.Tensors[0] = wide
	if err := safetensors.Write(other, file.Metadata, file.Tensors); err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string]string{"cut in half": half, "of another shape": other} {
		if _, err := Load(xlatest.Go(t), broken); !errors.Is(err, ErrFile) {
			t.Errorf("file %s: %v, want ErrFile", name, err)
		} else {
			t.Log(err)
		}
	}
	if _, err := Load(xlatest.Go(t), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v, want ErrNotExist", err)
	}
	if err := m.Save(filepath.Join(t.TempDir(), "no", "folder")); err == nil {
		t.Error("saving into a folder that does not exist gave no error")
	}
}

func TestInterruptedFitKeepsAModel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	split, m := ringSplit(t), ringModel(t, nil)
	report, err := m.Fit(ctx, split.Train, split.Validation, train.Config{EvaluateEvery: 1, BatchSize: 5,
		Progress: func(p train.Progress) {
			if p.Epoch == 2 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || report.Stop != train.StopInterrupted || report.Best < 0 {
		t.Errorf("error %v, report %+v", err, report)
	}
	forecast(t, m, split.Test[0])
}

func TestRelabellingRelabelsForecasts(t *testing.T) {
	series := ring(t)
	order := []int{3, 0, 5, 1, 4, 2} // node u becomes order[u]
	relabelled := *series
	relabelled.Features, relabelled.Targets, relabelled.Weights = nil, nil, nil
	var from, to []int
	for e := range series.Pattern.From {
		from, to = append(from, order[series.Pattern.From[e]]), append(to, order[series.Pattern.To[e]])
	}
	pattern, index, err := dyngraph.NewPattern(ringNodes, from, to)
	if err != nil {
		t.Fatal(err)
	}
	relabelled.Pattern = pattern
	for k := range series.Times {
		weights, features, targets := make([]float64, len(index)), make([]float64, ringNodes*ringFeatures), make([]float64,
			ringNodes)
		for e, w := range series.Weights[k] {
			weights[index[e]] = w
		}
		for u, v := range order {
			copy(features[v*ringFeatures:(v+1)*ringFeatures], series.Features[k][u*ringFeatures:])
			targets[v] = series.Targets[k][u]
		}
		relabelled.Weights, relabelled.Features, relabelled.Targets = append(relabelled.Weights,
			weights), append(relabelled.Features, features), append(relabelled.Targets, targets)
	}
	for name, change := range map[string]func(*Config){
		"published": func(*Config) {},
		"recommended, driven by the graph": func(c *Config) {
			c.Step, c.GraphOnly = 0, true
			*c = Recommended(*c)
		},
		"11 maps along a rectilinear path": func(c *Config) {
			f := published11()
			f.DerivativeIn, f.Style = field.LastLayer, field.WellPosed()
			c.Field, c.Path = f, path.Rectilinear
		},
	} {
		m := ringModelOn(t, xlatest.Backend(t), func(c *Config) {
			c.Float64 = true
			change(c)
		})
		y, z := forecast(t, m, dyngraph.Window{Series: series, Start: 2, Length: 5}), forecast(t, m,
			dyngraph.Window{Series: &relabelled, Start: 2, Length: 5})
		for u, v := range order {
			if !(math.Abs(y[u]-z[v]) <= 1e-11) {
				t.Errorf("%s, node %d: forecast %.15g, relabelled %.15g", name, u, y[u], z[v])
			}
		}
	}
}

func TestPredictTimes(t *testing.T) {
	m, w := ringModel(t, nil), dyngraph.Window{Series: ring(t), Start: 1, Length: 4}
	ctx := context.Background()
	states, err := m.Predict(ctx, w, []float64{0, 0.7, 2})
	if err != nil {
		t.Fatal(err)
	}
	if shape(states) != [3]int{3, ringNodes, 1} {
		t.Fatalf("forecasts are %d, want 3 x %d x 1", shape(states), ringNodes)
	}
	if last := forecast(t, m, w); !(math.Abs(last[3]-states.At(2, 3, 0)) <= 1e-6) {
		t.Errorf("Predict gives %g, at the last input %g", last[3], states.At(2, 3, 0))
	}
	if _, err := m.Predict(ctx, w, []float64{2.5}); !errors.Is(err, ErrPastLast) {
		t.Errorf("past the last input: %v, want ErrPastLast", err)
	}
	for at, says := range map[float64]bool{2.5: false, 3: true} {
		_, err := m.Predict(ctx, w, []float64{at})
		if err == nil || strings.Contains(err.Error(), "target of this window is forecast at 2: pass nil times") != says {
			t.Errorf("at %g: %v, tells of the target: want %v", at, err, says)
		}
	}
	if held, err := m.Predict(ctx, w, []float64{2, 2.5, 4}, HoldControl()); err != nil ||
		!(math.Abs(held.At(0, 2, 0)-states.At(2, 2, 0)) <= 1e-6) {
		t.Errorf("held control: %v, at the last input %v, want %v", err, held, states)
	}
	alone, err := m.Predict(ctx, w, []float64{0.7})
	if err != nil {
		t.Fatal(err)
	}
	if alone.At(0, 1, 0) != states.At(1, 1, 0) {
		t.Errorf("the forecast at 0.7 is %g, and %g beside others", alone.At(0, 1, 0), states.At(1, 1, 0))
	}
	for name, times := range map[string][]float64{"before the window": {-1}, "decreasing": {1, 0.5}, "NaN": {math.NaN()}} {
		if _, err := m.Predict(ctx, w, times); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}

// Holding the control equals solving on a series that is constant after the last input, if the path has no slope there.
func TestHoldControlContinues(t *testing.T) {
	m, series := ringModel(t, func(c *Config) { c.Float64 = true }), ring(t)
	w := dyngraph.Window{Series: series, Start: 1, Length: 4}
	ctx := context.Background()
	near, err := m.Predict(ctx, w, []float64{2, 2 + 1e-6}, HoldControl())
	if err != nil {
		t.Fatal(err)
	}
	for u := range ringNodes {
		if !(math.Abs(near.At(0, u, 0)-near.At(1, u, 0)) <= 1e-4) {
			t.Errorf("node %d jumps from %g to %g after the last input", u, near.At(0, u, 0), near.At(1, u, 0))
		}
	}
}

func TestLatestForecastsTheUnknown(t *testing.T) {
	m, series := ringModel(t, nil), ring(t)
	latest, err := series.Latest(3)
	if err != nil {
		t.Fatal(err)
	}
	if y := forecast(t, m, latest); len(y) != ringNodes || latest.Target() != nil {
		t.Errorf("forecast of %d nodes, target %v", len(y), latest.Target())
	}
	if _, err := m.Fit(context.Background(), []dyngraph.Window{latest}, []dyngraph.Window{latest},
		train.Config{}); !errors.Is(err, ErrInput) {
		t.Errorf("training on an unknown target: %v, want ErrInput", err)
	}
}

func TestWindowsThatCannotBeUsed(t *testing.T) {
	m, series := ringModel(t, nil), ring(t)
	short := *series
	short.Weights = [][]float64{{1}}
	for name, w := range map[string]dyngraph.Window{
		"none": {}, "past the end": {Series: series, Start: 22, Length: 5}, "one input": {Series: series, Length: 2},
		"negative": {Series: series, Start: -1, Length: 4}, "no snapshots": {Series: &short, Length: 4},
	} {
		if _, err := m.Predict(context.Background(), w, nil); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
		if _, err := m.Fit(context.Background(), []dyngraph.Window{w}, []dyngraph.Window{w},
			train.Config{}); !errors.Is(err, ErrInput) {
			t.Errorf("%s: fit gives %v, want ErrInput", name, err)
		}
	}
}

func TestClosedModel(t *testing.T) {
	m, err := New(xlatest.Go(t), Config{Nodes: ringNodes, Features: ringFeatures})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	m.Reset(1)
	if err := m.Save(filepath.Join(t.TempDir(), "m")); !errors.Is(err, ErrClosed) {
		t.Errorf("save: %v", err)
	}
	if _, err := m.Predict(context.Background(), dyngraph.Window{Series: ring(t), Length: 4}, nil); !errors.Is(err,
		ErrClosed) {
		t.Errorf("forecast: %v", err)
	}
	if err := m.SetNormalise(dyngraph.Raw); !errors.Is(err, ErrClosed) {
		t.Errorf("normalisation: %v", err)
	}
}

func TestModelInputErrors(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no nodes": {Features: 1}, "negative step": {Nodes: 2, Features: 1, Equation: Equation{Step: -1}},
		"unknown times":         {Nodes: 2, Features: 1, Head: head.Nodes{At: "x"}},
		"negative width":        {Nodes: 2, Features: 1, Hidden: -3},
		"infinite step":         {Nodes: 2, Features: 1, Equation: Equation{Step: math.Inf(1)}},
		"unknown normalisation": {Nodes: 2, Features: 1, Input: Input{Normalise: "kipf"}},
		"adaptive":              {Nodes: 2, Features: 1, Equation: Equation{Adaptive: &ode.PID{RTol: -1}}},
		"loop":                  {Nodes: 2, Features: 1, Execution: Execution{Loop: "elsewhere"}},
		"unknown map":           {Nodes: 2, Features: 1, Field: field.PENG{Maps: []equivariant.Map{99}}},
		"maps that do not pair": {Nodes: 2, Features: 1, Field: field.PENG{DerivativeMaps: equivariant.All15()}},
		"other sizes":           {Nodes: 2, Features: 1, Field: field.PENG{Features: 7}},
		"features, graph only": {Nodes: 2, Features: 1, Input: Input{GraphOnly: true},
			Field: field.PENG{Features: 1}},
		"a pointer": {Nodes: 2, Features: 1, Field: &field.PENG{}},
		"summed, parity": {Nodes: 2, Features: 1, Head: head.Summed{},
			Equation: Equation{Parity: true}},
		"huge width":           {Nodes: 2, Features: 1, Hidden: 1 << 40},
		"width that overflows": {Nodes: 2, Features: 1, Hidden: math.MaxInt},
		"huge depth":           {Nodes: 2, Features: 1, Layers: 1 << 40}, "huge outputs": {Nodes: 2, Features: 1,
			Outputs: 1 << 40},
		"outputs that overflow": {Nodes: 2, Features: 1, Outputs: math.MaxInt},
		"huge features":         {Nodes: 2, Features: 1 << 40},
		"features that overflow with a mask": {Nodes: 2, Features: math.MaxInt,
			Input: Input{Mask: path.Observed}},
		"huge graph": {Nodes: 1 << 40, Features: 1},
		"huge identities": {Nodes: 2, Features: 1,
			Field: field.PENG{Identities: equivariant.Identities{Size: 1 << 40}}},
		"identities that overflow": {Nodes: 2, Features: 1,
			Field: field.PENG{Identities: equivariant.Identities{Size: math.MaxInt}}},
		"huge table": {Nodes: 1 << 30, Features: 1,
			Field: field.PENG{Identities: equivariant.Identities{Size: 1, Kind: equivariant.IdentityTable}}},
		"huge fusion":       {Nodes: 1 << 30, Features: 1, Field: field.PreMult{}},
		"huge all together": {Nodes: 2, Features: 1 << 19, Hidden: 1 << 20, Layers: 1 << 10, Outputs: 1 << 20},
		"unknown path":      {Nodes: 2, Features: 1, Equation: Equation{Path: "cubic"}},
	} {
		if _, err := New(xlatest.Go(t), cfg); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
	for name, backend := range map[string]*xla.Backend{"no backend": nil, "zero backend": {}} {
		_, made := New(backend, Config{Nodes: 2, Features: 1})
		_, loaded := Load(backend, "none")
		if !errors.Is(made, ErrInput) || !errors.Is(made, xla.ErrNotOpen) || !errors.Is(loaded, ErrInput) ||
			!errors.Is(loaded, xla.ErrNotOpen) {
			t.Errorf("%s: New %v, Load %v, want ErrInput and xla.ErrNotOpen", name, made, loaded)
		}
	}
	m, split := ringModel(t, func(c *Config) { c.Nodes = 7 }), ringSplit(t)
	if _, err := m.Fit(context.Background(), split.Train, split.Validation, train.Config{}); !errors.Is(err, ErrInput) {
		t.Errorf("series of other size: %v, want ErrInput", err)
	}
	if _, err := m.Fit(context.Background(), nil, split.Validation, train.Config{}); !errors.Is(err, ErrInput) {
		t.Errorf("no windows: %v, want ErrInput", err)
	}
	negative := *split.Train[0].Series
	negative.Weights = slices.Clone(negative.Weights)
	negative.Weights[1] = slices.Repeat([]float64{-3}, negative.Pattern.Edges())
	w := split.Train[0]
	for name, c := range map[string]struct {
		change func(*Config)
		window dyngraph.Window
	}{
		"too many steps":         {func(c *Config) { c.Step = 1e-9 }, w},
		"memory below one state": {func(c *Config) { c.Memory.Bytes = 1 }, w},
		"weights below 0, logged": {func(c *Config) { c.Normalise = dyngraph.Log }, dyngraph.Window{Series: &negative,
			Length: w.Length}},
	} {
		m := ringModel(t, c.change)
		if _, err := m.Fit(context.Background(), []dyngraph.Window{c.window}, split.Validation,
			train.Config{Epochs: 1}); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}

func TestEveryParameterLearns(t *testing.T) {
	backend := xlatest.Go(t)
	for _, c := range []struct {
		field  field.Field
		parity bool
		path   path.Kind
	}{{field.PENG{}, false, ""}, {field.PENG{}, true, ""}, {field.PENG{Maps: equivariant.All15()}, false, path.Natural},
		{published11(), false, path.Ramp}, {field.Constant{}, false, ""}, {field.Constant{}, true, ""},
		{field.Original{}, false, path.Linear}, {field.Adjacency{}, false, ""}, {field.PreMult{}, true, ""}, {field.GNODE{},
			true, ""}, {rivals.STGNCDE{}, false, ""}, {rivals.STGNCDE{}, true, path.Linear}} {
		m := ringModelOn(t, backend, func(cfg *Config) {
			cfg.Field, cfg.Parity, cfg.Float64, cfg.Path = c.field, c.parity, true, c.path
		})
		batches, err := batches(m.backend, 2, source{m, ringSplit(t).Train, nil})
		if err != nil {
			t.Fatal(err)
		}
		_, gradients, err := gradientOf(context.Background(), m.network, m.params, batches[0])
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range m.declared {
			if !slices.ContainsFunc(host.Floats(gradients[i]), func(g float64) bool { return g != 0 }) {
				t.Errorf("%T, parity %v: the gradient of %s is 0", c.field, c.parity, p.Name)
			}
		}
		for _, b := range batches {
			b.free()
		}
	}
}
