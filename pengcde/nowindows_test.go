package pengcde

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// No windows, and windows of no series, are an error that wraps ErrInput wherever windows go, with every head.
func TestNoWindows(t *testing.T) {
	first := func(s *dyngraph.Series) dyngraph.Window {
		windows, err := s.Windows(4, 1).List()
		if err != nil {
			t.Fatal(err)
		}
		return windows[0]
	}
	seen, traded := first(visibleRing(t)), first(trade(t, []int{0, 1, 2, 3, 4, 5}))
	toClasses := func(c *Config) { c.Head, c.Outputs, c.Features = head.Ranking{}, tradeClasses, 1 }
	for name, c := range map[string]struct {
		change func(*Config)
		window dyngraph.Window // accepted by the model except for its targets
	}{
		"node":               {func(*Config) {}, seen},
		"time":               {func(c *Config) { c.Head = head.Nodes{At: head.AtEach} }, seen.Series.Whole()},
		"graph":              {func(c *Config) { c.Head = head.Summed{} }, seen},
		"class":              {func(c *Config) { c.Head, c.Outputs = head.Class{}, 2 }, seen},
		"affinity":           {toClasses, traded},
		"affinity, residual": {func(c *Config) { toClasses(c); c.Head = head.Ranking{Residual: true} }, traded},
		"residual":           {func(c *Config) { c.Head = head.Nodes{Residual: true} }, seen},
		"linear":             {withLinear, seen},
		"linear and residual": {func(c *Config) {
			withLinear(c)
			corrected(func(h *head.Corrected) { h.Residual = true })(c)
		}, seen},
		"discrete": {func(c *Config) {
			c.Network, c.Hidden, c.Layers, c.Step = rivals.DCRNN{Hidden: 3, Order: 2}, 0, 0, 0
		}, seen},
	} {
		m := ringModelOn(t, xlatest.Go(t), c.change)
		var lists [][]dyngraph.Window
		for _, none := range []dyngraph.Window{{}, {Length: 4}, {Length: 4, Whole: true}, (*dyngraph.Series)(nil).Whole(),
			{Series: &dyngraph.Series{}, Length: 4}} {
			lists = append(lists, []dyngraph.Window{none}, []dyngraph.Window{c.window, none})
		}
		for i, list := range append(lists, nil, []dyngraph.Window{}) {
			for what, err := range withWindows(m, c.window, list) {
				if !errors.Is(err, ErrInput) {
					t.Errorf("%s, %s of list %d: %v, want ErrInput", name, what, i, err)
				}
			}
		}
	}
}

// withWindows returns the errors of all methods that take a list of windows. The model can take the first window; list
// may be empty.
func withWindows(m *Model, window dyngraph.Window, list []dyngraph.Window) map[string]error {
	ctx, once := context.Background(), train.Config{Epochs: 1, EvaluateEvery: -1}
	failures := make(map[string]error)
	try := func(what string, f func() error) {
		var err error
		if panicked := panics.Catch(func() { err = f() }); panicked != nil {
			err = fmt.Errorf("a panic: %w", panicked)
		}
		failures[what] = err
	}
	try("Fit", func() error { _, err := m.Fit(ctx, list, nil, once); return err })
	try("validation", func() error {
		_, err := m.Fit(ctx, []dyngraph.Window{window}, list, train.Config{Epochs: 1})
		return err
	})
	try("FitSeeds", func() error {
		_, err := FitSeeds(ctx, []SeedRun{{Model: m, Training: list, Config: once}})
		return err
	})
	try("PredictAll", func() error { _, err := m.PredictAll(ctx, list, nil); return err })
	if len(list) > 0 {
		last := list[len(list)-1]
		try("Predict", func() error { _, err := m.Predict(ctx, last, nil); return err })
		try("Predict beyond", func() error { _, err := m.Predict(ctx, last, []float64{9}, HoldControl()); return err })
	}
	try("Steps", func() error { _, err := m.Steps(ctx, list); return err })
	try("Plan", func() error { _, err := m.Plan(list, 1, 0); return err })
	try("Linear.Solve", func() error { _, err := head.Linear{Values: 3}.Solve(list); return err })
	return failures
}
