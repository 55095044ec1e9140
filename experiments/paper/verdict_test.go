package paper

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// made is a row with errors, of the tested windows 0, 1, ...
func made(name string, untrained bool, errors ...float64) row {
	r := row{setting: setting{Model: experiments.Model{ID: name, Name: name, Untrained: untrained}}, errors: errors}
	for i := range errors {
		r.of = append(r.of, i)
	}
	return r
}

// A verdict counts the splits in which simple forecasts are better, those beyond the interval, and those in which they
// are not, and leaves out what is not complete.
func TestVerdict(t *testing.T) {
	compared := func(split Split, best row, rows ...row) comparison {
		return comparison{place: &Forecasting{}, split: split, rows: append(rows, best), best: &best,
			over: experiments.Interval{Of: stats.MeanCI}}
	}
	ridge := made("ridge", true, 1, 2, 3)
	text, details := verdict([]comparison{
		compared(Random, ridge, made("A", false, 2, 3, 4), made("B", false, 9, 9, 9)), // by 1, always
		compared(PurgedRotation, ridge, made("A", false, 0, 6, 3.5)),                  // by 1.17, widely
		compared(RollingOrigin, ridge, made("A", false, 0.5, 1.4, 2.5)),
		compared(RollingOrigin, ridge, made("A", false)), // runs are missing
		{place: &Forecasting{}, split: RollingOrigin, rows: []row{made("A", false, 1)}},
	})
	for _, want := range []string{"with 2 of 3 splits a simple forecast", "model (A; B), with 1 of them by more", "interval; with 1 a"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q, want %q in it", text, want)
		}
	}
	if len(details) != 3 || details[0] != `random: +1.000 ("A" minus "ridge")` ||
		!strings.HasPrefix(details[1], "purged-rotation: +1.167 ± ") ||
		!strings.HasPrefix(details[2], "rolling-origin: -0.533 ± ") {
		t.Errorf("details %q", details)
	}
	if text, details := verdict(nil); text != "" || details != nil {
		t.Errorf("a verdict on nothing: %q", text)
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
	for _, want := range []string{"heat: in 1 of 2 families", "PENG-CDE is below CONSTANT in 1 of 1 families, by community 80%",
		"PENG-CDE is below ORIGINAL in 1 of 1 families, by community 50% (the paper 74%); not counted: grid (diverged, 1 of 2)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
	if text, _ := Table1().verdict(&experiments.Report{}); text != "" {
		t.Errorf("a verdict on nothing: %q", text)
	}
}
