package pengcde

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrPastLast is wrapped by the error for a forecast at a time after a window's last input, where no observation drives
// the state. It wraps [ErrInput].
var ErrPastLast = errs.New(ErrInput, "time after the last observation")

// Option changes a forecast.
type Option func(*prediction)

// HoldControl returns an option that allows forecasts after the window's last input: graph and features are held at
// their last values, while the time channel goes on. Times are times at which the state is read, not times of target
// snapshots: [Model.Fit] trains the forecast of a window's target at the last input, and nothing after it.
func HoldControl() Option { return func(p *prediction) { p.hold = true } }

// prediction holds the options of a forecast.
type prediction struct{ hold bool }

// Predict returns the forecasts for a window, from its inputs. Forecasts of Summed and Class are of one node, the
// graph; the outputs of Class and Ranking are logits of classes.
//
// Times are in the unit of the series, start from 0 at the window's first input, and do not decrease. nil means the
// times at which [Model.Fit] compares the forecasts with the window's targets: the time of the last input, or of every
// snapshot of a whole series. Earlier times show how the forecast forms. The control between two inputs is
// interpolated, so a forecast between them uses the later one. Missing features are filled as described in [Model.Fit].
//
// The result has At(time, node, output), in the unit of the targets of the series: standardised where the series is.
// The forecast of a node is NaN at times at which it is absent, see [dyngraph.Window.Present]. The sum of a graph
// without present nodes is 0.
//
// A forecast does not depend on the other times asked for, unless they are after the last input. A model with Parity
// that makes one forecast for the graph repeats it for every node.
func (m *Model) Predict(ctx context.Context, w dyngraph.Window, times []float64,
	options ...Option) (dyngraph.Forecasts, error) {
	var of [][]float64
	if times != nil {
		of = [][]float64{times}
	}
	all, err := m.PredictAll(ctx, []dyngraph.Window{w}, of, options...)
	if err != nil {
		return dyngraph.Forecasts{}, err
	}
	return all[0], nil
}

// PredictAll is Predict for a batch of windows in one solve. The windows have equal numbers of nodes, inputs and times;
// nil means the times of each window's targets.
func (m *Model) PredictAll(ctx context.Context, windows []dyngraph.Window, times [][]float64,
	options ...Option) ([]dyngraph.Forecasts, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	var p prediction
	for i, option := range options {
		if option == nil {
			return nil, invalid("option %d of Predict is nil, want one such as HoldControl()", i)
		}
		option(&p)
	}
	if len(windows) == 0 || times != nil && len(times) != len(windows) {
		return nil, invalid("%d windows with times for %d, want at least one window, and times for each or none",
			len(windows), len(times))
	}
	samples, asked, valid := make([]sample, len(windows)), make([][]float64, len(windows)), validated{}
	for b, w := range windows {
		var err error
		if samples[b], err = m.sample(w, false, valid); err != nil {
			return nil, err
		}
		if asked[b] = samples[b].taken.Times; times != nil {
			asked[b] = times[b]
		}
		if err := p.check(w, asked[b], samples[b].last()); err != nil {
			return nil, err
		}
		if len(asked[b]) == 0 || len(asked[b]) != len(asked[0]) {
			return nil, invalid("%d forecast times for window %d, %d for the first, want as many, at least one",
				len(asked[b]), b, len(asked[0]))
		}
	}
	values, err := m.network.predict(ctx, m, samples, asked)
	if err != nil {
		return nil, err
	}
	forecasts := make([]dyngraph.Forecasts, len(windows))
	for b, w := range windows {
		f := m.config.Head.Forecasts(w, slices.Clone(asked[b]), values[b])
		for t, at := range f.Times {
			if f.Nodes == w.Series.Nodes() && !m.config.Head.Traits().OfGraph {
				copy(f.Row(t), w.WithoutAbsent(at, f.Row(t)))
			}
		}
		forecasts[b] = f
	}
	return forecasts, nil
}

