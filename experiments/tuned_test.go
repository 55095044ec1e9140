package experiments

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// trials returns three trials, of which the last learns most.
func trials() (all []Row) {
	for i, rate := range []float64{1e-4, 1e-3, 3e-2} {
		training := toyTraining
		training.AdamW.LearningRate = rate
		all = append(all, NetworkRow("", []string{"slow", "faster", "fast"}[i], toyConfig, training))
	}
	return all
}

func tunedToy() Study { return toy(Tuned("tuned", "Two, tuned", trials())) }

// The trial with the smallest validation error forecasts, and a single trial gives the same results as without Tuned.
func TestTunedChooses(t *testing.T) {
	results(t)
	o := options(t)
	r := run(t, tunedToy(), o)
	alone := run(t, toy(func() Row { m := trials()[2]; m.ID = "tuned"; return m }()), o)
	for i, result := range r.Results {
		facts := result.Facts()
		best := facts.Training.Trials[facts.Training.Chosen]
		for _, e := range facts.Training.Trials {
			if e < best || e <= 0 {
				t.Errorf("chose %d of trials with %v", facts.Training.Chosen, facts.Training.Trials)
			}
		}
		want := alone.Results[i].Facts()
		if facts.Training.Chosen != 2 || !cmp.Equal(facts.Arrays, want.Arrays) ||
			!cmp.Equal(facts.Training.TrainLoss, want.Training.TrainLoss) || facts.Parameters != want.Parameters {
			t.Errorf("trial %d forecasts %v, want those of the fast one, %v", facts.Training.Chosen, facts.Scores, want.Scores)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(r.Folder(), "*.safetensors")); len(left) > 0 {
		t.Errorf("checkpoints are left: %q", left)
	}
}

// An interrupted run does not train finished trials again, and gives the same results.
func TestTunedGoesOn(t *testing.T) {
	results(t)
	o := options(t)
	o.Only = map[string][]string{"half": {"early"}}
	o.Seeds = []uint64{1}
	want := run(t, tunedToy(), o).Results[0].Facts()

	results(t)
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(_ float64, _ time.Duration, text string) {
		if strings.Contains(text, "epoch 4/9") { // the first epoch of the second trial
			cancel()
		}
	}
	if _, err := tunedToy().Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want canceled", err)
	}
	var epochs []string
	o.Progress = func(_ float64, _ time.Duration, text string) {
		if _, epoch, ok := strings.Cut(text, ": epoch "); ok {
			epoch, _, _ = strings.Cut(epoch, ",")
			epochs = append(epochs, epoch)
		}
	}
	got := run(t, tunedToy(), o).Results[0].Facts()
	if diff := cmp.Diff([]string{"5/9", "6/9", "7/9", "8/9", "9/9"}, epochs); diff != "" {
		t.Errorf("epochs after it was cut off (-want +got):\n%s", diff)
	}
	if got.Outcome() != want.Outcome() {
		t.Errorf("%+v, uninterrupted %+v", got, want)
	}
}

// A checkpoint of another training does not stop a trial.
func TestTunedStartsOver(t *testing.T) {
	m := Tuned("tuned", "Tuned", trials()[:2])
	learner, err := m.New(options(t).Backend)
	if err != nil {
		t.Fatal(err)
	}
	defer learner.Close()
	split, err := ring().Windows(4, 2).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	config := m.Train
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run"), Key: "one",
		Notice: func(s string) { heard = append(heard, s) }}
	for _, key := range []string{"one", "two"} {
		config.Checkpoint.Key = key
		learner.Reset(1)
		if _, err := learner.Fit(context.Background(), split.Train, split.Validation, config); err != nil {
			t.Fatal(err)
		}
	}
	if len(heard) != 2 || !strings.Contains(heard[0], "starts over") {
		t.Errorf("says %q, want that both trials start over", heard)
	}
}

// broken is a learner whose training fails.
type broken struct {
	Learner
	err error
}

func (b broken) Fit(context.Context, []dyngraph.Window, []dyngraph.Window, train.Config) (*train.Report, error) {
	return nil, b.err
}

