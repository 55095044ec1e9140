package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// runsOfZero are those of a heuristic with one seed: random, in order of time, 10 windows, 20 origins.
const runsOfZero = 1 + 1 + 10 + 20

// tinyRuns are those of tiny: four trained, and two heuristics.
const tinyRuns = 4 + 2*runsOfZero

// tiny is england with two models that train in seconds, and two heuristics.
func tiny() Forecasting {
	e := England()
	model := pengcde.Config{Nodes: 129, Features: 8, Field: field.Constant{}, Hidden: 2}
	other := model
	other.Hidden = 3
	config := train.Config{Epochs: 3, EvaluateEvery: 1}
	e.settings = func(Profile) []Setting {
		return append(append(
			Setting{ID: "two", Name: "Two", Model: &model, Train: config}.on(map[Split]int{Random: 2, Chronological: 1}),
			Setting{ID: "three", Name: "Three", Model: &other, Train: config}.on(map[Split]int{Random: 1})...),
			slices.DeleteFunc(heuristics(1), func(s Setting) bool { return s.ID != "zero" && s.ID != "ridge" })...)
	}
	return e
}

func options(t *testing.T) Options { return Options{Profile: Quick, Backend: xlatest.Backend(t)} }

func markdown(t *testing.T, r *ForecastingResults) string {
	t.Helper()
	tables, err := r.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, table := range tables {
		text, err := table.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

// uncomputable is a forecast without a model that a test must not make.
type uncomputable string

func (u uncomputable) Name() string                     { return string(u) }
func (u uncomputable) Fit(_, _ []dyngraph.Window) error { return errors.New("made again") }
func (u uncomputable) Forecast(dyngraph.Window) ([]float64, error) {
	return nil, errors.New("made again")
}

func TestRunsAreStoredAndFoundAgain(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	e := tiny()
	empty, err := e.Stored(options(t))
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := empty.Count(); stored != 0 || planned != tinyRuns {
		t.Errorf("%d of %d runs before the first, want 0 of %d", stored, planned, tinyRuns)
	}
	if text := markdown(t, empty); !strings.Contains(text, "missing, 2 of 2") {
		t.Errorf("missing runs do not show:\n%s", text)
	}
	results, err := e.Run(context.Background(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	run := results.Row("two", Random).Runs[1]
	if run.Seed != 1 || len(run.TrainLoss) != 3 || !(run.Test.PerNode > 0) || run.Test.Windows != 2 || run.Parameters == 0 || run.SecondsPerEpoch <= 0 {
		t.Errorf("run %+v", run)
	}
	broken := e
	broken.settings = func(p Profile) []Setting {
		all := e.settings(p)
		for i := range all {
			if _, ridge := all[i].Heuristic.(*baseline.Ridge); all[i].Heuristic != nil && !ridge { // whose penalty is in the identity
				all[i].Heuristic = uncomputable(all[i].Heuristic.Name())
			}
		}
		return all
	}
	again, err := broken.Run(context.Background(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Heuristic" || p.Last().String() == ".Setting" }, cmp.Ignore())
	if diff := cmp.Diff(results.Rows, again.Rows, ignore); diff != "" {
		t.Errorf("found again (-computed +found):\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(files) != tinyRuns {
		t.Errorf("%d files, %v, want the %d results alone", len(files), err, tinyRuns)
	}
}

func TestDamagedResultIsNamed(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	o := options(t)
	o.Models = []string{"zero"}
	if _, err := tiny().Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "england-covid", "*.json"))
	if err != nil || len(files) != runsOfZero {
		t.Fatalf("%d files, %v, want %d", len(files), err, runsOfZero)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], content[:len(content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[1], []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if content, err = os.ReadFile(files[3]); err != nil {
		t.Fatal(err)
	}
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, content, "", "  "); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[3], spaced.Bytes(), 0o600); err != nil { // the same run
		t.Fatal(err)
	}
	if err := os.WriteFile(files[2], content, 0o600); err != nil { // of another run
		t.Fatal(err)
	}
	results, err := tiny().Stored(o)
	if err != nil || len(results.errors()) != 3 || !strings.Contains(strings.Join(results.errors(), "\n"), files[0]) {
		t.Errorf("%v, %+v, want three damaged results that are named", err, results)
	}
	if text := markdown(t, results); !strings.Contains(text, "error, ") {
		t.Errorf("damaged results do not show:\n%s", text)
	}
	if _, err := tiny().Run(context.Background(), o); err == nil {
		t.Error("damaged results are used")
	}
	o.Retry = true
	if _, err := tiny().Run(context.Background(), o); err != nil {
		t.Errorf("made again: %v", err)
	}
}

func TestInterruptedRunGoesOn(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	whole, err := tiny().Run(context.Background(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	ctx, cancel := context.WithCancel(context.Background())
	o := options(t)
	epochs := 0
	o.Progress = func(_ float64, text string) {
		if strings.Contains(text, "epoch") {
			if epochs++; epochs == 5 { // in the second run
				cancel()
			}
		}
	}
	if _, err := tiny().Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	if files, err := filepath.Glob(filepath.Join(folder, "*", "*.json")); err != nil || len(files) != 1 {
		t.Errorf("results %v, %v, want that of the first run", files, err)
	}
	var heard []string
	o.Progress, o.Notice = nil, func(s string) { heard = append(heard, s) }
	again, err := tiny().Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(heard, "\n"); !strings.Contains(said, "goes on in epoch 3") {
		t.Errorf("heard %q, want that training goes on", said)
	}
	for i, row := range whole.Rows {
		for j, run := range row.Runs {
			other := again.Rows[i].Runs[j]
			if diff := cmp.Diff(run.Targets, other.Targets); diff != "" || run.Test != other.Test {
				t.Errorf("%s, seed %d (-whole +cut):\n%s", run.Setting.ID, run.Seed, diff)
			}
		}
	}
}

// What fails for another reason than its model is stored, does not stop the others, and is made again on request.
func TestErrorsAreStoredAndRetried(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e, o := tiny(), options(t)
	settings := e.settings
	e.settings = func(p Profile) []Setting {
		all := settings(p)
		all[0].Model = &pengcde.Config{Nodes: 128, Features: 8}
		return all[:3]
	}
	results, err := e.Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "2 of 4 runs") {
		t.Errorf("error %v, want that 2 of 4 could not be made", err)
	}
	if stored, planned := results.Count(); stored != 2 || planned != 4 {
		t.Errorf("%d of %d runs, want 2 of 4", stored, planned)
	}
	if text := markdown(t, results); !strings.Contains(text, "error, 2 of 2") {
		t.Errorf("errors do not show:\n%s", text)
	}
	called := 0
	o.Notice = func(string) { called++ }
	if _, err := e.Run(context.Background(), o); err == nil || called != 0 {
		t.Errorf("without retry: %v after %d tries", err, called)
	}
	o.Retry = true
	if _, err := e.Run(context.Background(), o); err == nil || called != 2 {
		t.Errorf("with retry: %v after %d tries, want 2", err, called)
	}
}

func TestResultsFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ResultsEnv, filepath.Join(file, "below"))
	if _, err := tiny().Run(context.Background(), options(t)); !errors.Is(err, ErrStore) || !strings.Contains(err.Error(), ResultsEnv) {
		t.Errorf("error %v, want ErrStore and what to set", err)
	}
}

// Two processes on one run: the second is told so.
func TestLock(t *testing.T) {
	s, err := newSlot(t.TempDir(), "experiment", "go", "identity")
	if err != nil {
		t.Fatal(err)
	}
	unlock, locked, err := s.lock()
	if err != nil || !locked {
		t.Fatalf("first: %v, %v", locked, err)
	}
	if _, locked, err := s.lock(); err != nil || locked {
		t.Errorf("second: %v, %v, want not locked", locked, err)
	}
	if err := unlock(true); err != nil {
		t.Error(err)
	}
	if unlock, locked, err = s.lock(); err != nil || !locked {
		t.Fatalf("after the first: %v, %v", locked, err)
	}
	if err := unlock(true); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(s.base)); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestSettingsDiffer(t *testing.T) {
	for _, e := range []Forecasting{England(), Tennis()} {
		for _, profile := range Profiles() {
			seen := make(map[string]bool)
			for _, s := range e.settings(profile) {
				content, err := json.Marshal(s)
				if err != nil {
					t.Fatal(err)
				}
				if seen[string(content)] {
					t.Errorf("%s, %s: setting %s twice", e.Name, profile, content)
				}
				seen[string(content)] = true
			}
		}
	}
}

func TestNamesThatDoNotExist(t *testing.T) {
	t.Setenv(ProfileEnv, "huge")
	if _, err := England().Stored(Options{}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "huge") {
		t.Errorf("unknown profile: %v", err)
	}
	if _, err := England().Stored(Options{Profile: Quick, Models: []string{"pong"}}); !errors.Is(err, ErrInput) {
		t.Errorf("unknown model: %v", err)
	}
	if _, err := ByName("table9"); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "england-covid") {
		t.Errorf("unknown experiment: %v", err)
	}
}

func TestTableShowsDivergedRuns(t *testing.T) {
	setting := Setting{ID: "wild", Name: "Wild", Split: Random, Model: &pengcde.Config{}}
	runs := []Run{{Setting: setting, Test: Measures{PerNode: 0.5, Windows: 2}}, {Setting: setting, Seed: 1, Failure: "loss NaN"}}
	results := &ForecastingResults{Experiment: England(), Rows: []Row{{Setting: setting, Runs: runs, Planned: 2}}}
	if text := markdown(t, results); !strings.Contains(text, "diverged, 1 of 2") || strings.Contains(text, "0.5") {
		t.Errorf("the table averages a diverged run away:\n%s", text)
	}
}
