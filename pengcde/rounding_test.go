package pengcde

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// complete is a series with all edges between its nodes, of weight 0 where it had none.
func complete(t *testing.T, s *dyngraph.Series) *dyngraph.Series {
	t.Helper()
	all := *s
	var from, to []int
	for u := range s.Nodes() {
		for v := range s.Nodes() {
			if u != v {
				from, to = append(from, u), append(to, v)
			}
		}
	}
	pattern, index, err := dyngraph.NewPattern(s.Nodes(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	all.Pattern, all.Weights = pattern, nil
	for _, weights := range s.Weights {
		row := make([]float64, pattern.Edges())
		for e := range from {
			for i, w := range weights {
				if int(s.Pattern.From[i]) == from[e] && int(s.Pattern.To[i]) == to[e] {
					row[index[e]] = w
				}
			}
		}
		all.Weights = append(all.Weights, row)
	}
	return &all
}

// computed holds the forecasts of windows and the gradient of the loss.
type computed struct{ forecasts, gradient []float64 }

func computedBy(t *testing.T, m *Model, windows []dyngraph.Window) (c computed) {
	t.Helper()
	ctx := context.Background()
	all, err := m.PredictAll(ctx, windows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		c.forecasts = append(c.forecasts, one.Values...)
	}
	made, err := batches(m.backend, len(windows), source{model: m, windows: windows})
	if err != nil {
		t.Fatal(err)
	}
	defer freeAll(made)
	_, gradient, err := gradientOf(ctx, m.network, m.params, made[0])
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(gradient...)
	for _, x := range gradient {
		c.gradient = append(c.gradient, host.Floats(x)...)
	}
	return c
}

// steered lets the steps of a model without compiled programs be given: a row of ends for each window of a batch.
func steered(t *testing.T, m *Model) (follow func(ends [][]float64)) {
	t.Helper()
	own := func(e *equation) *control {
		c := &control{e.stepSize}
		e.stepSize = c
		return c
	}
	whole := own(equationOf(m.network))
	g, ok := m.network.(*groups)
	if !ok {
		return func(ends [][]float64) { whole.StepSize = ode.Given{Ends: ends} }
	}
	if err := g.open(); err != nil {
		t.Fatal(err)
	}
	var members []*control
	for _, one := range g.members {
		members = append(members, own(one.equation))
	}
	return func(ends [][]float64) {
		bounds := g.bounds(len(ends))
		for i, end := range bounds[1:] {
			members[i].StepSize = ode.Given{Ends: ends[bounds[i]:end]}
		}
	}
}

// apart is the largest difference, relative to the largest number.
func apart(got, want []float64) float64 {
	difference, largest := 0.0, 0.0
	for i := range want {
		difference, largest = max(difference, math.Abs(got[i]-want[i])), max(largest, math.Abs(want[i]))
	}
	return difference / largest
}

// Changes in the order of summation (groups, another backend or product, edges of weight 0) change forecasts and
// gradients only by rounding if the steps are the same. Adaptive steps follow an error estimate, which rounding changes
// and which is steep where a layer has kinks, so they end elsewhere. Forecasts then change by about the error of the
// solver, and gradients, which tolerances do not bound, by more.
func TestRoundingMovesAdaptiveSteps(t *testing.T) {
	const rtol = 1e-6
	split, ctx := ringSplit(t), context.Background()
	windows := split.Train[:2]
	padded := slices.Clone(windows)
	for i := range padded {
		padded[i].Series = complete(t, windows[0].Series)
	}
	model := func(backend *xla.Backend, rtol float64, change func(*Config)) *Model {
		return ringModelOn(t, backend, func(c *Config) {
			c.Layers, c.Hidden, c.Step, c.Product = 2, 16, 0, equivariant.Sparse
			c.Adaptive = &ode.PID{RTol: rtol, ATol: rtol / 1000}
			change(c)
		})
	}
	double, single := func(c *Config) { c.Float64 = true }, func(c *Config) { c.Float64 = false }
	base := model(xlatest.Go(t), rtol, double)
	steps, err := base.Steps(ctx, windows)
	if err != nil {
		t.Fatal(err)
	}
	var ends [][]float64
	for _, s := range steps {
		ends = append(ends, s.Ends)
	}
	want := computedBy(t, base, windows)
	exact := computedBy(t, model(xlatest.Go(t), rtol/100, double), windows)
	solver := apart(want.forecasts, exact.forecasts)
	t.Logf("the solver errs by %.1e in forecasts and %.1e in the gradient", solver, apart(want.gradient, exact.gradient))

	for _, c := range []struct {
		name      string
		backend   *xla.Backend
		change    func(*Config)
		windows   []dyngraph.Window
		tolerance float64 // by the same steps
	}{
		{"dense", xlatest.Go(t), func(c *Config) { c.Float64, c.Product = true, equivariant.Dense }, windows, 1e-12},
		{"edges of weight 0", xlatest.Go(t), double, padded, 1e-12},
		{"groups", xlatest.Backend(t), func(c *Config) { c.Float64, c.Groups = true, 2 }, windows, 1e-12},
		{"float32", xlatest.Go(t), single, windows, 1e-4},
	} {
		m := model(c.backend, rtol, c.change)
		follow := steered(t, m)
		own := computedBy(t, m, c.windows)
		follow(ends)
		same := computedBy(t, m, c.windows)
		forecasts, gradient := apart(own.forecasts, want.forecasts), apart(own.gradient, want.gradient)
		rounding := max(apart(same.forecasts, want.forecasts), apart(same.gradient, want.gradient))
		t.Logf("%s: by own steps forecasts are %.1e apart and gradients %.1e, by the same both are %.1e", c.name, forecasts,
			gradient, rounding)
		if !(rounding <= c.tolerance) {
			t.Errorf("%s: by the same steps results are %g apart, want rounding, at most %g", c.name, rounding, c.tolerance)
		}
		if gradient <= 1e-9 {
			t.Errorf("%s: by their own steps gradients are %g apart, as if rounding no longer moved steps: if that is so for "+
				"all, docs/tolerances.md is to say it", c.name, gradient)
		}
		if !(forecasts <= 20*solver) {
			t.Errorf("%s: by their own steps forecasts are %g apart, want about what the solver errs, %g", c.name, forecasts,
				solver)
		}
	}
}
