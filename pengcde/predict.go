package pengcde

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// ErrPastLast is wrapped by forecasts at a time after a window's last input: no observation drives the state there.
var ErrPastLast = errors.New("time after the last observation")

// Option changes a forecast.
type Option func(*example)

// HoldControl lets a forecast go on after the window's last input, with graph and features held at their last values.
func HoldControl() Option {
	return func(e *example) { e.sample.Hold = true }
}

// Predict returns forecasts [times][nodes][outputs] from a window's inputs. Times are in the unit of the series, from 0
// at the window's first input, and do not decrease. The forecast at the time of the last input is the one that [Model.Fit]
// compares with the window's target; earlier times give the forecast as it forms. The control between two inputs is
// interpolated, so a time between them makes use of the later one.
func (m *Model) Predict(ctx context.Context, w dyngraph.Window, times []float64, options ...Option) ([][][]float64, error) {
	e, err := m.example(w, times...)
	if err != nil {
		return nil, err
	}
	for _, option := range options {
		option(&e)
	}
	last := e.sample.Knots[len(e.sample.Knots)-1]
	for i, t := range times {
		switch {
		case math.IsNaN(t) || t < 0 || i > 0 && t < times[i-1]:
			return nil, fmt.Errorf("pengcde: forecast time %d is %g, want times from 0 that do not decrease: %w", i, t, ErrInput)
		case t > last && !e.sample.Hold:
			return nil, fmt.Errorf("pengcde: forecast time %g, but the last input of the window is at %g; pass HoldControl() to hold graph and features there: %w",
				t, last, ErrPastLast)
		}
	}
	if len(times) == 0 {
		return nil, nil
	}
	b, err := newBatch(m.config, []example{e})
	if err != nil {
		return nil, err
	}
	defer b.free()
	flat, err := m.network.forecast(ctx, m.params, b)
	if err != nil {
		return nil, err
	}
	return m.unflatten(flat)[1:], nil
}

// Forecast is Predict at the time of the window's last input: the forecast of its target, [nodes*outputs] row-major.
// A model with Parity gives one forecast for the whole graph, repeated for every node.
func (m *Model) Forecast(ctx context.Context, w dyngraph.Window) ([]float64, error) {
	times := w.InputTimes()
	states, err := m.Predict(ctx, w, times[len(times)-1:])
	if err != nil {
		return nil, err
	}
	flat := make([]float64, 0, m.config.Nodes*m.config.Outputs)
	for _, node := range states[0] {
		flat = append(flat, node...)
	}
	return flat, nil
}

// unflatten makes [times][nodes][outputs] of row-major forecasts; one forecast for the graph is repeated.
func (m *Model) unflatten(flat []float64) [][][]float64 {
	q, n := m.config.Outputs, m.config.Nodes
	rows := n
	if m.network.measure == global {
		rows = 1
	}
	out := make([][][]float64, len(flat)/(rows*q))
	for s := range out {
		out[s] = make([][]float64, n)
		for u := range out[s] {
			at := (s*rows + u%rows) * q
			out[s][u] = flat[at : at+q : at+q]
		}
	}
	return out
}
