package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Constants of the published england-covid experiment: windows of 5 days, of which 4 are inputs, dealt into 60% training
// and 20% validation.
const (
	englandWindow     = 5
	englandTrain      = 0.6
	englandValidation = 0.2
	englandFullSeeds  = 10
	englandQuickSeeds = 3
)

// englandVersion is part of each run's identity: raise it when a change makes stored runs wrong.
const englandVersion = 1

// Deal says how windows are dealt into training, validation and test.
type Deal string

const (
	// Random is the published way: windows side by side, shuffled by the seed.
	Random Deal = "random"
	// Chronological takes every window, one starting each day, in order of time: the test days come after all others.
	Chronological Deal = "chronological"
)

// Setting is a row of the experiment: a model and its training, or a heuristic.
type Setting struct {
	Name string
	Deal Deal
	// Model is nil for a heuristic.
	Model     *pengcde.Config     `json:",omitempty"`
	Train     train.Config        `json:",omitzero"`
	Heuristic baseline.Forecaster `json:"-"`
}

// England is the england-covid experiment: forecast the Covid cases of 129 regions of England two days after the last ones
// seen, from four snapshots: four days of movements between regions, and the cases of eleven days.
type England struct {
	// Profile is its size; "" means [CurrentProfile].
	Profile Profile
	// Backend computes; nil means one is opened when a run is missing.
	Backend *xla.Backend
	// Progress, if set, hears the fraction of all runs that is done, and what is going on.
	Progress func(fraction float64, text string)
}

// Measures are the errors of a run on one part of the windows, means over windows.
type Measures struct {
	// PerNode is the mean squared error over nodes, of standardised cases.
	PerNode float64
	// Published is the mean over all pairs of a node's forecast and a node's target, see [train.BroadcastMSE].
	Published float64
}

// Target is a forecast of one window's target.
type Target struct {
	// Part is "train", "validation" or "test"; Snapshot the index of the one to be forecast.
	Part     string
	Snapshot int
	Forecast []float64
}

// Run is what a setting gave with one seed.
type Run struct {
	Setting    Setting
	Seed       uint64
	Parameters int
	Validation Measures
	Test       Measures
	// Failure says why there are no errors: the loss left the floats. "" for a run that went well.
	Failure string `json:",omitempty"`
	// TrainLoss and ValidationLoss are by epoch; the latter holds 0 where it was not evaluated.
	TrainLoss, ValidationLoss []float64
	Best                      int
	SecondsPerEpoch           float64
	Targets                   []Target
}

func (e England) profile() (Profile, error) {
	if e.Profile != "" {
		return e.Profile, nil
	}
	return CurrentProfile()
}

// Settings are the rows of the table, in order.
func (e England) Settings() ([]Setting, error) {
	profile, err := e.profile()
	if err != nil {
		return nil, err
	}
	peng := func(name string, deal Deal, control dyngraph.Normalisation) Setting {
		s := Setting{Name: name, Deal: deal, Model: &pengcde.Config{Nodes: 129, Features: 8, Control: control}}
		if profile == Full {
			s.Model.Hidden, s.Model.Layers = 64, 3
			return s
		}
		s.Model.Hidden, s.Model.Layers, s.Model.Step = 16, 2, 0.5
		s.Train = train.Config{Epochs: 11, EvaluateEvery: 2, Patience: 6, MinEpochs: 6, AdamW: train.AdamW{LearningRate: 7e-3, WeightDecay: 1e-3}}
		if deal == Chronological { // five times as many windows
			s.Train.Epochs, s.Train.EvaluateEvery, s.Train.Patience, s.Train.MinEpochs = 4, 1, 3, -1
		}
		return s
	}
	settings := []Setting{
		peng("PENG-CDE", Random, dyngraph.NormalisedLaplacian),
		peng("PENG-CDE", Chronological, dyngraph.NormalisedLaplacian),
		peng("PENG-CDE, log control", Random, dyngraph.Log),
		peng("PENG-CDE, raw control", Random, dyngraph.Raw),
		{Name: "Constant", Deal: Random, Model: &pengcde.Config{Nodes: 129, Features: 8, Field: pengcde.Constant, Hidden: 32, Adaptive: &ode.PID{}}},
	}
	if profile == Full {
		published := peng("PENG-CDE, as published", Random, dyngraph.Raw)
		published.Model.Parity = true
		settings = append(settings, published)
	}
	for _, deal := range []Deal{Random, Chronological} {
		for _, h := range baseline.Heuristics() {
			settings = append(settings, Setting{Name: h.Name(), Deal: deal, Heuristic: h})
		}
	}
	return settings, nil
}

