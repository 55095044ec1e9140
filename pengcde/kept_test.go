package pengcde_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/smallmodels"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Files of models and checkpoints that users have must load in every later version. Each file in testdata/kept was
// written once, by the newest version when its kind of model was added, and is never written again.
var writeKept = flag.Bool("write-kept", false, "write the files of testdata/kept that are not there yet")

// keptTolerance is relative to the largest forecast: models compute in float32.
const keptTolerance = 1e-5

// forecastKey is the text in a model's file with what it forecast when it was written.
const forecastKey = "forecast"

// Model files of every head and network, and of a custom field and network, load and give the stored forecasts.
func TestKeptModelFiles(t *testing.T) {
	for _, one := range smallModels(t) {
		t.Run(one.Name, func(t *testing.T) {
			file := keptFile(one.Name)
			if *writeKept && missing(t, file) {
				model := newModel(t, one)
				if _, err := model.Fit(t.Context(), one.Windows[1:], one.Windows[:1], keptTraining(1)); err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(forecastOf(t, model, one))
				if err != nil {
					t.Fatal(err)
				}
				if err := model.SaveWith(file, map[string]string{forecastKey: string(text)}); err != nil {
					t.Fatal(err)
				}
			}
			texts, err := pengcde.Metadata(file)
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			if err := json.Unmarshal([]byte(texts[forecastKey]), &want); err != nil {
				t.Fatal(err)
			}
			same(t, forecastOf(t, loadKept(t, one), one), want)
		})
	}
}

// A training interrupted in an earlier version continues from its checkpoint to the forecasts of that version.
func TestKeptCheckpoints(t *testing.T) {
	const epochs = 4
	for _, one := range smallModels(t) {
		if r, err := one.Config.Resolved(); err != nil || r.Linear != nil || r.Residual {
			continue // their training starts from a solution whose last digits may differ between machines
		}
		t.Run(one.Name, func(t *testing.T) {
			file := keptFile(one.Name + ", checkpoint")
			forecasts := strings.TrimSuffix(file, ".safetensors") + ".json"
			if *writeKept && missing(t, file) {
				cutOff(t, one, file, epochs)
				text, err := json.Marshal(goOn(t, one, file, epochs))
				if err == nil {
					err = os.WriteFile(forecasts, append(text, '\n'), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			var want []float64
			text, err := os.ReadFile(forecasts)
			if err == nil {
				err = json.Unmarshal(text, &want)
			}
			if err != nil {
				t.Fatal(err)
			}
			same(t, goOn(t, one, file, epochs), want)
		})
	}
}

// cutOff trains a model that was loaded until its second epoch, and keeps the newest checkpoint.
func cutOff(t *testing.T, one smallmodels.Model, file string, epochs int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	config := keptTraining(epochs)
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run"), Key: one.Name, Every: -1}
	config.Progress = func(p train.Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	}
	_, err := loadKept(t, one).Fit(ctx, one.Windows[1:], one.Windows[:1], config)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want a training that was cut off", err)
	}
	var newest os.FileInfo
	for _, slot := range slots(config.Checkpoint.Path) {
		info, err := os.Stat(slot)
		if err != nil {
			t.Fatal(err)
		}
		if newest == nil || info.ModTime().After(newest.ModTime()) {
			newest = info
		}
	}
	copyFile(t, filepath.Join(filepath.Dir(config.Checkpoint.Path), newest.Name()), file)
}

func slots(path string) []string { return []string{path + ".a.safetensors", path + ".b.safetensors"} }

// goOn trains from a kept checkpoint to the end, and forecasts.
func goOn(t *testing.T, one smallmodels.Model, file string, epochs int) []float64 {
	t.Helper()
	var notices []string
	config := keptTraining(epochs)
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run"), Key: one.Name,
		Notice: func(text string) { notices = append(notices, text) }}
	copyFile(t, file, slots(config.Checkpoint.Path)[0])
	model := loadKept(t, one)
	report, err := model.Fit(t.Context(), one.Windows[1:], one.Windows[:1], config)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Epochs) != epochs || len(notices) != 1 || !strings.Contains(notices[0], "training goes on in epoch 3") {
		t.Errorf("%d epochs and notices %q, want %d and one of a training that goes on in epoch 3", len(report.Epochs), notices,
			epochs)
	}
	return forecastOf(t, model, one)
}

func smallModels(t *testing.T) []smallmodels.Model {
	t.Helper()
	all, err := smallmodels.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keptTraining has a validation after each epoch, and an optimiser step for two windows.
func keptTraining(epochs int) train.Config {
	return train.Config{Epochs: epochs, EvaluateEvery: 1, BatchSize: 2, AdamW: train.AdamW{LearningRate: 1e-3}}
}

func newModel(t *testing.T, one smallmodels.Model) *pengcde.Model {
	t.Helper()
	model, err := pengcde.New(xlatest.Go(t), one.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// loadKept loads the model file of a kind.
func loadKept(t *testing.T, one smallmodels.Model) *pengcde.Model {
	t.Helper()
	var own []any
	if one.Own != nil {
		own = append(own, one.Own)
	}
	model, err := pengcde.Load(xlatest.Go(t), keptFile(one.Name), own...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

func forecastOf(t *testing.T, m *pengcde.Model, one smallmodels.Model) []float64 {
	t.Helper()
	y, err := m.Predict(t.Context(), one.Windows[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return y.Values
}

func same(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d forecasts, want %d", len(got), len(want))
	}
	scale := 0.0
	for _, x := range want {
		scale = max(scale, math.Abs(x))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= keptTolerance*scale) {
			t.Fatalf("forecast %d is %.9g, was %.9g when the file was written: files of earlier versions no longer mean what "+
				"they did", i, got[i], want[i])
		}
	}
}

// keptFile is the file of a kind of model.
func keptFile(name string) string {
	return filepath.Join("testdata", "kept", strings.NewReplacer(", ", "-", " ", "-").Replace(name)+".safetensors")
}

// missing reports whether a file has to be written. An existing file is kept.
func missing(t *testing.T, file string) bool {
	t.Helper()
	_, err := os.Stat(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err == nil {
		t.Logf("%s is there and is never written anew", file)
	}
	return err != nil
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(fmt.Errorf("%w: get it again from the repository", err))
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
