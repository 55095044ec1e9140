package pengcde

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// movers is ring with weights of up to 1e5, as of people who move.
func movers(t *testing.T) *dyngraph.Series {
	t.Helper()
	s := ring(t)
	s.Name = "movers"
	for _, row := range s.Weights {
		for e := range row {
			row[e] = math.Round(math.Exp(row[e]*3.8) + 1) // 2 ± 1 before
		}
	}
	return s
}

// Each model warns once of a large control, whichever method comes first, and does not warn of the same weights
// normalised.
func TestNoticeOfALargeControl(t *testing.T) {
	s, ctx := movers(t), context.Background()
	w := dyngraph.Window{Series: s, Start: 2, Length: 4}
	for name, c := range map[string]struct {
		control dyngraph.Normalisation
		do      func(m *Model) error
		lines   int
	}{
		"forecasts": {dyngraph.Raw, func(m *Model) error {
			forecast(t, m, w)
			_, err := m.Predict(ctx, w, []float64{1})
			return err
		}, 1},
		"training": {dyngraph.Raw, func(m *Model) error {
			_, err := m.Fit(ctx, []dyngraph.Window{w}, nil, train.Config{Epochs: 1, EvaluateEvery: -1})
			return err
		}, 1},
		"plan":       {dyngraph.Raw, func(m *Model) error { _, err := m.Plan([]dyngraph.Window{w}, 1, 0); return err }, 1},
		"trajectory": {dyngraph.Raw, func(m *Model) error { _, err := m.Predict(ctx, s.Whole(), nil); return err }, 1},
		"another control, and back": {dyngraph.Raw, func(m *Model) error {
			forecast(t, m, w)
			m.Reset(2)
			forecast(t, m, w)
			other := m.SetNormalise(dyngraph.Log)
			forecast(t, m, w)
			back := m.SetNormalise(dyngraph.Raw)
			forecast(t, m, w)
			return errors.Join(other, back)
		}, 2},
		"log":        {dyngraph.Log, func(m *Model) error { forecast(t, m, w); return nil }, 0},
		"normalised": {dyngraph.NormalisedLaplacian, func(m *Model) error { forecast(t, m, w); return nil }, 0},
	} {
		var notices bytes.Buffer
		m := ringModel(t, func(cfg *Config) { cfg.Normalise, cfg.Notices, cfg.Float64 = c.control, &notices, true })
		if err := c.do(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := notices.String()
		if strings.Count(text, "\n") != c.lines || c.lines > 0 &&
			!strings.Contains(text, `control raw of series "movers": the entries of node`) {
			t.Errorf("%s: %q, want %d lines on the control", name, text, c.lines)
		}
	}
	if name := difference(Config{Execution: Execution{Notices: &bytes.Buffer{}}}, Config{}); name != "" {
		t.Errorf("models that differ in %s alone are not trained together", name)
	}
}

// A model warns once of a feature that was not standardised and names its position. Other features give no warning, and
// missing features do no harm.
func TestNoticeOfLargeFeatures(t *testing.T) {
	for name, c := range map[string]struct {
		value float64
		want  string
	}{
		"of order 1":           {3, ""},
		"below a thousand":     {-999, ""},
		"missing":              {math.NaN(), ""},
		"a thousand":           {1000, "feature 1 of node 4 is 1e+03 in snapshot 3 of series \"ring\""},
		"negative, and larger": {-2.5e6, "feature 1 of node 4 is -2.5e+06 in snapshot 3 of series \"ring\""},
	} {
		s, ctx := ring(t), context.Background()
		s.Name = "ring"
		s.Features[3][4*ringFeatures+1] = c.value
		var notices bytes.Buffer
		m := ringModel(t, func(cfg *Config) { cfg.Notices = &notices })
		w := dyngraph.Window{Series: s, Start: 2, Length: 4}
		for range 2 {
			_, err := m.Fit(ctx, []dyngraph.Window{w}, nil, train.Config{Epochs: 1, EvaluateEvery: -1})
			if err != nil && !errors.Is(err, train.ErrNotFinite) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		lines := min(1, len(c.want))
		if text := notices.String(); strings.Count(text, "\n") != lines || !strings.Contains(text, c.want) ||
			lines > 0 && !strings.Contains(text, "Standardise each feature") {
			t.Errorf("%s: %q, want %d lines with %q", name, text, lines, c.want)
		}
	}
}

// A training warns once of weights that the self-loops of its normalisation hide, for models that see the graph and in
// words that count edges between nodes alone. Forecasts and other normalisations give no warning.
func TestNoticeOfSmallWeights(t *testing.T) {
	const says = "in series \"small\" the weights from a node sum to 0.00" // 0.002 to 0.006
	times := func(factor float64) *dyngraph.Series {
		s := ring(t)
		s.Name = "small"
		for _, row := range s.Weights {
			for e := range row {
				row[e] *= factor // 2 ± 1 before
			}
		}
		return s
	}
	for name, c := range map[string]struct {
		factor float64
		change func(c *Config)
		want   bool
	}{
		"laplacian":                {1e-3, func(*Config) {}, true},
		"adjacency":                {1e-3, func(c *Config) { c.Normalise = dyngraph.NormalisedAdjacency }, true},
		"weights of order 1":       {1, func(*Config) {}, false},
		"mean degree":              {1e-3, func(c *Config) { c.Normalise = dyngraph.MeanDegree }, false},
		"raw":                      {1e-3, func(c *Config) { c.Normalise = dyngraph.Raw }, false},
		"no graph":                 {1e-3, func(c *Config) { c.Field = field.Constant{} }, false},
		"no graph, but rows of it": {1e-3, func(c *Config) { c.Field, c.RowFeatures = field.Constant{}, 2 }, true},
		"STGNCDE":                  {1e-3, func(c *Config) { c.Field = rivals.STGNCDE{} }, false},
		"no edges":                 {0, func(*Config) {}, false},
	} {
		var notices bytes.Buffer
		m := ringModelOn(t, xlatest.Go(t), func(cfg *Config) {
			cfg.Notices, cfg.Layers = &notices, 1
			c.change(cfg)
		})
		w := dyngraph.Window{Series: times(c.factor), Start: 2, Length: 4}
		forecast(t, m, w)
		if notices.Len() > 0 {
			t.Errorf("%s: a forecast warns of %s", name, &notices)
		}
		for range 2 {
			if _, err := m.Fit(context.Background(), []dyngraph.Window{w, {Series: w.Series, Start: 5, Length: 4}}, nil,
				train.Config{Epochs: 1, EvaluateEvery: -1}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		lines := 0
		if c.want {
			lines = 1
		}
		if text := notices.String(); strings.Count(text, "\n") != lines || c.want && (!strings.Contains(text, says) ||
			!strings.Contains(text, "multiply the weights by about ")) {
			t.Errorf("%s: %q, want %d lines that say %q", name, text, lines, says)
		}
	}
}

// With another numbering of the nodes, forecasts by the same steps differ only by rounding, with raw weights too. With
// adaptive steps they differ by up to about the solver's error, because rounding changes the error estimate that
// selects the steps.
func TestRelabelledRawControl(t *testing.T) {
	s := movers(t)
	order := []int{3, 0, 5, 1, 4, 2} // ringNodes of them
	other := *s
	var from, to []int
	for e := range s.Pattern.From {
		from, to = append(from, order[s.Pattern.From[e]]), append(to, order[s.Pattern.To[e]])
	}
	pattern, index, err := dyngraph.NewPattern(ringNodes, from, to)
	if err != nil {
		t.Fatal(err)
	}
	other.Pattern, other.Weights, other.Features = pattern, nil, nil
	for k := range s.Times {
		weights, features := make([]float64, pattern.Edges()), make([]float64, len(s.Features[k]))
		for e, w := range s.Weights[k] {
			weights[index[e]] = w
		}
		for u, at := range order {
			copy(features[at*ringFeatures:(at+1)*ringFeatures], s.Features[k][u*ringFeatures:])
		}
		other.Weights, other.Features = append(other.Weights, weights), append(other.Features, features)
	}
	for _, kind := range []field.Field{field.PENG{}, field.Original{}} {
		for name, c := range map[string]struct {
			adaptive  *ode.PID
			tolerance float64 // relative to the largest forecast
		}{"same steps": {nil, 1e-11}, "adaptive": {&ode.PID{}, 0.1}} {
			forecasts := func(s *dyngraph.Series) []float64 {
				m := ringModelOn(t, xlatest.Go(t), func(cfg *Config) {
					cfg.Field, cfg.Normalise, cfg.Float64, cfg.Notices = kind, dyngraph.Raw, true, &bytes.Buffer{}
					if cfg.Adaptive = c.adaptive; c.adaptive != nil {
						cfg.Step = 0
					}
				})
				return forecast(t, m, dyngraph.Window{Series: s, Start: 2, Length: 5})
			}
			want, relabelled := forecasts(s), forecasts(&other)
			got, largest := make([]float64, ringNodes), 0.0
			for u, at := range order {
				got[u], largest = relabelled[at], max(largest, math.Abs(relabelled[at]))
			}
			fixture.Close(t, field.Name(kind)+", "+name, got, want, c.tolerance*largest)
		}
	}
}
