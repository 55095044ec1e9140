package worlds

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// worldResults returns results with test errors by family of graphs and model; an error below 0 means a diverged run.
func worldResults(errors map[string]map[string][]float64) (all experiments.Results) {
	for _, family := range []string{"community", "grid"} {
		for _, id := range []string{"constant", "original", "peng"} {
			for seed, e := range errors[family][id] {
				facts := &experiments.Facts{Scores: map[string]float64{"test": e}}
				if e < 0 {
					facts = &experiments.Facts{Failure: "diverged"}
				}
				all = append(all, experiments.Result{Record: &experiments.Record{Facts: facts},
					Run: experiments.Run{Model: experiments.Row{ID: id, Name: strings.ToUpper(id)}, Seed: uint64(seed),
						Keys: map[string]string{"dynamics": "heat", "family": family}}})
			}
		}
	}
	return all
}

// The text names the models with the lowest errors; the matrix tests PENG-CDE in each world, and leaves out
// incomplete rows.
func TestVerdictOfWorlds(t *testing.T) {
	report := &experiments.Report{Profile: experiments.Medium, Results: worldResults(map[string]map[string][]float64{
		"community": {"constant": {10, 12}, "original": {4, 5}, "peng": {2, 2.5001}},
		"grid":      {"constant": {10, 12}, "original": {4, 5}, "peng": {-1, 1}}, // one diverged
	})}
	text := func(r *experiments.Report) string {
		text, _, _, err := Table1().Verdict(r)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const leaders = "Among models with all their seeds PENG has the lowest mean error in heat, community; ORIGINAL in " +
		"heat, grid. Training diverged for PENG in 1 of 4 runs."
	if text := text(report); !strings.HasSuffix(text, leaders) {
		t.Errorf("%q", text)
	}
	m, err := Table1().matrix(report)
	if err != nil || len(m.Lines) != 2 ||
		!slices.Equal(m.Cases, []string{"heat, community", "heat, grid", "heat, all graphs"}) {
		t.Fatalf("%+v, %v", m, err)
	}
	original := m.Lines[1].Findings
	if f := original[0]; f.Outcome != stats.Better || change(f.Difference, 0) != "2 times lower" ||
		f.Note != "the paper: 3.8 times lower" {
		t.Errorf("%+v", f)
	}
	for _, f := range original[1:] {
		if f.Outcome != stats.NotTested || !strings.Contains(f.Note, "diverged, 1 of ") {
			t.Errorf("%+v", f)
		}
	}
	alone := report.Results.Where("model", "peng").Where("family", "community")
	if text := text(&experiments.Report{Results: alone}); !strings.Contains(text, "have all their seeds.") {
		t.Errorf("one model alone: %q", text)
	}
	missing := slices.Clone(report.Results)
	missing[0].Record = nil // a seed of Constant on community graphs
	if text := text(&experiments.Report{Results: missing}); !strings.Contains(text,
		leaders+" Stored runs: 11 of 12 planned.") {
		t.Errorf("%q does not say how many runs there are", text)
	}
	for i := range missing[1:] {
		missing[1+i].Record = nil
	}
	missing[1].Record = report.Results[1].Record
	if text := text(&experiments.Report{Results: missing}); !strings.HasPrefix(text, "No model is best yet: ") ||
		!strings.HasSuffix(text, "Stored runs: 1 of 12 planned.") {
		t.Errorf("%q of a single run", text)
	}
	if text := text(&experiments.Report{}); text != "" {
		t.Errorf("a verdict on nothing: %q", text)
	}
}

// P values are corrected for rivals whose runs are missing, but not for models that the world does not plan.
func TestCorrectedForPlannedRivals(t *testing.T) {
	results := worldResults(map[string]map[string][]float64{"community": {"constant": {10, 12, 11, 13, 9},
		"original": {4, 5, 4, 5, 4}, "peng": {2, 2.5, 2.2, 2.6, 1.9}}})
	originals := func(results experiments.Results) judge.Finding {
		t.Helper()
		findings, err := contest{results: results, paper: func(string, string) string { return "" }}.
			findings("peng", []string{"constant", "original"})
		if err != nil {
			t.Fatal(err)
		}
		return findings[1]
	}
	missing := slices.Clone(results)
	for i := range missing {
		if missing[i].Model.ID == "constant" {
			missing[i].Record = nil
		}
	}
	unplanned := slices.DeleteFunc(slices.Clone(results), func(r experiments.Result) bool { return r.Model.ID == "constant" })
	if two, one := originals(missing), originals(unplanned); one.P != one.Raw || two.P != 2*one.P || two.Raw != one.Raw {
		t.Errorf("p %g (raw %g) with a rival without runs and %g (raw %g) without that rival, want twice as much and equal",
			two.P, two.Raw, one.P, one.Raw)
	}
}

// Runs of the simulated worlds have a diagram of all dynamics and a diagram of each; runs of profile quick have none.
// Few rivals are named one by one, of many the nearest and the farthest. Undecided and untested rivals are counted.
func TestSummary(t *testing.T) {
	m := judge.Matrix{Write: change, Cases: []string{"heat, all graphs"}}
	add := func(rival string, o stats.Outcome, times float64) {
		m.Add("PENG", rival, 0, judge.Finding{Outcome: o, Difference: -math.Log(times)})
	}
	says := func(want string) {
		t.Helper()
		if got := summary(m, []contest{{name: "heat, all graphs", several: true}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	add("NONE", stats.NotTested, 1)
	says("")
	add("E", stats.NotShown, 2)
	says("Heat, all graphs: no difference of PENG from E is shown; 1 not tested. ")
	m.Lines = nil
	add("B", stats.Better, 4)
	add("A", stats.Better, 2)
	add("D", stats.Better, 30)
	add("NONE", stats.NotTested, 1)
	says("Heat, all graphs: PENG is better than A (2 times lower), B (4 times lower) and D (30 times lower); 1 not " +
		"tested. ")
	add("C", stats.Better, 8)
	says("Heat, all graphs: PENG is better than all 4 tested models, from A (2 times lower) to D (30 times lower); 1 " +
		"not tested. ")
	add("LAW", stats.Worse, 1.0/50)
	add("E", stats.NotShown, 2)
	says("Heat, all graphs: PENG is better than 4 of 6 tested models, from A (2 times lower) to D (30 times lower), and " +
		"worse than LAW (50 times higher); 1 undecided; 1 not tested. ")
}

func TestWorldsAreRanked(t *testing.T) {
	r := worldsOf(Table1(), func(dynamics, id string, block int) float64 {
		return float64(len(id)) * (1 + 0.1*float64((block*len(dynamics)+len(id))%7))
	})
	diagrams := func() (titles []string) {
		items, err := r.Study.Show(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if f, ok := item.(*figures.Figure); ok {
				titles = append(titles, f.Title())
			}
		}
		return titles
	}
	if got := diagrams(); len(got) != 3 || !strings.Contains(got[0], "all dynamics") || !strings.Contains(got[1], "heat") {
		t.Errorf("diagrams %q", got)
	}
	r.Profile = experiments.Quick
	if got := diagrams(); len(got) != 0 {
		t.Errorf("quick runs are ranked: %q", got)
	}
}

// Four models have bands, the recommended field and the paper's subjects first.
func TestBanded(t *testing.T) {
	got := banded([]string{"constant", "gn-ode", "pre-mult", "original", "peng", "recommended", "peng15"})
	if want := []string{"recommended", "peng", "original", "gn-ode"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := banded([]string{"peng"}); len(got) != 1 {
		t.Errorf("%q of one", got)
	}
}
