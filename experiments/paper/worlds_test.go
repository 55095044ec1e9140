package experiments

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// small is Table1 with two models on graphs of 16 nodes, which train in seconds.
func small() Worlds {
	e := Table1()
	e.tasks = e.tasks[:1]
	e.size = func(Profile) worldsSize {
		return worldsSize{nodes: 16, seeds: 2, epochs: 3, families: families("grid"), evaluateEvery: 1, patience: 100, models: []string{"constant", "peng"}}
	}
	return e
}

func worldOptions(t *testing.T) Options { return Options{Profile: Quick, Backend: xlatest.Go(t)} }

func worldTable(t *testing.T, r *WorldResults, m Measure) string {
	t.Helper()
	text, err := r.Table("heat", m).Markdown()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWorldsAreRunStoredAndShown(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	e, o := small(), worldOptions(t)
	empty, err := e.Stored(o)
	if err != nil {
		t.Fatal(err)
	}
	if text := worldTable(t, empty, OnTest); strings.Count(text, "missing, 2 of 2") != 2 || !strings.Contains(text, "11.155 ± 0.669") {
		t.Errorf("missing runs or published values do not show:\n%s", text)
	}
	if _, err := empty.LossOverTime("heat", "grid"); !errors.Is(err, ErrInput) {
		t.Errorf("figure of nothing: %v", err)
	}
	results, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := results.Count(); stored != 4 || planned != 4 {
		t.Fatalf("%d of %d runs, want 4 of 4", stored, planned)
	}
	for _, run := range results.Runs {
		mean := 0.0
		for _, test := range run.Tests {
			for _, e := range test.Errors {
				mean += e / float64(len(run.Tests)*len(test.Errors))
			}
		}
		if len(run.Tests) != 4 || len(run.Tests[0].Errors) != 120 || len(run.Tests[0].Events) != 12 || math.Abs(mean-run.Test) > 1e-9*mean {
			t.Errorf("%s, seed %d: %d test graphs, test error %g, the mean over time is %g", run.Model.ID, run.Seed, len(run.Tests), run.Test, mean)
		}
		if !(run.Interpolation > 0) || !(run.Extrapolation > 0) || len(run.TrainLoss) != 3 || len(run.Pictures) != pictures {
			t.Errorf("%+v", run)
		}
		if weights := len(run.Fusion); weights != map[string]int{"constant": 0, "peng": 2}[run.Model.ID] {
			t.Errorf("%s has weights of %d layers", run.Model.ID, weights)
		}
	}
	if results.Runs[0].Test == results.Runs[2].Test {
		t.Error("two seeds have the same error")
	}

	again, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(results.Records, again.Records, cmp.AllowUnexported(synthetic.Config{}), cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".World" || p.Last().String() == ".Model"
	}, cmp.Ignore())); diff != "" {
		t.Errorf("found again (-computed +found):\n%s", diff)
	}

	loss, err := results.LossOverTime("heat", "grid")
	if err != nil {
		t.Fatal(err)
	}
	draw(t, folder, "loss", loss)
	if _, err := results.States("heat", "grid", "peng"); err != nil {
		t.Error(err)
	}
	weights, err := results.Weights("heat", "grid", "peng")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := weights.Markdown(); err != nil || !strings.Contains(text, "1.613") || strings.Count(text, "\n") < 10 {
		t.Errorf("%v, weights:\n%s", err, text)
	}
	colours, err := results.WeightsMap("heat", "grid", "peng")
	if err != nil {
		t.Fatal(err)
	}
	draw(t, folder, "weights", colours)
	graphs, err := WorldGraphs(context.Background(), 16)
	if err != nil {
		t.Fatal(err)
	}
	draw(t, folder, "graphs", graphs)
	if _, err := results.Weights("heat", "grid", "constant"); !errors.Is(err, ErrInput) {
		t.Errorf("weights of a model without any: %v", err)
	}
	for _, m := range []Measure{OnTest, Interpolated, Extrapolated} {
		if text := worldTable(t, results, m); strings.Contains(text, "missing, ") {
			t.Errorf("missing runs:\n%s", text)
		}
	}
}

func TestRounded(t *testing.T) {
	got := rounded([]float64{0, 12345, -0.00123456, 4.9e-324, 1.2345e300})
	if diff := cmp.Diff([]float64{0, 12340, -0.001235, 5e-324, 1.234e300}, got); diff != "" {
		t.Errorf("four digits (-want +got):\n%s", diff)
	}
}

// draw writes a figure, to be looked at with -v beside the folder's other files.
func draw(t *testing.T, folder, name string, f *figures.Figure) {
	t.Helper()
	path := filepath.Join(folder, name+".png")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 2000 {
		t.Errorf("%s is empty", path)
	}
}