// check returns an error for times at which no forecast of a window can be made.
func (p prediction) check(w dyngraph.Window, times []float64, last float64) error {
	for i, t := range times {
		switch {
		case math.IsNaN(t) || math.IsInf(t, 0) || t < 0 || i > 0 && t < times[i-1]:
			return invalid("forecast time %d is %g, want finite times from 0 that do not decrease", i, t)
		case t > last && !p.hold:
			advice := ""
			if s := w.Series; w.Last() < len(s.Times) && t == s.Times[w.Last()]-s.Times[w.Start] {
				advice = fmt.Sprintf("; the target of this window is forecast at %g: pass nil times", last)
			}
			return errs.New(ErrPastLast, "pengcde: forecast time %g, but the last input of the window is at %g; "+
				"pass HoldControl() to hold graph and features there%s", t, last, advice)
		}
	}
	return nil
}

// predict solves to the times asked for and, with the control held, continues from the last inputs to the later times.
func (e *equation) predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error) {
	if e.head.Traits().LastInput {
		return e.predictLast(ctx, m, samples, asked)
	}
	// Whether the solve goes beyond the times asked for, or these go beyond the inputs.
	begin, end, later := false, false, false
	for b := range samples {
		s := &samples[b]
		last, final := s.last(), asked[b][len(asked[b])-1]
		begin, end, later = begin || asked[b][0] != 0, end || final < last, later || final > last
		for _, t := range asked[b] {
			s.times = append(s.times, min(t, last))
		}
	}
	from, count := 0, len(asked[0])
	for b := range samples {
		s := &samples[b]
		if begin {
			s.times, from = slices.Insert(s.times, 0, 0), 1
		}
		if end { // so that the steps do not depend on the times asked for
			s.times = append(s.times, s.last())
		}
	}
	flat, z, err := e.solveSamples(ctx, m, samples, nil)
	if err != nil {
		return nil, err
	}
	defer xla.Free(z)
	size := len(flat[0]) / len(samples[0].times)
	for b := range flat {
		flat[b] = flat[b][from*size : (from+count)*size]
	}
	if !later {
		return flat, nil
	}
	for b := range samples { // go on from the last inputs
		s := &samples[b]
		s.paths.Hold, s.times = true, []float64{s.last()}
		for _, t := range asked[b] {
			s.times = append(s.times, max(t, s.last()))
		}
	}
	held, after, err := e.solveSamples(ctx, m, samples, z)
	if err != nil {
		return nil, err
	}
	xla.Free(after)
	for b, s := range samples {
		for i, t := range asked[b] {
			if t > s.last() {
				copy(flat[b][i*size:(i+1)*size], held[b][(i+1)*size:])
			}
		}
	}
	return flat, nil
}

// predictLast returns the forecasts at the last inputs.
func (e *equation) predictLast(ctx context.Context, m *Model, samples []sample,
	asked [][]float64) ([][]float64, error) {
	for b := range samples {
		s := &samples[b]
		if len(asked[b]) != 1 || asked[b][0] != s.last() {
			return nil, invalid("forecasts at the times %g, but this head has them at the last input alone, %g", asked[b],
				s.last())
		}
		s.times = []float64{0, s.last()}
	}
	flat, z, err := e.solveSamples(ctx, m, samples, nil)
	if err != nil {
		return nil, err
	}
	xla.Free(z)
	return flat, nil
}

// solveSamples solves from states z [batch, n, hidden], or from the encoded features of the samples if z is nil. It
// returns the forecasts of each sample, row-major, and the states at the end.
func (e *equation) solveSamples(ctx context.Context, m *Model, samples []sample, z *tensors.Tensor) ([][]float64,
	*tensors.Tensor, error) {
	b, err := newBatch(m.backend, m.computing(), samples)
	if err != nil {
		return nil, nil, err
	}
	defer b.free()
	flat, z, err := e.forecast(ctx, m.params, b, z)
	if err != nil {
		return nil, nil, err
	}
	return slices.Collect(slices.Chunk(flat, len(flat)/len(samples))), z, nil
}
