package pengcde

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
)

// The law of a model is its equation: integrated by hand on a constant graph, and with the jump at an event, it gives
// the model's forecasts.
func TestLawIsTheModelsEquation(t *testing.T) {
	config := LinearLaw(3)
	config.Float64, config.Seed = true, 4
	config.Adaptive.RTol, config.Adaptive.ATol = 1e-9, 1e-11
	maps := equivariant.All15()
	affine := config.Field.(field.PENG)
	affine.Maps = maps
	config.Field = affine
	m, err := New(xlatest.Go(t), config)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	series := events(t, map[int]float64{5: 0.9})
	whole := series.Whole()
	law, err := m.Law([]dyngraph.Window{whole})
	if err != nil {
		t.Fatal(err)
	}
	forecasts, err := m.Predict(context.Background(), whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := slices.Clone(forecasts.Row(0))
	slope := func(x, a, change []float64) []float64 { // per unit of time, with change per unit of time
		states := append([]float64{}, x...)
		floats.AddConst(-law.Offset, states)
		dx := make([]float64, 3)
		floats.AddScaled(dx, law.State, states)
		for _, term := range law.Terms {
			of := a
			if term.Change {
				of = change
			}
			floats.AddScaled(dx, term.Coefficient, term.Map.Act(series.Pattern, of, states))
		}
		return dx
	}
	none := make([]float64, 4)
	// Where total and trace change, their mean over snapshots is not the law of each snapshot, so compare up to the
	// event.
	for k := 1; k < 5; k++ {
		const steps = 2000
		h := (series.Times[k] - series.Times[k-1]) / steps
		for range steps {
			middle := append([]float64{}, x...)
			floats.AddScaled(middle, h/2, slope(x, series.Weights[0], none))
			floats.AddScaled(x, h, slope(middle, series.Weights[0], none))
		}
		for u := range x {
			if got := forecasts.At(k, u, 0); !(math.Abs(got-x[u]) <= 1e-4*(1+math.Abs(got))) {
				t.Errorf("node %d at %g: forecast %g, the law gives %g", u, series.Times[k], got, x[u])
			}
		}
	}
	if text := law.String(); strings.Count(text, "\n") != 2+len(law.Terms) || len(law.Terms) != 2*len(maps)-2 {
		t.Errorf("law of %d terms:\n%s", len(law.Terms), text)
	}
	if got := law.Coefficient(equivariant.IdentityMap, false); got == 0 {
		t.Error("no coefficient of A")
	}
}

func TestLawOfOtherModels(t *testing.T) {
	m := rectilinearModel(t)
	if _, err := m.Law([]dyngraph.Window{events(t, nil).Whole()}); !errors.Is(err, ErrInput) {
		t.Errorf("law of a field with a norm: %v, want ErrInput", err)
	}
	for _, c := range []struct {
		want   string
		change func(*Config)
	}{
		{"Head", func(c *Config) { c.Head = head.Summed{} }},
		{"Head", func(c *Config) { c.Parity = true }}, // the head compares all nodes
		{"Hidden", func(c *Config) { c.Hidden = 2 }},
		{"Field", func(c *Config) { c.Field = field.Affine() }},
	} {
		config := LinearLaw(3)
		c.change(&config)
		other, err := New(xlatest.Go(t), config)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		_, err = other.Law([]dyngraph.Window{events(t, nil).Whole()})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "Config."+c.want) {
			t.Errorf("law of a model with another %s: %v", c.want, err)
		}
	}
	linear, err := New(xlatest.Go(t), LinearLaw(3))
	if err != nil {
		t.Fatal(err)
	}
	defer linear.Close()
	if _, err := linear.Law(nil); !errors.Is(err, ErrInput) {
		t.Errorf("law by no windows: %v, want ErrInput", err)
	}
	if _, err := linear.Law([]dyngraph.Window{{Series: events(t, nil), Length: 4}}); !errors.Is(err, ErrInput) {
		t.Errorf("law by a window: %v, want ErrInput", err)
	}
	linear.Close()
	if _, err := linear.Law([]dyngraph.Window{events(t, nil).Whole()}); !errors.Is(err, ErrClosed) {
		t.Errorf("law of a closed model: %v, want ErrClosed", err)
	}
}
