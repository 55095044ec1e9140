package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// made is a row with errors, of the tested windows 0, 1, ...
func made(id string, untrained bool, errors ...float64) row {
	r := row{setting: setting{Row: experiments.Row{ID: id, Name: strings.ToUpper(id), Untrained: untrained}},
		errors: errors}
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
	if len(details) != 3 || !strings.HasPrefix(details[0], "wales, random: The best simple forecast here is \"RIDGE\". "+
		"PENG: better than ASTGCN (-2.017, p ") || !strings.Contains(details[0], "; worse than DCRNN (+1.010, p ") ||
		!strings.Contains(details[0], "; no difference shown from RIDGE (+0.017, p ") ||
		!strings.HasSuffix(details[0], "; not compared, as runs are missing or diverged: \"STIDGCN\".") {
		t.Errorf("details %q", details)
	}
	// Pairs are of the blocks that all rows have, and Holm corrects for all rivals.
	j, err := random.judge("peng")
	if err != nil || len(j.rivals) != 3 {
		t.Fatalf("%+v, %v", j, err)
	}
	single, err := stats.Compare(peng.errors, [][]float64{low.errors}, stats.Test{})
	if err != nil || j.rivals[1].P != single[0].P || j.rivals[1].Corrected < single[0].P {
		t.Errorf("%+v, of one rival alone %+v, %v", j.rivals[1], single, err)
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
					Run: experiments.Run{Model: experiments.Row{ID: id, Name: strings.ToUpper(id)}, Seed: uint64(seed),
						Keys: map[string]string{"dynamics": "heat", "family": family}}})
			}
		}
	}
	return all
}

func TestVerdictOfWorlds(t *testing.T) {
	report := &experiments.Report{Results: worldResults(map[string]map[string][]float64{
		"community": {"constant": {10, 12}, "original": {4, 5}, "peng": {2, 2.5}},
		"grid":      {"constant": {10, 12}, "original": {4, 5}, "peng": {-1, 1}}, // one diverged
	})}
	text, details := Table1().verdict(report)
	if !strings.HasSuffix(text, "heat: PENG (community), ORIGINAL (grid).") {
		t.Errorf("%q", text)
	}
	all := strings.Join(details, "\n")
	for _, want := range []string{"heat: in 1 of 2 families",
		"PENG is below CONSTANT in 1 of 1 families, by community 80%",
		"PENG is below ORIGINAL in 1 of 1 families, by community 50% (the paper's errors 74%); " +
			"not counted: grid (diverged, 1 of 2)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
	alone := report.Results.Where("model", "peng").Where("family", "community")
	text, _ = Table1().verdict(&experiments.Report{Results: alone})
	if !strings.HasSuffix(text, "no world has two models with all their seeds: none are compared.") {
		t.Errorf("one model alone: %q", text)
	}
	missing := slices.Clone(report.Results)
	missing[0].Record = nil // a seed of Constant on community graphs
	text, _ = Table1().verdict(&experiments.Report{Results: missing})
	if !strings.HasPrefix(text, "with 11 of 12 planned runs stored, the lowest mean") {
		t.Errorf("%q does not say how many runs there are", text)
	}
	for i := range missing[1:] {
		missing[1+i].Record = nil
	}
	missing[1].Record = report.Results[1].Record
	text, _ = Table1().verdict(&experiments.Report{Results: missing})
	if !strings.HasPrefix(text, "1 of 12 planned runs are stored, and no world has two") {
		t.Errorf("%q of a single run", text)
	}
	if text, _ := Table1().verdict(&experiments.Report{}); text != "" {
		t.Errorf("a verdict on nothing: %q", text)
	}
}
