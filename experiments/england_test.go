package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

func work(t *testing.T) *england {
	t.Helper()
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	w := &england{England: England{Profile: Quick, Backend: xlatest.Backend(t)}, series: series, total: 1}
	t.Cleanup(w.close)
	return w
}

func small() Setting {
	return Setting{Name: "small", Deal: Random, Model: &pengcde.Config{Nodes: 129, Features: 8, Field: pengcde.Constant, Hidden: 2},
		Train: train.Config{Epochs: 3, EvaluateEvery: 1}}
}

func TestRunIsStoredAndFoundAgain(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	w := work(t)
	run, err := w.run(context.Background(), small(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.TrainLoss) != 3 || !(run.Test.PerNode > 0) || len(run.Targets) != 10 || run.Parameters == 0 {
		t.Errorf("run has %d epochs, test %g, %d targets, %d parameters", len(run.TrainLoss), run.Test.PerNode, len(run.Targets), run.Parameters)
	}
	w.series = nil // what is found needs no data
	again, err := w.run(context.Background(), small(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run, again); diff != "" {
		t.Errorf("found again (-computed +found):\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(folder, "england-covid", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v, want one", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], content[:len(content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(context.Background(), small(), 1); err == nil || !strings.Contains(err.Error(), files[0]) {
		t.Errorf("a damaged result gives %v, want an error that names it", err)
	}
}

func TestInterruptedRunIsNotStored(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	ctx, cancel := context.WithCancel(context.Background())
	w := work(t)
	w.Progress = func(float64, string) { cancel() }
	if _, err := w.run(ctx, small(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	if files, err := filepath.Glob(filepath.Join(folder, "*", "*")); err != nil || len(files) != 0 {
		t.Errorf("files %v, %v, want none", files, err)
	}
}

func TestResultsFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ResultsEnv, file)
	_, err := work(t).run(context.Background(), Setting{Name: "zero", Deal: Random, Heuristic: baseline.Zero{}}, 0)
	if err == nil {
		t.Error("no error")
	}
}

// Over all ten windows the simple forecasts have errors that can be computed from the data alone.
func TestHeuristicsOverAllWindows(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	w := work(t)
	windows, err := w.series.Windows(englandWindow, englandWindow).List()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"zero": 0.914, "last visible": 1.025, "recent mean": 0.728} {
		for _, h := range baseline.Heuristics() {
			if h.Name() != name {
				continue
			}
			run, err := w.run(context.Background(), Setting{Name: name, Deal: Random, Heuristic: h}, 4)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, target := range run.Targets {
				mse, err := train.MSE(target.Forecast, w.series.Targets[target.Snapshot])
				if err != nil {
					t.Fatal(err)
				}
				sum += mse / float64(len(windows))
			}
			if math.Abs(sum-want) > 6e-4 {
				t.Errorf("%s: %.4f over all windows, want %.3f", name, sum, want)
			}
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, profile := range []Profile{Quick, Full} {
		settings, err := England{Profile: profile}.Settings()
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for _, s := range settings {
			content, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(content)] {
				t.Errorf("%s: setting %s twice", profile, content)
			}
			seen[string(content)] = true
		}
	}
	t.Setenv(ProfileEnv, "huge")
	if _, err := (England{}).Settings(); err == nil || !strings.Contains(err.Error(), "huge") {
		t.Errorf("unknown profile: %v", err)
	}
}

func TestTableShowsDivergedRuns(t *testing.T) {
	setting := Setting{Name: "wild", Deal: Random, Model: &pengcde.Config{}}
	runs := []Run{{Setting: setting, Test: Measures{PerNode: 0.5}}, {Setting: setting, Seed: 1, Failure: "loss NaN"}}
	text, err := EnglandTable(runs, Random).Markdown()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "diverged, 1 of 2") || strings.Contains(text, "0.5") {
		t.Errorf("the table averages a diverged run away:\n%s", text)
	}
}
