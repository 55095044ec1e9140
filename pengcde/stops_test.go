package pengcde

import (
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Adaptive steps end next to changes of the control and constant steps end where the field jumps, but not if there are
// none or with Parity.
func TestAdaptiveStepsEndBesideChanges(t *testing.T) {
	window := ringSplit(t).Train[0]
	series := *window.Series
	series.Weights = slices.Repeat(series.Weights[:1], len(series.Weights))
	series.Features = slices.Repeat(series.Features[:1], len(series.Features))
	still := window
	still.Series = &series
	for _, c := range []struct {
		what   string
		change func(*Config)
		want   int // of the three knots of a window that changes at every snapshot
	}{
		{"adaptive", func(c *Config) { c.Adaptive = &ode.PID{} }, 3},
		{"constant steps", func(*Config) {}, 0},
		{"constant steps, straight lines", func(c *Config) { c.Path = path.Linear }, 3},
		{"gn-ode", func(c *Config) { c.Adaptive, c.Field = &ode.PID{}, field.GNODE{} }, 2},
		{"gn-ode, constant steps", func(c *Config) { c.Field = field.GNODE{} }, 2},
		{"parity", func(c *Config) { c.Adaptive, c.Parity = &ode.PID{}, true }, 0},
		{"constant field", func(c *Config) { c.Adaptive, c.Field = &ode.PID{}, field.Constant{} }, 0},
	} {
		config := Config{Nodes: series.Nodes(), Features: series.FeatureSize}
		c.change(&config)
		m, err := New(xlatest.Go(t), config)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		moving, err := m.sample(window, false, validated{})
		if err != nil {
			t.Fatal(err)
		}
		if len(moving.stops) != c.want {
			t.Errorf("%s: steps end at %v, want %d times", c.what, moving.stops, c.want)
		}
		quiet, err := m.sample(still, false, validated{})
		if err != nil {
			t.Fatal(err)
		}
		if len(quiet.stops) != 0 {
			t.Errorf("%s: steps end at %v though nothing changes", c.what, quiet.stops)
		}
	}
}