// Seeds is the number of runs of each setting.
func (e England) Seeds() (int, error) {
	profile, err := e.profile()
	if err != nil {
		return 0, err
	}
	if profile == Full {
		return englandFullSeeds, nil
	}
	return englandQuickSeeds, nil
}

// Runs returns the runs of all settings and seeds, in order: those that are stored are found, the others are trained and
// stored. A run that ctx interrupts is not stored; those done before are.
func (e England) Runs(ctx context.Context) ([]Run, error) {
	settings, err := e.Settings()
	if err != nil {
		return nil, err
	}
	seeds, err := e.Seeds()
	if err != nil {
		return nil, err
	}
	series, err := pgt.EnglandCovid()
	if err != nil {
		return nil, err
	}
	w := &england{England: e, series: series, total: float64(len(settings) * seeds)}
	defer w.close()
	var runs []Run
	for _, setting := range settings {
		for seed := range uint64(seeds) {
			run, err := w.run(ctx, setting, seed)
			if err != nil {
				return runs, err
			}
			runs = append(runs, run)
			w.report(float64(len(runs)), run.describe())
		}
	}
	return runs, nil
}

// england is the work on one call of Runs.
type england struct {
	England
	series *dyngraph.Series
	opened *xla.Backend
	model  *pengcde.Model // of the setting run last
	config pengcde.Config // what it was made of, without the control
	total  float64
	done   float64
}

func (w *england) report(done float64, text string) {
	w.done = done
	if w.Progress != nil {
		w.Progress(done/w.total, text)
	}
}

func (w *england) closeModel() {
	if w.model != nil {
		w.model.Close()
		w.model = nil
	}
}

func (w *england) close() {
	w.closeModel()
	if w.opened != nil {
		w.opened.Close()
	}
}

func (w *england) run(ctx context.Context, s Setting, seed uint64) (Run, error) {
	run := Run{Setting: s, Seed: seed}
	path, err := resultPath("england-covid", map[string]any{"version": englandVersion, "setting": s, "seed": seed})
	if err != nil {
		return run, err
	}
	if found, err := findRun(path, &run); found || err != nil {
		return run, err
	}
	split, err := w.deal(s.Deal, seed)
	if err != nil {
		return run, err
	}
	forecast := s.Heuristic
	if s.Model != nil {
		if forecast, err = w.train(ctx, &run, split); err != nil {
			return run, err
		}
	} else if err := forecast.Fit(split.Train); err != nil {
		return run, err
	}
	if run.Failure == "" {
		if err := run.measure(forecast, split); err != nil && !run.diverged(err) {
			return run, err
		}
	}
	return run, storeRun(path, run)
}

func (w *england) deal(deal Deal, seed uint64) (dyngraph.Split, error) {
	if deal == Chronological {
		return w.series.Windows(englandWindow, 1).Chronological(englandTrain, englandValidation)
	}
	return w.series.Windows(englandWindow, englandWindow).Split(englandTrain, englandValidation, seed)
}

