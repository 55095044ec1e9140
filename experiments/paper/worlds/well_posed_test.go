package worlds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// All rows run on the families on which settings are chosen, and the confirmed rows on the other families and at 400
// nodes.
func TestWellPosedPlan(t *testing.T) {
	for profile, want := range map[experiments.Profile]struct{ chosen, others, nodes int }{
		experiments.Medium: {len(wellPosedSize(experiments.Medium).models), len(confirmed), 100},
		experiments.Full:   {len(confirmed), len(confirmed), 400},
	} {
		runs, err := WellPosed().Plan(t.Context(), experiments.Scope{Profile: profile, Seeds: []uint64{0}})
		if err != nil {
			t.Fatal(err)
		}
		rows := make(map[string]int) // by dynamics and family
		for _, run := range runs {
			rows[run.Keys["dynamics"]+" "+run.Keys["family"]]++
			if nodes := run.Spec.(world).sets[0].Nodes; nodes != want.nodes {
				t.Errorf("%s: %v has %d nodes, want %d", profile, run, nodes, want.nodes)
			}
		}
		for _, dynamics := range []string{"heat", "gene"} {
			for family, count := range map[string]int{"community": want.chosen, "power law": want.chosen, "grid": want.others,
				"small world": want.others} {
				if got := rows[dynamics+" "+family]; got != count {
					t.Errorf("%s: %d rows of %s on %s, want %d", profile, got, dynamics, family, count)
				}
			}
		}
	}
}

// trainedReport returns a training for each run of a study: a run of "peng" diverged, a run of "affine" ends with its
// best epoch.
func trainedReport(t *testing.T, study experiments.Study, p experiments.Profile) *experiments.Report {
	t.Helper()
	runs, err := study.Plan(t.Context(), experiments.Scope{Profile: p, Seeds: []uint64{0}})
	if err != nil {
		t.Fatal(err)
	}
	r := &experiments.Report{Study: study, Profile: p}
	for _, run := range runs {
		training := &experiments.Training{TrainLoss: []float64{3, 2, 1}, ValidationLoss: []float64{0, 2, 2.5}, Best: 1,
			GradientNorm: []float64{5, 7, 6}, Tries: []int{40, 50, 60}, SecondsPerEpoch: 0.5, Stop: train.StopEpochs}
		facts := &experiments.Facts{Scores: map[string]float64{"test": 0.5}, Training: training}
		switch at := run.Model.ID + " " + run.Keys["dynamics"] + " " + run.Keys["family"]; at {
		case "peng heat community":
			facts = &experiments.Facts{Failure: "diverged", Training: training}
			training.Stop = train.StopNotFinite
		case "affine heat community":
			training.Best, training.ValidationLoss = 2, []float64{0, 2, 1.5}
			training.LargestNorm, training.Retried, training.Skipped = []float64{5, 900, 6}, []int{0, 2, 0}, []int{0, 1, 0}
		}
		r.Results = append(r.Results, experiments.Result{Run: run, Record: &experiments.Record{Facts: facts}})
	}
	r.All = r.Results
	return r
}

// The table of trainings counts failures, and includes gradients that a guard rejected.
func TestTrainingsOfWellPosed(t *testing.T) {
	table, err := trainingOf(trainedReport(t, WellPosed().Study, experiments.Medium))
	if err != nil {
		t.Fatal(err)
	}
	text, err := table.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"| PENG-CDE | 8 | 1 | 1 | 0 | 2 | 50 | 0.50 | 7 | 0 | 0 |",
		"| PENG-CDE affine | 8 | 0 | 1 | 1 | 2 | 50 | 0.50 | 9e+02 | 2 | 1 |",
		"| PENG-CDE with norm and SiLU and A′ last | 4 | 0 | 0 | 0 | 2 | 50 | 0.50 | 7 | 0 | 0 |",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Rows with a missing or diverged run say so in figures, and have no mean. Rows without runs are left out. Rows are
// compared on the families that all of them have.
func TestFiguresOfWellPosed(t *testing.T) {
	r := trainedReport(t, WellPosed().Study, experiments.Medium)
	for i, run := range r.Results {
		if run.Model.ID == "gn-ode" && run.Keys["dynamics"] == "gene" && run.Keys["family"] == "community" ||
			run.Model.ID == "gn-ode-norm" {
			r.Results[i].Record = nil
		}
		if run.Model.ID == "recommended" && run.Keys["family"] == "grid" {
			run.Record.Facts.Scores = map[string]float64{string(OnTest): 100}
		}
	}
	var drawn catalogue.Drawn
	drawWellPosed(r, &drawn)
	if drawn.Err != nil {
		t.Fatal(drawn.Err)
	}
	alts := make(map[string]string)
	for _, f := range drawn.All {
		alts[f.Name] = f.Figure.Alt()
		studytest.Draw(t, t.TempDir(), f.Name, f.Figure)
	}
	for name, want := range map[string]string{
		"well-posed-heat-errors":  "PENG-CDE diverged, 1 of 2",
		"well-posed-gene-errors":  "GN-ODE missing, 1 of 2",
		"well-posed-gene-norms":   "gene on community and power law graphs",
		"well-posed-heat-norms":   "PENG-CDE affine 900",
		"well-posed-gene-seconds": "PENG-CDE recommended",
	} {
		if !strings.Contains(alts[name], want) {
			t.Errorf("%s: no %q in %q", name, want, alts[name])
		}
	}
	if recommended := "PENG-CDE recommended 0.500"; !strings.Contains(alts["well-posed-heat-errors"], recommended) {
		t.Errorf("a mean with a family that other rows lack: no %q in %q", recommended, alts["well-posed-heat-errors"])
	}
	if name := "GN-ODE with norm over the graph"; strings.Contains(alts["well-posed-heat-errors"], name) {
		t.Errorf("a row without runs: %q", alts["well-posed-heat-errors"])
	}
	if strings.Contains(alts["well-posed-heat-seconds"], "PENG-CDE begins") {
		t.Errorf("a row with a diverged run has a cost: %q", alts["well-posed-heat-seconds"])
	}
}

// A row without all its runs shows those it has, and no mean.
func TestSettingRow(t *testing.T) {
	run := func(error float64, failure string) experiments.Result {
		return experiments.Result{Record: &experiments.Record{Facts: &experiments.Facts{Failure: failure,
			Scores: map[string]float64{string(OnTest): error}}}}
	}
	score := func(r experiments.Result) float64 { return r.Facts().Scores[string(OnTest)] }
	for _, c := range []struct {
		runs  experiments.Results
		none  string
		seeds []float64
	}{
		{experiments.Results{run(1, ""), run(3, "")}, "", []float64{1, 3}},
		{experiments.Results{run(1, ""), {}}, "missing, 1 of 2", []float64{1}},
		{experiments.Results{run(1, ""), run(3, "NaN")}, "diverged, 1 of 2", []float64{1}},
		{experiments.Results{run(1, ""), run(math.MaxFloat64, "")}, notFinite, []float64{1}},
	} {
		row := settingRow(c.runs, score, floats.Max)
		if row.None != c.none || !slices.Equal(row.Seeds, c.seeds) {
			t.Errorf("%q with %v, want %q with %v", row.None, row.Seeds, c.none, c.seeds)
		}
		if want := figures.Number(3); c.none == "" && fmt.Sprint(row.Value) != fmt.Sprint(want) {
			t.Errorf("value %v, want %v", row.Value, want)
		}
	}
}
