package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/stats"
)

// made is a row with errors, of the tested windows 0, 1, ...
func made(id string, untrained bool, errors ...float64) row {
	r := row{setting: setting{Model: experiments.Model{ID: id, Name: strings.ToUpper(id), Untrained: untrained}},
		errors: errors}
	if model, found := strings.CutSuffix(id, tunedEnding); found {
		r.base, r.variant = model, tuned
	}
	for i := range errors {
		r.of = append(r.of, i)
	}
	return r
}

// compared are rows beside the best simple forecast.
func compared(split Split, best row, rows ...row) comparison {
	return comparison{place: &Forecasting{Country: "wales"}, split: split, rows: append(rows, best), best: &best}
}

// A verdict tells which rows are better, worse and neither by corrected p values, and compares rows of one kind alone,
// but no two variants of PENG-CDE.
func TestVerdict(t *testing.T) {
	ridge, low, high := made("ridge", true, 1.1, 2, 2.9), made("dcrnn", false, 0.1, 1.02, 1.9), made("astgcn", false, 3, 4.1, 5)
	peng := made("peng", false, 1, 2.05, 3)
	short := made("original", false, 3, 3.1)
	short.of = []int{0, 2}
	kin := made("peng-linear", false, 0) // no rival, which would leave one block
	random := compared(Random, ridge, peng, kin, low, high, made("dcrnn-tuned", false, 0, 0, 0), made("stidgcn", false))
	text, matrix, details, err := verdict([]comparison{
		random, compared(RollingOrigin, ridge, peng, low, short),
		compared(PurgedRotation, ridge, made("peng", false)), // runs are missing
		{place: &Forecasting{}, split: RollingOrigin, rows: []row{peng}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Beside the best simple forecast of each split, PENG is better on 0 and worse on 0 of 2."; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	shown, err := matrix.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| model | beside | wales, random | wales, rolling-origin | wales, purged-rotation | rolling-origin |",
		"| PENG | best simple forecast | · | · | – | – |", "| | DCRNN | ▼ +1.010 | · | – | – |",
		"| | ASTGCN | ▲ −2.017 | – | – | – |", "| | ORIGINAL | – | · | – | – |",
	} {
		if !strings.Contains(strings.Join(strings.Fields(shown), " "), want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if len(details) != 4 || !strings.HasPrefix(details[0], "PENG beside best simple forecast: wales, random +0.017 (") ||
		!strings.Contains(details[0], " (RIDGE); wales, rolling-origin ") ||
		!strings.HasSuffix(details[0], "wales, purged-rotation – (PENG ); rolling-origin – (best simple forecast is "+
			"not known)") {
		t.Errorf("details %q", details)
	}
	// Pairs are of the blocks that all rows have, and Holm corrects for all rivals.
	rivals, err := random.judge("peng")
	if err != nil || len(rivals) != 4 || rivals[3].Outcome != judge.NotTested {
		t.Fatalf("%+v, %v", rivals, err)
	}
	single, err := stats.Compare(peng.errors, [][]float64{low.errors}, stats.Test{})
	if err != nil || rivals[1].Raw != single[0].P || rivals[1].P < single[0].P {
		t.Errorf("%+v, of one rival alone %+v, %v", rivals[1], single, err)
	}
	if text, matrix, details, err := verdict(nil); text != "" || matrix != nil || details != nil || err != nil {
		t.Errorf("a verdict on nothing: %q, %v", text, err)
	}
}

// worldResults have test errors by family of graphs and model; one below 0 is of a diverged run.
func worldResults(errors map[string]map[string][]float64) (all experiments.Results) {
	for _, family := range []string{"community", "grid"} {
		for _, id := range []string{"constant", "original", "peng"} {
			for seed, e := range errors[family][id] {
				facts := &experiments.Facts{Scores: map[string]float64{"test": e}}
				if e < 0 {
					facts = &experiments.Facts{Failure: "diverged"}
				}
				all = append(all, experiments.Result{Record: &experiments.Record{Facts: facts},
					Run: experiments.Run{Model: experiments.Model{ID: id, Name: strings.ToUpper(id)}, Seed: uint64(seed),
						Keys: map[string]string{"dynamics": "heat", "family": family}}})
			}
		}
	}
	return all
}

// The text names the models with the lowest errors; the matrix tests PENG-CDE in each world, and leaves out what lacks
// runs.
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
	if text := text(report); !strings.HasSuffix(text, "heat: PENG (community), ORIGINAL (grid).") {
		t.Errorf("%q", text)
	}
	m, err := Table1().matrix(report)
	if err != nil || len(m.Lines) != 2 || !slices.Equal(m.Cases, []string{"heat, community", "heat, grid", "heat, all"}) {
		t.Fatalf("%+v, %v", m, err)
	}
	original := m.Lines[1].Findings
	if f := original[0]; f.Outcome != judge.Better || percent(f.Difference) != "50% lower" ||
		f.Note != "the paper: 74% lower" {
		t.Errorf("%+v", f)
	}
	for _, f := range original[1:] {
		if f.Outcome != judge.NotTested || !strings.Contains(f.Note, "diverged, 1 of ") {
			t.Errorf("%+v", f)
		}
	}
	alone := report.Results.Where("model", "peng").Where("family", "community")
	if text := text(&experiments.Report{Results: alone}); !strings.HasSuffix(text, "none are compared.") {
		t.Errorf("one model alone: %q", text)
	}
	missing := slices.Clone(report.Results)
	missing[0].Record = nil // a seed of Constant on community graphs
	if text := text(&experiments.Report{Results: missing}); !strings.HasPrefix(text, "with 11 of 12 planned runs stored, ") {
		t.Errorf("%q does not say how many runs there are", text)
	}
	for i := range missing[1:] {
		missing[1+i].Record = nil
	}
	missing[1].Record = report.Results[1].Record
	if text := text(&experiments.Report{Results: missing}); !strings.HasPrefix(text, "1 of 12 planned runs are stored, ") {
		t.Errorf("%q of a single run", text)
	}
	if text := text(&experiments.Report{}); text != "" {
		t.Errorf("a verdict on nothing: %q", text)
	}
}
