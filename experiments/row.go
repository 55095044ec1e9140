package experiments

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Row describes a row of a table: how its learner is made and trained.
type Row struct {
	// ID is the name used on the command line; Name is for people.
	ID, Name string
	// Note is shown in [Report.Notes].
	Note string `json:"-"`
	// Train configures the training; an Untrained model ignores it.
	Train train.Config `json:",omitzero"`
	// Untrained models take negligible time and need no backend, so one stored run serves all backends.
	Untrained bool `json:",omitempty"`
	// Trials names the trials that a [Tuned] model chooses from.
	Trials []string `json:"-"`
	// New makes a learner; the backend is nil for an Untrained model.
	New func(*xla.Backend) (Learner, error) `json:"-"`
	// Settings returns all values that decide what a learner does, except seed and data, in JSON form. Learners with
	// equal settings share compiled programs, see [RunContext.Learner].
	Settings func() (any, error) `json:"-"`
}

// Learner learns to forecast from windows. [NetworkRow] and [BaselineRow] turn a [pengcde.Model] and a forecast of
// package baseline into learners: [NetworkLearner] and [ForecastLearner].
type Learner interface {
	// Fit trains as config says. The learner keeps what it learnt when ctx ends the training.
	Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report, error)
	// Forecast returns the forecasts for each window at the times of its targets, row-major [times*nodes*outputs].
	Forecast(ctx context.Context, windows []dyngraph.Window) ([][]float64, error)
	// Parameters returns the number of learnable entries.
	Parameters() int
	// Reset draws new parameters from a seed.
	Reset(seed uint64)
	Save(path string) error
	Close()
}

// Identity adds the values that decide a model's training, except data and seed, to the identity of a run.
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
	identity["model"] = settings
	identity["train"], err = canonicalJSON(reflect.ValueOf(config))
	return err
}

// NetworkRow returns the row of a configuration of package pengcde.
func NetworkRow(id, name string, config pengcde.Config, training train.Config) Row {
	return Row{ID: id, Name: name, Train: training,
		New: func(backend *xla.Backend) (Learner, error) {
			model, err := pengcde.New(backend, config)
			if err != nil {
				return nil, err
			}
			return NetworkLearner{model}, nil
		},
		Settings: once(func() (any, error) {
			resolved, err := config.Resolved()
			if err != nil {
				return nil, err
			}
			return canonicalJSON(reflect.ValueOf(resolved))
		})}
}

// NetworkLearner adapts a [pengcde.Model] to [Learner].
type NetworkLearner struct{ *pengcde.Model }

// Forecast implements [Learner].
func (l NetworkLearner) Forecast(ctx context.Context, windows []dyngraph.Window) ([][]float64, error) {
	all, err := l.PredictAll(ctx, windows, nil)
	if err != nil {
		return nil, err
	}
	values := make([][]float64, len(all))
	for i, f := range all {
		values[i] = f.Values
	}
	return values, nil
}

// StoredName returns the name in the identities of a forecast's runs, which a new name leaves as it was.
func StoredName(f baseline.Forecaster) string {
	if _, ok := f.(baseline.Persistence); ok {
		return "last visible"
	}
	return f.Name()
}

// BaselineRow returns the row of a forecast of package baseline. It is Untrained: each run fits it again.
func BaselineRow(id string, f baseline.Forecaster) Row {
	return Row{ID: id, Name: f.Name(), Untrained: true,
		New: func(*xla.Backend) (Learner, error) { return ForecastLearner{f}, nil },
		Settings: once(func() (any, error) {
			var settings any = struct{}{}
			resolved := f
			if ridge, ok := f.(*baseline.Ridge); ok {
				resolved = ridge.Resolved()
			}
			var err error
			if v := reflect.Indirect(reflect.ValueOf(resolved)); v.Kind() == reflect.Struct {
				settings, err = canonicalJSON(v)
			}
			return map[string]any{"name": StoredName(f), "settings": settings}, err
		})}
}

// once returns a function that computes settings once, as JSON: thousands of runs may share them.
func once(settings func() (any, error)) func() (any, error) {
	return sync.OnceValues(func() (any, error) {
		values, err := settings()
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(values)
		return store.Canonical(text), err
	})
}

// ForecastLearner adapts a forecast of package baseline to [Learner].
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
