package pengcde

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrPastLast is wrapped by forecasts at a time after a window's last input: no observation drives the state there.
var ErrPastLast = errors.New("time after the last observation")

// Option changes a forecast.
type Option func(*prediction)

// HoldControl lets a forecast go on after the window's last input: graph and features are held at their last values, while
// the time channel goes on.
func HoldControl() Option { return func(p *prediction) { p.hold = true } }

// prediction are the options of a forecast.
type prediction struct{ hold bool }

// Predict returns forecasts [times][nodes][outputs] from a window's inputs. Times are in the unit of the series, from 0
// at the window's first input, and do not decrease. The forecast at the time of the last input is the one that [Model.Fit]
// compares with the window's target; earlier times give the forecast as it forms. The control between two inputs is
// interpolated, so a time between them makes use of the later one. Missing features are filled as [Model.Fit] says. A forecast
// does not depend on the other times asked for, but for those after the last input.
func (m *Model) Predict(ctx context.Context, w dyngraph.Window, times []float64, options ...Option) ([][][]float64, error) {
	if err := m.check(w); err != nil {
		return nil, err
	}
	var p prediction
	for i, option := range options {
		if option == nil {
			return nil, invalid("option %d of Predict is nil, want one such as HoldControl()", i)
		}
		option(&p)
	}
	inputs := w.InputTimes()
	last := inputs[len(inputs)-1]
	within := 0 // times up to the last input
	for i, t := range times {
		switch {
		case math.IsNaN(t) || math.IsInf(t, 0) || t < 0 || i > 0 && t < times[i-1]:
			return nil, invalid("forecast time %d is %g, want finite times from 0 that do not decrease", i, t)
		case t <= last:
			within++
		case !p.hold:
			return nil, fmt.Errorf("pengcde: forecast time %g, but the last input of the window is at %g; "+
				"pass HoldControl() to hold graph and features there: %w",
				t, last, ErrPastLast)
		}
	}
	e, err := m.example(w, append(times[:within:within], last)...)
	if err != nil {
		return nil, err
	}
	flat, z, err := m.forecast(ctx, e, nil)
	if err != nil {
		return nil, err
	}
	defer xla.Free(z)
	forecasts := m.unflatten(w, flat)[1 : 1+within]
	if within == len(times) {
		return forecasts, nil
	}
	e.times, e.sample.Hold = append([]float64{last}, times[within:]...), true
	flat, after, err := m.forecast(ctx, e, z)
	if err != nil {
		return nil, err
	}
	xla.Free(after)
	return append(forecasts, m.unflatten(w, flat)[1:]...), nil
}

// forecast solves one example, from state z [1, n, hidden] or from its encoded features where z is nil, and returns its
// forecasts, row-major, and the state at the end.
func (m *Model) forecast(ctx context.Context, e example, z *tensors.Tensor) ([]float64, *tensors.Tensor, error) {
	b, err := newBatch(m.backend, m.config, []example{e})
	if err != nil {
		return nil, nil, err
	}
	defer b.free()
	return m.network.forecast(ctx, m.params, b, z)
}

// Forecast is Predict at the time of the window's last input: the forecast of its target, [nodes*outputs] row-major.
// A model with Parity gives one forecast for the whole graph, repeated for every node.
func (m *Model) Forecast(ctx context.Context, w dyngraph.Window) ([]float64, error) {
	if err := m.check(w); err != nil {
		return nil, err
	}
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

// unflatten makes [times][nodes][outputs] of a window's row-major forecasts; one forecast for the graph is repeated.
func (m *Model) unflatten(w dyngraph.Window, flat []float64) [][][]float64 {
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
			if m.config.Residual {
				floats.Add(out[s][u], m.recent(w)[u*q:(u+1)*q])
			}
		}
	}
	return out
}
