package experiments

import (
	"context"
	"reflect"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Row is a row of a table: how its learner is made and trained.
type Row struct {
	// ID is what a shell calls it, Name is for people.
	ID, Name string
	// Note is among the [Report.Notes].
	Note string `json:"-"`
	// Train sets the training; it has no use for an Untrained model.
	Train train.Config `json:",omitzero"`
	// Untrained models take no time worth counting and need no backend, so that one stored run serves all backends.
	Untrained bool `json:",omitempty"`
	// Trials are the names of those that a [Tuned] model chooses from.
	Trials []string `json:"-"`
	// New makes a learner; the backend is nil for an Untrained model.
	New func(*xla.Backend) (Learner, error) `json:"-"`
	// Settings are all values that decide what a learner does, but for seed and data, as JSON has them. Learners of equal
	// settings share compiled programs, see [RunContext.Learner].
	Settings func() (any, error) `json:"-"`
}

// Learner learns to forecast from windows. [pengcde.Model] and the forecasts of package baseline become learners by
// [NetworkRow] and [BaselineRow], as [NetworkLearner] and [ForecastLearner].
type Learner interface {
	// Fit trains until config says so. What it learnt is kept also when ctx ends it.
	Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report, error)
	// Forecast returns for each window its forecasts at the times of its targets, row-major [times*nodes*outputs].
	Forecast(ctx context.Context, windows []dyngraph.Window) ([][]float64, error)
	// Parameters is the number of learnable entries.
	Parameters() int
	// Reset draws new parameters by a seed.
	Reset(seed uint64)
	Save(path string) error
	Close()
}

// Identity adds what decides a model's training, but for data and seed, to the identity of a run.
func (m Row) Identity(identity map[string]any) error {
	settings, err := m.Settings()
	if err != nil {
		return err
	}
	if m.Untrained {
		identity["forecast"] = settings
		return nil
	}
	config, err := m.Train.Resolved()
	if err != nil {
		return err
	}
	identity["model"], identity["train"] = settings, canonicalJSON(reflect.ValueOf(config))
	return nil
}

// NetworkRow is the row of a configuration of package pengcde.
func NetworkRow(id, name string, config pengcde.Config, training train.Config) Row {
	return Row{ID: id, Name: name, Train: training,
		New: func(backend *xla.Backend) (Learner, error) {
			model, err := pengcde.New(backend, config)
			if err != nil {
				return nil, err
			}
			return NetworkLearner{model}, nil
		},
		Settings: func() (any, error) {
			resolved, err := config.Resolved()
			return canonicalJSON(reflect.ValueOf(resolved)), err
		}}
}

// NetworkLearner is a [pengcde.Model] as a [Learner].
type NetworkLearner struct{ *pengcde.Model }

// Forecast implements [Learner].
func (l NetworkLearner) Forecast(ctx context.Context, windows []dyngraph.Window) ([][]float64, error) {
	all, err := l.PredictAll(ctx, windows, nil)
	if err != nil {
		return nil, err
	}
	flat := make([][]float64, len(all))
	for i, times := range all {
		flat[i] = slices.Concat(slices.Concat(times...)...)
	}
	return flat, nil
}

// Reset implements [Learner].
func (l NetworkLearner) Reset(seed uint64) { l.Model.Reset(seed) }

// BaselineRow is the row of a forecast of package baseline. It is Untrained: it is fitted anew by each run.
func BaselineRow(id string, f baseline.Forecaster) Row {
	return Row{ID: id, Name: f.Name(), Untrained: true,
		New: func(*xla.Backend) (Learner, error) { return ForecastLearner{f}, nil },
		Settings: func() (any, error) {
			var settings any = struct{}{}
			resolved := f
			if ridge, ok := f.(*baseline.Ridge); ok {
				resolved = ridge.Resolved()
			}
			if v := reflect.Indirect(reflect.ValueOf(resolved)); v.Kind() == reflect.Struct {
				settings = canonicalJSON(v)
			}
			return map[string]any{"name": f.Name(), "settings": settings}, nil
		}}
}

// ForecastLearner is a forecast of package baseline as a [Learner].
type ForecastLearner struct{ baseline.Forecaster }

// Fit implements [Learner]; it trains nothing.
func (l ForecastLearner) Fit(_ context.Context, training, validation []dyngraph.Window,
	_ train.Config) (*train.Report, error) {
	return &train.Report{}, l.Forecaster.Fit(training, validation)
}

// Forecast implements [Learner].
func (l ForecastLearner) Forecast(_ context.Context, windows []dyngraph.Window) ([][]float64, error) {
	all := make([][]float64, len(windows))
	for i, w := range windows {
		y, err := l.Forecaster.Forecast(w)
		if err != nil {
			return nil, err
		}
		all[i] = y
	}
	return all, nil
}

// Parameters returns 0.
func (ForecastLearner) Parameters() int { return 0 }

// Reset does nothing.
func (ForecastLearner) Reset(uint64) {}

// Save does nothing.
func (ForecastLearner) Save(string) error { return nil }

// Close does nothing.
func (ForecastLearner) Close() {}