// The defects of the published code change the data.
func TestAsPublishedDiffers(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	o := worldOptions(t)
	o.Models, o.Seeds = []string{"constant"}, []uint64{0}
	fixed, err := small().Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	published := small()
	published.AsPublished = true
	defective, err := published.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if fixed.Runs[0].Test == defective.Runs[0].Test {
		t.Error("the same error with and without the published defects")
	}
}

func TestInterruptedWorldsGoOn(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	e, o := small(), worldOptions(t)
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(fraction float64, text string) {
		if strings.Contains(text, "PENG") && strings.Contains(text, "epoch 2") {
			cancel()
		}
	}
	if _, err := e.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want an interruption", err)
	}
	stored, err := e.Stored(o)
	if err != nil {
		t.Fatal(err)
	}
	if done, planned := stored.Count(); done != 1 || planned != 4 {
		t.Errorf("%d of %d runs are stored, want 1 of 4", done, planned)
	}
	resumed := ""
	o.Progress, o.Notice = nil, func(text string) { resumed += text }
	results, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if done, _ := results.Count(); done != 4 || resumed == "" {
		t.Errorf("%d runs are stored, notices %q, want 4 and one that tells of the checkpoint", done, resumed)
	}
}

// Marks of events name the seed that they are of.
func TestMarksNameTheirSeed(t *testing.T) {
	run := WorldRun{Seed: 3, Tests: []WorldTest{{Events: []float64{1, 2}, Trained: 4}, {Events: []float64{2, 3}, Trained: 5}}}
	got := marks(run, append(run.Tests, WorldTest{Events: []float64{9, 9}, Trained: 6}))
	want := []figures.Mark{{Name: "changes (seed 3)", X: 1.5}, {Name: "changes (seed 3)", X: 2.5}, {Name: "end of training", X: 5, Bold: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// What is ours in a world stands under its table.
func TestUnknownWorldModel(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	if _, err := small().Stored(Options{Profile: Quick, Models: []string{"none"}}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("got %v, want an error that names the model", err)
	}
}

// A run that diverged in its first epoch shows as that, and does not count as fast.
func TestDivergedWorldsShow(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	_, tasks, err := small().plan(Options{Profile: Quick, Models: []string{"peng"}})
	if err != nil {
		t.Fatal(err)
	}
	r := &WorldResults{Experiment: small(), Profile: Quick}
	r.add(tasks[0], found[WorldRun]{record: &Record[WorldRun]{Run: &WorldRun{Failure: "loss NaN"}}})
	r.add(tasks[1], found[WorldRun]{record: &Record[WorldRun]{Run: &WorldRun{Test: 1, Training: Training{TrainLoss: []float64{1}, SecondsPerEpoch: 7}}}})
	if text := worldTable(t, r, OnTest); !strings.Contains(text, "diverged, 1 of 2") || !strings.Contains(text, "7.00") {
		t.Errorf("a diverged run and one of 7 s an epoch show as:\n%s", text)
	}
}

func TestNotesTellOurChoices(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	for _, c := range []struct {
		experiment     Worlds
		dynamics, want string
		says           bool
	}{
		{Table1(), "heat", "U(25, 40)", true}, {Table1(), "gene", "amplitude", false},
		{TableWealth(), "wealth", "amplitude 33", true}, {TableWealth(), "wealth", "Depreciation 0 and saving rate 0.5", true},
		{TableWealth(), "opinion", "amplitude 33", true}, {TableWealth(), "opinion", "saving", false},
	} {
		r, err := c.experiment.Stored(Options{Profile: Quick})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(r.Table(c.dynamics, OnTest).Notes, "\n"); strings.Contains(notes, c.want) != c.says {
			t.Errorf("%s: %q in the notes: %t, want %t:\n%s", c.dynamics, c.want, !c.says, c.says, notes)
		}
	}
}

func TestFixturePaperTables(t *testing.T) {
	file := fixture.Load(t, "paper_tables")
	for title, dynamics := range map[string]string{"Heat diffusion": "heat", "Gene regulation": "gene", "Wealth": "wealth", "Opinion": "opinion"} {
		for row := range publishedErrors[dynamics] {
			for _, family := range families() {
				got, ok := publishedError(dynamics, family.Name(), row)
				want := file.Get(title).Get(row).Get(strings.ReplaceAll(family.Name(), " ", "_")).List()
				if !ok || got[0] != want[0].Float() || got[1] != want[1].Float() {
					t.Errorf("%s, %s, %s: %v, want %v", dynamics, row, family.Name(), got, want)
				}
			}
		}
	}
	if len(publishedErrors) != 4 || len(publishedErrors["heat"]) != 6 || len(publishedWeights) != 8 {
		t.Error("published rows are missing")
	}
}
