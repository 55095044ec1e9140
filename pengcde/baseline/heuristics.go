package baseline

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrInput is wrapped by errors about windows that a heuristic cannot forecast. Errors about a window outside its
// series, or about a repeated value that is NaN, also wrap [dyngraph.ErrInvalid].
var ErrInput = errs.ErrInput

// ErrNotFitted is wrapped by forecasts that need [Forecaster.Fit] first.
var ErrNotFitted = errors.New("not fitted")

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/baseline: %s", fmt.Sprintf(format, args...))
}

// Forecaster forecasts the target of a window, [nodes*TargetSize] row-major by node, from its inputs.
type Forecaster interface {
	Name() string
	// Fit learns from training windows and makes its choices on validation windows, which may be empty; heuristics that
	// learn nothing accept any windows.
	Fit(training, validation []dyngraph.Window) error
	Forecast(w dyngraph.Window) ([]float64, error)
}

// Heuristics returns all forecasters of this package: [Zero], [TrainingMean], [Persistence], [RecentMean], and [Ridge]
// with the default penalty, with a chosen one, and with neighbours.
func Heuristics() []Forecaster {
	return []Forecaster{Zero{}, &TrainingMean{}, Persistence{}, RecentMean{}, &Ridge{}, &Ridge{Choose: true},
		&Ridge{Neighbours: true}}
}

// untrained is a heuristic that learns nothing.
type untrained struct{}

// Fit does nothing.
func (untrained) Fit(_, _ []dyngraph.Window) error { return nil }

// Zero forecasts 0, which for standardised targets is the mean over time of each node.
type Zero struct{ untrained }

func (Zero) Name() string { return "zero" }

// Forecast returns zeros.
func (Zero) Forecast(w dyngraph.Window) ([]float64, error) {
	if err := check("zero", w); err != nil {
		return nil, err
	}
	return make([]float64, w.Series.Nodes()*w.Series.TargetSize), nil
}

// TrainingMean forecasts the mean of all targets of the training windows, one number for each component of the target
// and the same for every node. Targets that are NaN were not observed and are left out.
type TrainingMean struct{ mean []float64 }

func (*TrainingMean) Name() string { return "training mean" }

// Fit takes the mean over windows and nodes.
func (m *TrainingMean) Fit(train, _ []dyngraph.Window) error {
	if len(train) == 0 {
		return invalid("training mean of no windows, want at least one")
	}
	var mean, count []float64
	for _, w := range train {
		if err := check("training mean", w); err != nil {
			return err
		}
		if mean == nil {
			mean, count = make([]float64, w.Series.TargetSize), make([]float64, w.Series.TargetSize)
		}
		target := w.Target()
		if len(target) == 0 || w.Series.TargetSize != len(mean) {
			return invalid("window at snapshot %d of series %q has %d targets of size %d, want some of size %d",
				w.Start, w.Series.Name, len(target), w.Series.TargetSize, len(mean))
		}
		for i, y := range target {
			if !math.IsNaN(y) {
				mean[i%len(mean)] += y
				count[i%len(mean)]++
			}
		}
	}
	for i := range mean {
		if count[i] == 0 {
			return invalid("target %d is NaN at every node of %d training windows, want one observed at least", i,
				len(train))
		}
		mean[i] *= 1 / count[i]
	}
	m.mean = mean
	return nil
}

// Forecast repeats the mean for every node.
func (m *TrainingMean) Forecast(w dyngraph.Window) ([]float64, error) {
	if m.mean == nil {
		return nil, errs.New(ErrNotFitted, "pengcde/baseline: training mean before Fit")
	}
	if err := check("training mean", w); err != nil {
		return nil, err
	}
	if size := w.Series.TargetSize; size != len(m.mean) {
		return nil, invalid("training mean of targets of size %d for series %q with targets of size %d", len(m.mean),
			w.Series.Name, size)
	}
	return slices.Repeat(m.mean, w.Series.Nodes()), nil
}

// Persistence repeats the newest value known at the last input, Series.LastObserved.
type Persistence struct{ untrained }

func (Persistence) Name() string { return "last value" }

// Forecast returns the newest value of each node.
func (Persistence) Forecast(w dyngraph.Window) ([]float64, error) {
	return known("last value", w.LastObserved)
}

// RecentMean forecasts each node's mean of its latest values known at the last input, Series.RecentMean.
type RecentMean struct{ untrained }

func (RecentMean) Name() string { return "recent mean" }

// Forecast returns the recent mean of each node.
func (RecentMean) Forecast(w dyngraph.Window) ([]float64, error) {
	return known("recent mean", w.RecentMean)
}

func known(name string, of func() ([]float64, error)) ([]float64, error) {
	values, err := of()
	if err != nil {
		return nil, errs.In("pengcde/baseline: "+name, err, ErrInput)
	}
	return slices.Clone(values), nil
}

// check returns an error if a window does not lie in its series.
func check(name string, w dyngraph.Window) error {
	if err := w.Validate(); err != nil {
		return errs.In("pengcde/baseline: "+name, err, ErrInput)
	}
	return nil
}