// A diverged trial is skipped; if all diverge, the run has diverged. Any other error ends the run.
func TestTunedTrialsThatFail(t *testing.T) {
	failing := func(name string, err error) Row {
		m := trials()[0]
		m.Name = name
		build := m.New
		m.New = func(b *xla.Backend) (Learner, error) {
			learner, failed := build(b)
			return broken{learner, err}, failed
		}
		return m
	}
	diverges := failing("diverges", train.ErrNotFinite)
	o := options(t)
	o.Seeds = []uint64{0}
	results(t)
	facts := run(t, toy(Tuned("tuned", "Tuned", []Row{diverges, trials()[2]})), o).Results[0].Facts()
	if facts.Failure != "" || facts.Training.Chosen != 1 || facts.Training.Trials[0] != 0 || math.IsNaN(facts.Scores["test"]) {
		t.Errorf("%+v, want the second trial", facts)
	}
	results(t)
	facts = run(t, toy(Tuned("tuned", "Tuned", []Row{diverges, diverges})), o).Results[0].Facts()
	if !strings.Contains(facts.Failure, "all trials diverged") {
		t.Errorf("failure %q", facts.Failure)
	}
	results(t)
	_, err := toy(Tuned("tuned", "Tuned", []Row{trials()[2], failing("odd", errors.New("a wheel came off"))})).Run(
		context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), `trial "odd": a wheel came off`) {
		t.Errorf("error %v", err)
	}
}

// All trials are in the identity; without trials, or without validation windows to compare them, there is no
// identity.
func TestTunedSettings(t *testing.T) {
	blind := trials()[0]
	blind.Train.EvaluateEvery = -1
	for want, of := range map[string][]Row{"has no trials": nil, "without validation": {trials()[1], blind}} {
		if _, err := Tuned("tuned", "Tuned", of).Settings(); !errors.Is(err, ErrInput) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrInput that says %q", err, want)
		}
	}
	all, fewer := map[string]any{}, map[string]any{}
	if err := errors.Join(Tuned("tuned", "Tuned", trials()).Identity(all),
		Tuned("tuned", "Tuned", trials()[:2]).Identity(fewer)); err != nil || cmp.Equal(all, fewer) {
		t.Errorf("two trials have the identity of three: %v", err)
	}
}

// Without validation windows trials are compared on the latest windows, and the chosen one is trained on all of them:
// as if it had been trained alone, for the epochs of its best.
func TestTunedHoldsOut(t *testing.T) {
	some := trials()
	some[1] = BaselineRow("zero", baseline.Zero{})
	m := Tuned("tuned", "Tuned", some)
	m.Train.EvaluateEvery = train.NoValidation
	learner, err := m.New(options(t).Backend)
	if err != nil {
		t.Fatal(err)
	}
	defer learner.Close()
	windows, err := ring().Windows(4, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	windows, tested := windows[:len(windows)-4], windows[len(windows)-1:]
	config := m.Train
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run")}
	learner.Reset(3)
	report, err := learner.Fit(t.Context(), windows, nil, config)
	if err != nil {
		t.Fatal(err)
	}
	got, err := learner.Forecast(t.Context(), tested)
	if err != nil {
		t.Fatal(err)
	}
	var facts Training
	learner.(*tuned).note(&facts)
	if facts.Chosen != 2 || facts.Trials[1] <= facts.Trials[2] || facts.Trials[1] <= 0 {
		t.Fatalf("chose trial %d by %v, want the third, and an error of zero too", facts.Chosen, facts.Trials)
	}
	alone, err := some[2].New(options(t).Backend)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	alone.Reset(3)
	training := some[2].Train
	training.Epochs, training.EvaluateEvery = report.Best+1, train.NoValidation
	if _, err := alone.Fit(t.Context(), windows, nil, training); err != nil {
		t.Fatal(err)
	}
	want, err := alone.Forecast(t.Context(), tested)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, forecast (-alone +tuned):\n%s", err, diff)
	}
	if _, err := learner.Fit(t.Context(), windows[:2], nil, config); !errors.Is(err, ErrInput) {
		t.Errorf("two windows that share steps: %v, want ErrInput", err)
	}
}
