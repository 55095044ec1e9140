package worlds

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// small returns Table1 with two models on graphs of 16 nodes, which train in seconds.
func small() *Worlds {
	w := *Table1()
	w.tasks = w.tasks[:1]
	w.size = func(experiments.Profile) worldsSize {
		return worldsSize{nodes: 16, seeds: 2, epochs: 3, families: catalogue.Families("grid"), evaluateEvery: 1,
			patience: 100,
			models:   []string{"constant", "peng"}}
	}
	return w.complete()
}

func worldTable(t *testing.T, w *Worlds, r *experiments.Report, m Measure) string {
	t.Helper()
	text, err := w.Table(r, "heat", m).Markdown()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWorldsAreRunStoredAndShown(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(experiments.ResultsEnv, folder)
	w, o := small(), studytest.GoOptions(t)
	empty, err := w.Stored(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if text := worldTable(t, w, empty, OnTest); !strings.Contains(text, "No result is stored.") ||
		strings.Contains(text, "11.155") || !strings.Contains(text, "do not compare models") {
		t.Errorf("that no run is stored does not show, or a quick table compares:\n%s", text)
	}
	compared := *empty
	compared.Profile = experiments.Medium
	if text := worldTable(t, w, &compared, OnTest); !strings.Contains(text, "11.155 ± 0.669") {
		t.Errorf("published values do not show:\n%s", text)
	}
	if _, err := w.LossOverTime(empty, "heat", "grid"); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("figure of nothing: %v", err)
	}
	r, err := w.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := r.Count(); stored != 4 || planned != 4 {
		t.Fatalf("%d of %d runs, want 4 of 4", stored, planned)
	}
	for _, result := range r.Results {
		facts := result.Facts()
		mean, errors := 0.0, facts.Arrays["errors"]
		for _, test := range errors {
			for _, e := range test {
				mean += e / float64(len(errors)*len(test))
			}
		}
		test := facts.Scores["test"]
		if len(errors) != 4 || len(errors[0]) != 120 || len(facts.Arrays["events"][0]) != 12 ||
			!(math.Abs(mean-test) <= 1e-9*mean) {
			t.Errorf("%v: %d test graphs, test error %g, the mean over time is %g", result.Run, len(errors), test, mean)
		}
		if !(facts.Scores["interpolation"] > 0) || !(facts.Scores["extrapolation"] > 0) ||
			len(facts.Training.TrainLoss) != 3 || len(facts.Arrays["pictures"]) != pictures {
			t.Errorf("%+v", facts)
		}
		if n := len(facts.Arrays["maps of A'"]); n != map[string]int{"constant": 0, "peng": 2}[result.Model.ID] {
			t.Errorf("%s has weights of %d layers", result.Model.ID, n)
		}
	}
	if scores := r.Results.Where("model", "peng").Scores("test"); scores[0] == scores[1] {
		t.Error("two seeds have the same error")
	}
	loss, err := w.LossOverTime(r, "heat", "grid")
	if err != nil {
		t.Fatal(err)
	}
	studytest.Draw(t, folder, "loss", loss)
	if _, err := w.States(r, "heat", "grid", "peng"); err != nil {
		t.Error(err)
	}
	if quick, err := w.Weights(r, "heat", "grid", "peng"); err != nil || strings.Contains(quick.String(), "1.613") ||
		quick.Finding != r.Caution() {
		t.Errorf("%v, weights of few epochs beside published ones:\n%s", err, quick)
	}
	compared = *r
	compared.Profile = experiments.Medium
	weights, err := w.Weights(&compared, "heat", "grid", "peng")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := weights.Markdown(); err != nil || !strings.Contains(text, "1.613") || strings.Count(text, "\n") < 10 {
		t.Errorf("%v, weights:\n%s", err, text)
	}
	colours, err := w.WeightsMap(r, "heat", "grid", "peng")
	if err != nil {
		t.Fatal(err)
	}
	studytest.Draw(t, folder, "weights", colours)
	graphs, err := WorldGraphs(context.Background(), 16)
	if err != nil {
		t.Fatal(err)
	}
	studytest.Draw(t, folder, "graphs", graphs)
	if _, err := w.Weights(r, "heat", "grid", "constant"); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("weights of a model without any: %v", err)
	}
	for _, m := range []Measure{OnTest, Interpolated, Extrapolated} {
		if text := worldTable(t, w, r, m); strings.Contains(text, "missing, ") {
			t.Errorf("missing runs:\n%s", text)
		}
	}
}

// The last row has the percentages that the paper prints, and a note where its errors give others.
func TestImprovement(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	w := Table1()
	r, err := w.Stored(t.Context(), experiments.Options{Fresh: true, Profile: experiments.Medium})
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range r.Results {
		if result.Keys["family"] == "grid" && (result.Model.ID == "original" || result.Model.ID == "peng") {
			score := map[string]float64{"test": float64(len(result.Model.ID))} // 8 and 4
			r.Results[i].Record = &experiments.Record{Facts: &experiments.Facts{Scores: score}}
		}
	}
	heat, gene := w.Table(r, "heat", OnTest), w.Table(r, "gene", OnTest)
	if text := heat.String(); !strings.Contains(text, "73.84 % |      50 % |       63.70 % |") ||
		strings.Contains(text, "does not follow") {
		t.Errorf("heat:\n%s", text)
	}
	if text := gene.String(); !strings.Contains(text, "67.06 % |") ||
		!strings.Contains(text, "community 67.06 %, by its errors 57.4 %; power law 39.71 %, by its errors 36.0 %; small "+
			"world 54.14 %, by its errors 42.4 %.") {
		t.Errorf("gene:\n%s", text)
	}
}