// train fits the setting's model, which is compiled once for all seeds and controls.
func (w *england) train(ctx context.Context, run *Run, split dyngraph.Split) (baseline.Forecaster, error) {
	config := *run.Setting.Model
	control := config.Control
	if config.Control = 0; w.model == nil || w.config != config {
		w.closeModel()
		if err := w.open(config); err != nil {
			return nil, err
		}
	}
	w.model.Reset(run.Seed, control)
	run.Parameters = w.model.Parameters()
	training := run.Setting.Train
	base, name := w.done, fmt.Sprintf("%s, seed %d", run.Setting.Name, run.Seed)
	training.Progress = func(p train.Progress) {
		w.report(base+float64(p.Epoch)/float64(p.Epochs), name+": "+p.String())
		w.done = base
	}
	report, err := w.model.Fit(ctx, split.Train, split.Validation, training)
	if report != nil {
		run.record(report)
	}
	if run.diverged(err) {
		return nil, nil
	}
	return trained{w.model, ctx}, err
}

func (w *england) open(config pengcde.Config) error {
	backend := w.Backend
	if backend == nil {
		if w.opened == nil {
			var err error
			if w.opened, err = xla.Open(xla.Config{}); err != nil {
				return err
			}
		}
		backend = w.opened
	}
	var err error
	w.config = config
	w.model, err = pengcde.New(backend, config)
	return err
}

// diverged notes an error that says that the model, not the computer, failed: the state or the loss left the floats or
// changed too fast to be solved. Such a run is stored as failed.
func (r *Run) diverged(err error) bool {
	for _, reason := range []error{train.ErrNotFinite, ode.NotFinite, ode.StepLimit, ode.StepTooSmall} {
		if errors.Is(err, reason) {
			r.Failure = err.Error()
			r.Validation, r.Test, r.Targets = Measures{}, Measures{}, nil
			return true
		}
	}
	return false
}

func (r *Run) record(report *train.Report) {
	for _, epoch := range report.Epochs {
		validation := epoch.Validation
		if math.IsNaN(validation) || math.IsInf(validation, 0) {
			validation = 0
		}
		r.TrainLoss = append(r.TrainLoss, epoch.TrainLoss)
		r.ValidationLoss = append(r.ValidationLoss, validation)
	}
	r.Best = report.Best
	// The first epoch compiles.
	for _, epoch := range report.Epochs[min(1, len(report.Epochs)):] {
		r.SecondsPerEpoch += epoch.Seconds / float64(len(report.Epochs)-1)
	}
}

// measure forecasts every window and keeps the errors on validation and test.
func (r *Run) measure(f baseline.Forecaster, split dyngraph.Split) error {
	for _, part := range []struct {
		name    string
		windows []dyngraph.Window
		into    *Measures
	}{{"train", split.Train, &Measures{}}, {"validation", split.Validation, &r.Validation}, {"test", split.Test, &r.Test}} {
		for _, w := range part.windows {
			forecast, err := f.Forecast(w)
			if err != nil {
				return err
			}
			perNode, err := train.MSE(forecast, w.Target())
			if err != nil {
				return err
			}
			published, err := train.BroadcastMSE(forecast, w.Target())
			if err != nil {
				return err
			}
			if sum := perNode + published; math.IsNaN(sum) || math.IsInf(sum, 0) {
				return fmt.Errorf("experiments: error of the forecast for snapshot %d is %g: %w", w.Last(), sum, train.ErrNotFinite)
			}
			part.into.PerNode += perNode / float64(len(part.windows))
			part.into.Published += published / float64(len(part.windows))
			r.Targets = append(r.Targets, Target{Part: part.name, Snapshot: w.Last(), Forecast: forecast})
		}
	}
	return nil
}

func (r *Run) describe() string {
	if r.Failure != "" {
		return fmt.Sprintf("%s, seed %d: diverged", r.Setting.Name, r.Seed)
	}
	return fmt.Sprintf("%s, seed %d: test %.3f", r.Setting.Name, r.Seed, r.Test.PerNode)
}

// trained is a model as a forecaster.
type trained struct {
	model *pengcde.Model
	ctx   context.Context
}

func (t trained) Name() string                                  { return "model" }
func (t trained) Fit([]dyngraph.Window) error                   { return nil }
func (t trained) Forecast(w dyngraph.Window) ([]float64, error) { return t.model.Forecast(t.ctx, w) }
