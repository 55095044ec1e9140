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

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// another is the generation before, for the rest of a test or until it is called.
func another(t *testing.T) (back func()) {
	t.Helper()
	generation = Generation - 1
	back = func() { generation = Generation }
	t.Cleanup(back)
	return back
}

// one is tiny with a model and a forecast without one, dealt at random: two runs.
func one() Forecasting {
	e := tiny()
	settings := e.settings
	e.settings = func(p Profile) []Setting {
		return slices.DeleteFunc(settings(p), func(s Setting) bool { return s.Split != Random || s.ID != "three" && s.ID != "zero" })
	}
	return e
}

func goOptions(t *testing.T) Options { return Options{Profile: Quick, Backend: xlatest.Go(t)} }

func run(t *testing.T, e Forecasting, o Options) *ForecastingResults {
	t.Helper()
	results, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func results(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return files
}

// All values are in the identity of a run, those too that are left to defaults.
func TestIdentityHasEveryValue(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	identityOf := func(change func(*Setting)) string {
		t.Helper()
		e := one()
		settings := e.settings
		e.settings = func(p Profile) []Setting {
			all := settings(p)
			model := *all[0].Model
			all[0].Model = &model
			change(&all[0])
			return all[:1]
		}
		_, tasks, err := e.plan(goOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		return string(tasks[0].slot.identity)
	}
	base := identityOf(func(*Setting) {})
	for _, want := range []string{`"Layers":2`, `"Step":0.1`, `"Float":"Float32"`, `"Control":"normalised"`, `"Path":"hermite"`, `"Method":"Tsit5"`, `"Parity":false`,
		`"Patience":15`, `"MinEpochs":20`, `"BatchSize":1`, `"Clip":1`, `"LearningRate":0.01`, `"WeightDecay":0.0001`, `"Beta2":0.999`, `"test":[[`,
		`"data":"`, `"seed":0`} {
		if !strings.Contains(strings.ToLower(base), strings.ToLower(want)) {
			t.Errorf("no %s in %s", want, base)
		}
	}
	adaptive := identityOf(func(s *Setting) { s.Model.Adaptive = &ode.PID{} })
	for _, want := range []string{`"RTol":0.001`, `"ATol":0.000001`, `"I":1`, `"First":0.01`, `"Safety":0.9`, `"Min":0`, `"MaxSteps":4096`} {
		if !strings.Contains(adaptive, want) {
			t.Errorf("no %s in %s", want, adaptive)
		}
	}
	for name, c := range map[string]struct {
		change func(*Setting)
		same   bool
	}{
		"written out": {func(s *Setting) {
			s.Model.Layers, s.Model.Step, s.Model.Outputs = 2, 0.1, 1
			s.Train.Patience, s.Train.AdamW = 15, train.AdamW{LearningRate: 0.01, Beta1: 0.9}
		}, true},
		"step": {func(s *Setting) { s.Model.Step = 0.2 }, false}, "float64": {func(s *Setting) { s.Model.Float64 = true }, false},
		"patience": {func(s *Setting) { s.Train.Patience = 16 }, false}, "no clip": {func(s *Setting) { s.Train.AdamW.Clip = -1 }, false},
		"windows": {func(s *Setting) { s.Dense = true }, false}, "deal": {func(s *Setting) { s.Split = Chronological }, false},
		"field": {func(s *Setting) { s.Model.Field = field.GNODE{} }, false},
	} {
		if got := identityOf(c.change); (got == base) != c.same {
			t.Errorf("%s: %s, want it the same as\n%s: %t", name, got, base, c.same)
		}
	}
}

// A series of other values is other data.
func TestIdentityHasTheData(t *testing.T) {
	series, err := England().Series()
	if err != nil {
		t.Fatal(err)
	}
	before := digestOf(series)
	series.Recent[3][2] *= 1.001
	if digestOf(series) == before {
		t.Error("a changed value has the same digest")
	}
}

// Runs of another generation show as that, are made again on request alone, and go when they are replaced.
func TestStaleRuns(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	e, o := one(), goOptions(t)
	back := another(t)
	old := run(t, e, o)
	back()
	before := results(t, folder)
	shown, err := e.Stored(o)
	if err != nil {
		t.Fatal(err)
	}
	text := markdown(t, shown)
	if stored, _ := shown.Count(); stored != 0 || shown.Stale != 2 || strings.Count(text, "stale, 1 of 1") < 2 || !strings.Contains(text, "--stale") {
		t.Errorf("%d runs are used, %d stale, shown as\n%s", stored, shown.Stale, text)
	}
	for _, c := range shown.Models() {
		if c.Stale != 1 || c.Stored != 0 {
			t.Errorf("counted as %+v", c)
		}
	}
	var said []string
	o.Notice = func(s string) { said = append(said, s) }
	if again := run(t, e, o); again.Stale != 2 || !slices.Equal(results(t, folder), before) || !strings.Contains(strings.Join(said, "\n"), "of 2 runs only another generation") {
		t.Errorf("without Stale: %d stale, files %v, said %q, want them left and told of", again.Stale, results(t, folder), said)
	}
	o.Stale = true
	again := run(t, e, o)
	if stored, _ := again.Count(); stored != 2 || again.Stale != 0 || len(again.Remarks()) != 0 {
		t.Errorf("with Stale: %d runs, %d stale, %q", stored, again.Stale, again.Remarks())
	}
	for _, name := range results(t, folder) {
		if !strings.Contains(name, "-g2-") || !strings.HasSuffix(name, ".json") {
			t.Errorf("left behind: %s", name)
		}
	}
	if again.Rows[0].Runs[0].Test != old.Rows[0].Runs[0].Test {
		t.Error("made again, the run is another, though nothing but the number changed")
	}
}

// Stale runs of worlds show too.
func TestStaleWorlds(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e, o := small(), worldOptions(t)
	o.Models, o.Seeds = []string{"constant"}, []uint64{0}
	back := another(t)
	if _, err := e.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	back()
	r, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if text := worldTable(t, r, OnTest); !strings.Contains(text, "stale, 1 of 1") || !strings.Contains(text, "--stale") || len(r.Runs) > 0 {
		t.Errorf("shown as\n%s", text)
	}
}

// What another backend made is shown, marked, and made anew for the one that computes.
func TestRunsOfAnotherBackend(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	e, o := one(), goOptions(t)
	run(t, e, o)
	other := o
	renamed := *o.Backend
	renamed.Device = "cuda"
	other.Backend = &renamed
	shown, err := e.Stored(other)
	if err != nil {
		t.Fatal(err)
	}
	text := markdown(t, shown)
	if stored, _ := shown.Count(); stored != 2 || shown.Elsewhere["go"] != 1 || !strings.Contains(text, "Three †") || !strings.Contains(text, "† with runs that go computed (1), not cuda") {
		t.Errorf("%d runs, %v elsewhere, shown as\n%s", stored, shown.Elsewhere, text)
	}
	made := 0
	other.Progress = func(_ float64, text string) {
		if strings.Contains(text, "epoch 1/") {
			made++
		}
	}
	again := run(t, e, other)
	if files := results(t, folder); made != 1 || len(again.Elsewhere) != 0 || len(files) != 3 {
		t.Errorf("%d runs made anew, %v elsewhere, files %v, want 1, none and both kept", made, again.Elsewhere, files)
	}
}

// Results from before generations were recorded are told of.
func TestFormerResults(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	if err := os.MkdirAll(filepath.Join(folder, "england-covid"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "england-covid", "0123456789abcdef.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown, err := one().Stored(goOptions(t))
	if err != nil || !strings.Contains(strings.Join(shown.Remarks(), "\n"), "1 results in "+folder) {
		t.Errorf("%v, remarks %q, want one that names the folder", err, shown.Remarks())
	}
}

// One altered byte is found out, whichever it is; white space may change.
func TestAlteredResult(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	e, o := one(), goOptions(t)
	o.Models = []string{"zero"}
	run(t, e, o)
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	alter := func(changed []byte) *ForecastingResults {
		t.Helper()
		if err := os.WriteFile(files[0], changed, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := e.Stored(o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, content, "", "\t"); err != nil {
		t.Fatal(err)
	}
	if r := alter(spaced.Bytes()); len(r.errors()) != 0 {
		t.Errorf("indented: %v", r.errors())
	}
	for i := 1; i < len(content)-2; i += 97 {
		changed := slices.Clone(content)
		changed[i] ^= 1
		if r := alter(changed); len(r.errors()) != 1 || !strings.Contains(r.errors()[0], files[0]+" is damaged") {
			t.Errorf("byte %d altered: %v, want a damaged file", i, r.errors())
		}
	}
	if _, err := e.Run(context.Background(), o); err == nil {
		t.Error("an altered result is used")
	}
	o.Retry = true
	if r := run(t, e, o); len(r.errors()) != 0 {
		t.Errorf("made again: %v", r.errors())
	}
}

// A training is not continued from a checkpoint of another generation, not even where the file's name says otherwise.
func TestCheckpointOfAnotherGeneration(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	e, o := one(), goOptions(t)
	o.Models = []string{"three"}
	interrupted := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		o := o
		o.Progress = func(_ float64, text string) {
			if strings.Contains(text, "epoch 2/") {
				cancel()
			}
		}
		if _, err := e.Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want canceled", err)
		}
	}
	back := another(t)
	interrupted()
	back()
	var said []string
	o.Notice = func(s string) { said = append(said, s) }
	run(t, e, o)
	if len(said) != 0 {
		t.Errorf("said %q, want a training from the start", said)
	}
	checkpoints, err := filepath.Glob(filepath.Join(folder, "*", "*.safetensors"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatalf("checkpoints of the other generation %v, %v, want them kept", checkpoints, err)
	}
	for _, path := range checkpoints {
		if err := os.Rename(path, strings.Replace(path, "-g1-", "-g2-", 1)); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil || len(stored) != 1 || os.Remove(stored[0]) != nil {
		t.Fatalf("%v, %v", stored, err)
	}
	run(t, e, o)
	if text := strings.Join(said, "\n"); !strings.Contains(text, "starts over") {
		t.Errorf("said %q, want that the renamed checkpoint is refused", text)
	}
}

// Parameters that diverge are the model's fault: such a run is stored as diverged, and not made again.
func TestDivergedParametersAreStored(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e, o := one(), goOptions(t)
	settings := e.settings
	e.settings = func(p Profile) []Setting {
		all := settings(p)[:1]
		all[0].Train.AdamW.LearningRate = 1e20
		return all
	}
	r := run(t, e, o)
	if text := markdown(t, r); len(r.Rows[0].Runs) != 1 || r.Rows[0].Runs[0].Failure == "" || !strings.Contains(text, "diverged, 1 of 1") {
		t.Errorf("%+v, shown as\n%s", r.Rows[0], text)
	}
}