func TestRounded(t *testing.T) {
	got := rounded([]float64{0, 12345, -0.00123456, 4.9e-324, 1.2345e300})
	if diff := cmp.Diff([]float64{0, 12340, -0.001235, 5e-324, 1.234e300}, got); diff != "" {
		t.Errorf("four digits (-want +got):\n%s", diff)
	}
}

// The defects of the published code change the data.
func TestAsPublishedDiffers(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	o := studytest.GoOptions(t)
	o.Models, o.Seeds = []string{"constant"}, []uint64{0}
	fixed, err := small().Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	published := *Table1AsPublished()
	published.tasks, published.size = small().tasks, small().size
	study := published.complete()
	defective, err := study.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	page, err := study.Page(defective)
	if err != nil || len(page.Figures) == 0 {
		t.Fatalf("%d figures, %v", len(page.Figures), err)
	}
	for _, f := range page.Figures {
		if !strings.HasPrefix(f.Name, study.Name) {
			t.Errorf("figure %s, want a name of its own study, %s", f.Name, study.Name)
		}
	}
	if fixed.Results.Scores("test")[0] == defective.Results.Scores("test")[0] {
		t.Error("the same error with and without the published defects")
	}
}

// A training on whole trajectories continues after an interruption.
func TestInterruptedWorldsGoOn(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	w, o := small(), studytest.GoOptions(t)
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(_ float64, _ time.Duration, text string) {
		if strings.Contains(text, "PENG") && strings.Contains(text, "epoch 2") {
			cancel()
		}
	}
	if _, err := w.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want an interruption", err)
	}
	resumed := ""
	o.Progress, o.Notice = nil, func(text string) { resumed += text }
	r, err := w.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if done, _ := r.Count(); done != 4 || resumed == "" {
		t.Errorf("%d runs are stored, notices %q, want 4 and one that tells of the checkpoint", done, resumed)
	}
}

// Marks of events name their seed.
func TestMarksNameTheirSeed(t *testing.T) {
	got := marks(3, [][]float64{{1, 2}, {2, 3}}, [][]float64{{4, 5}, {6}})
	want := []figures.Mark{{Name: "changes (seed 3)", X: 1.5}, {Name: "changes (seed 3)", X: 2.5},
		{Name: "end of training", X: 5, Bold: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// Our choices in a world are among the notes.
func TestNotesTellOurChoices(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	for _, c := range []struct {
		study          *Worlds
		dynamics, want string
		says           bool
	}{
		{Table1(), "heat", "U(25, 40)", true}, {Table1(), "gene", "amplitude", false},
		{TableWealth(), "wealth", "amplitude 33", true},
		{TableWealth(), "wealth", "depreciation 0 and saving rate 0.5", true},
		{TableWealth(), "opinion", "amplitude 33", true}, {TableWealth(), "opinion", "saving", false},
	} {
		r, err := c.study.Stored(context.Background(), experiments.Options{Fresh: true, Profile: experiments.Quick})
		if err != nil {
			t.Fatal(err)
		}
		r.Results = r.Results.Where("dynamics", c.dynamics)
		notes := strings.Join(c.study.Notes(r), "\n")
		if strings.Contains(notes, c.want) != c.says {
			t.Errorf("%s: %q in the notes: %t, want %t:\n%s", c.dynamics, c.want, !c.says, c.says, notes)
		}
	}
}

// diverging is a learner whose training ends as if it had diverged.
type diverging struct{ experiments.Learner }

func (d diverging) Fit(ctx context.Context, training, validation []dyngraph.Window, c train.Config) (*train.Report,
	error) {
	report, err := d.Learner.Fit(ctx, training, validation, c)
	return report, errors.Join(err, train.ErrNotFinite)
}

// A diverged run has no scores, but stores the scores of its best validated parameters. They equal the scores of a
// run that succeeds.
func TestDivergedWorldsAreScoredBefore(t *testing.T) {
	w, o := small(), studytest.GoOptions(t)
	o.Models, o.Seeds = []string{"constant"}, []uint64{0}
	run := func() *experiments.Facts {
		t.Setenv(experiments.ResultsEnv, t.TempDir())
		r, err := w.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Results[0].Facts()
	}
	well, plan := run(), w.Plan
	w.Plan = func(ctx context.Context, scope experiments.Scope) ([]experiments.Run, error) {
		runs, err := plan(ctx, scope)
		for i := range runs {
			made := runs[i].Model.New
			runs[i].Model.New = func(b *xla.Backend) (experiments.Learner, error) {
				learner, err := made(b)
				return diverging{learner}, err
			}
		}
		return runs, err
	}
	ill := run()
	if ill.Failure == "" || ill.Scores != nil || !cmp.Equal(ill.Before, well.Scores) || well.Before != nil {
		t.Errorf("diverged: %q, scores %v, before %v; want %v", ill.Failure, ill.Scores, ill.Before, well.Scores)
	}
}
