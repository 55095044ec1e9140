package experiments

import (
	"cmp"
	"fmt"
	"math"
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
	// Window is the number of snapshots of a window, the last of which is to be forecast; in the published split windows lie
	// side by side.
	Window int

	settings func(Profile) []Setting
	cut      *cut
	// published are the errors that the paper prints for its PENG-CDE on validation and test, mean and half-width of the
	// 95% interval.
	published [2][2]float64
}

func (e Forecasting) experiment() Experiment { return shell(e.Name, e.Title, e.Data, e.Run, e.Stored) }

// Setting is a row of a table: a model and its training, or a heuristic.
type Setting struct {
	// ID is what a shell calls it, Name is for people.
	ID    string
	Name  string `json:"-"`
	Split Split
	// Model is nil for a heuristic.
	Model *pengcde.Config `json:",omitempty"`
	Train train.Config    `json:",omitzero"`
	// Dense trains on windows that overlap, shuffled by the seed; of Random and LeakyRotation on all that share no snapshot
	// with a validation or test window. Other splits have overlapping training windows for all rows.
	Dense bool `json:",omitempty"`
	// Stride keeps those overlapping windows that start at its multiples; 0 means 1.
	Stride int `json:",omitempty"`
	// RetrainEvery is, for RollingOrigin, the number of origins that are forecast after a training; 0 means 1.
	RetrainEvery int `json:",omitempty"`
	// Seeds is the number of runs, for rotations and rolling origins of runs for each part.
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

func (m Measures) perNode() float64   { return m.PerNode }
func (m Measures) published() float64 { return m.Published }

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
	// Failure says why there are no errors: the state or the loss is not finite. "" for a run that went well.
	Failure string `json:",omitempty"`
	Training
	// PeakBytes is the largest resident memory of the process while the run was made; 0 where it is not known.
	PeakBytes int64
	Targets   []Target
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
		if part.name == "train" && r.Setting.Split != Chronological {
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
