package experiments

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Forecasting is an experiment that forecasts the targets of a shipped series: what a window's inputs say of its last snapshot's targets.
type Forecasting struct {
	// Name is what a shell calls it; Title and Data are for people, as are Time and Target, the names of an axis of times and
	// of targets.
	Name, Title, Data, Time, Target string
	// Series loads the data.
	Series func() (*dyngraph.Series, error) `json:"-"`
	// Window is the number of snapshots of a window, the last of which is to be forecast; windows lie side by side, as
	// published.
	Window int

	settings func(Profile) []Setting
	// published are the errors that the paper prints for its PENG-CDE on validation and test, mean and half-width of the
	// 95% interval.
	published [2][2]float64
}

func (e Forecasting) experiment() Experiment { return shell(e.Name, e.Title, e.Data, e.Run, e.Stored) }

// Deal says how windows are dealt into training, validation and test.
type Deal string

const (
	// Random is the published way: 60% training, 20% validation, shuffled by the seed.
	Random Deal = "random"
	// Chronological takes every window, one starting at each snapshot, in order of time: the tested targets come after
	// all others.
	Chronological Deal = "chronological"
	// Rotation tests every window once: a run for each, which trains on the others.
	Rotation Deal = "rotation"
)

// Deals lists them.
func Deals() []Deal { return []Deal{Random, Chronological, Rotation} }

const (
	trainFraction      = 0.6
	validationFraction = 0.2
)

// Setting is a row of a table: a model and its training, or a heuristic.
type Setting struct {
	// ID is what a shell calls it, Name is for people.
	ID   string
	Name string `json:"-"`
	Deal Deal
	// Model is nil for a heuristic.
	Model *pengcde.Config `json:",omitempty"`
	Train train.Config    `json:",omitzero"`
	// Dense trains on windows that overlap, all that share no snapshot with a validation or test window, shuffled by the seed.
	// They start Stride snapshots apart; 0 means 1. As with the published split, features of a training window that comes
	// after a tested one may show what was to be forecast there.
	Dense  bool `json:",omitempty"`
	Stride int  `json:",omitempty"`
	// Seeds is the number of runs, for Rotation of runs for each window.
	Seeds int `json:"-"`
	// Note is printed under tables with the row.
	Note      string              `json:"-"`
	Heuristic baseline.Forecaster `json:"-"`
}

// Measures are the errors of a run on one part of the windows, means over windows.
type Measures struct {
	// PerNode is the mean squared error over nodes.
	PerNode float64
	// Published is the mean over all pairs of a node's forecast and a node's target, see [train.BroadcastMSE].
	Published float64
	// Windows is their number; 0 says that there are no errors.
	Windows int
}

// Target is a forecast of one window's target.
type Target struct {
	// Part is "train", "validation" or "test"; Snapshot the index of the one to be forecast.
	Part     string
	Snapshot int
	// PerNode is the mean squared error over nodes.
	PerNode  float64
	Forecast []float64
}

// Run is what a setting gave with one seed.
type Run struct {
	Setting    Setting
	Seed       uint64
	Fold       int
	Parameters int
	Validation Measures
	Test       Measures
	// Failure says why there are no errors: the state or the loss left the floats. "" for a run that went well.
	Failure string `json:",omitempty"`
	Training
	// PeakBytes is the largest resident memory of the process while the run was made; 0 where it is not known.
	PeakBytes int64
	Targets   []Target
}

// split deals the windows for a run.
func (e Forecasting) split(series *dyngraph.Series, s Setting, seed uint64, fold int) (split dyngraph.Split, err error) {
	windows, every := series.Windows(e.Window, e.Window), series.Windows(e.Window, 1)
	switch s.Deal {
	case Random:
		split, err = windows.Split(trainFraction, validationFraction, seed)
	case Chronological:
		split, err = every.Chronological(trainFraction, validationFraction)
	case Rotation:
		var splits []dyngraph.Split
		if splits, err = windows.Rotate(e.folds(series)); err == nil {
			split = splits[fold]
		}
	default:
		err = fmt.Errorf("experiments: windows dealt %q, want one of %q: %w", s.Deal, Deals(), ErrInput)
	}
	if err != nil {
		return split, err
	}
	if s.Train.EvaluateEvery < 0 {
		split.Train, split.Validation = slices.Concat(split.Train, split.Validation), nil
	}
	if s.Dense {
		all, err := series.Windows(e.Window, max(s.Stride, 1)).List()
		if err != nil {
			return split, err
		}
		split.Train = apart(all, split.Validation, split.Test)
		rng := rand.New(rand.NewPCG(seed, uint64(fold)))
		rng.Shuffle(len(split.Train), func(i, j int) { split.Train[i], split.Train[j] = split.Train[j], split.Train[i] })
	}
	return split, nil
}

// folds is the number of windows of a rotation.
func (e Forecasting) folds(series *dyngraph.Series) int { return len(series.Times) / e.Window }

// apart are the windows that share no snapshot with the others.
func apart(windows []dyngraph.Window, others ...[]dyngraph.Window) []dyngraph.Window {
	var free []dyngraph.Window
	for _, w := range windows {
		clear := true
		for _, o := range slices.Concat(others...) {
			clear = clear && (w.Last() < o.Start || o.Last() < w.Start)
		}
		if clear {
			free = append(free, w)
		}
	}
	return free
}

// diverged notes an error that says that the model failed. Such a run is stored as failed.
func (r *Run) diverged(err error) bool {
	if !diverged(err) {
		return false
	}
	r.Failure = err.Error()
	r.Validation, r.Test, r.Targets = Measures{}, Measures{}, nil
	return true
}

// measure forecasts every window and keeps the errors on validation and test.
func (r *Run) measure(forecast func(dyngraph.Window) ([]float64, error), split dyngraph.Split) error {
	for _, part := range []struct {
		name    string
		windows []dyngraph.Window
		into    *Measures
	}{{"train", split.Train, &Measures{}}, {"validation", split.Validation, &r.Validation}, {"test", split.Test, &r.Test}} {
		if part.name == "train" && r.Setting.Deal != Chronological {
			continue // only its figure shows them
		}
		part.into.Windows = len(part.windows)
		for _, w := range part.windows {
			y, err := forecast(w)
			if err != nil {
				return err
			}
			perNode, err := train.MSE(y, w.Target())
			if err != nil {
				return err
			}
			published, err := train.BroadcastMSE(y, w.Target())
			if err != nil {
				return err
			}
			if sum := perNode + published; math.IsNaN(sum) || math.IsInf(sum, 0) {
				return fmt.Errorf("experiments: error of the forecast for snapshot %d is %g: %w", w.Last(), sum, train.ErrNotFinite)
			}
			part.into.PerNode += perNode / float64(len(part.windows))
			part.into.Published += published / float64(len(part.windows))
			r.Targets = append(r.Targets, Target{Part: part.name, Snapshot: w.Last(), PerNode: perNode, Forecast: y})
		}
	}
	r.sort()
	return nil
}

// sort puts the forecasts in order of time, which shuffled windows are not in.
func (r *Run) sort() {
	slices.SortFunc(r.Targets, func(a, b Target) int { return cmp.Compare(a.Snapshot, b.Snapshot) })
}

func (r *Run) describe() string {
	if r.Failure != "" {
		return "diverged"
	}
	return fmt.Sprintf("test %.3f", r.Test.PerNode)
}
