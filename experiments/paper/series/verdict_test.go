package series

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/stats"
)

// made returns a row with errors of the tested windows 0, 1, ...
func made(id string, untrained bool, errors ...float64) row {
	r := row{setting: setting{Row: experiments.Row{ID: id, Name: strings.ToUpper(id), Untrained: untrained}},
		errors: errors}
	if model, found := strings.CutSuffix(id, catalogue.TunedEnding); found {
		r.base, r.variant = model, tuned
	}
	for i := range errors {
		r.blocks = append(r.blocks, i)
	}
	return r
}

// compared compares rows with the best simple forecast.
func compared(split Split, best row, rows ...row) comparison {
	return comparison{study: &Forecasting{Country: "wales"}, split: split, rows: append(rows, best), best: &best}
}

// A verdict reports which rows are better, worse and neither by corrected p values. It compares only rows of one
// kind, and no two variants of PENG-CDE.
func TestVerdict(t *testing.T) {
	ridge, low, high := made("ridge", true, 1.1, 2, 2.9), made("dcrnn", false, 0.1, 1.02, 1.9), made("astgcn", false, 3,
		4.1, 5)
	peng := made("peng", false, 1, 2.05, 3)
	short := made("original", false, 3, 3.1)
	short.blocks = []int{0, 2}
	kin := made("peng-linear", false, 0) // no rival, which would leave one block
	random := compared(Random, ridge, peng, kin, low, high, made("dcrnn-tuned", false, 0, 0, 0), made("stidgcn", false))
	text, matrix, details, err := verdict([]comparison{
		random, compared(RollingOrigin, ridge, peng, low, short),
		compared(PurgedRotation, ridge, made("peng", false)), // runs are missing
		{study: &Forecasting{}, split: RollingOrigin, rows: []row{peng}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "No form of PENG-CDE is shown to beat the best simple forecast, nor to be worse (2 comparisons)."
	if text != want {
		t.Errorf("%q, want %q", text, want)
	}
	shown, err := matrix.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| model | beside | Wales, random | Wales, rolling origin | Wales, purged rotation | Rolling origin |",
		"| PENG | best simple forecast | · | · | – | – |", "| | DCRNN | ▼ +1.010 | · | – | – |",
		"| | ASTGCN | ▲ −2.017 | – | – | – |", "| | ORIGINAL | – | · | – | – |",
	} {
		if !strings.Contains(strings.Join(strings.Fields(shown), " "), want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	numbers, err := details.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| PENG | best simple forecast | +0.017 (",
		" (RIDGE) | – (PENG ) | – (best simple forecast is not known) |"} {
		if !strings.Contains(strings.Join(strings.Fields(numbers), " "), want) {
			t.Errorf("no %q in\n%s", want, numbers)
		}
	}
	// Pairs use the blocks that all rows have, and Holm corrects for all rivals.
	rivals, err := random.judge("peng")
	if err != nil || len(rivals) != 4 || rivals[3].Outcome != stats.NotTested {
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

// The answer names who beats the best simple forecast, who does worse, where, and by how much.
func TestAnswer(t *testing.T) {
	comparisons := []comparison{compared(RollingOrigin, row{}), compared(Random, row{})}
	better := judge.Finding{Outcome: stats.Better, Difference: -0.25, Mean: 0.5, P: 0.036}
	worse, open := judge.Finding{Outcome: stats.Worse, Difference: 0.25, Mean: 1, P: 0.0001},
		judge.Finding{Outcome: stats.NotShown}
	line := func(name string, f ...judge.Finding) judge.Line {
		return judge.Line{Row: name, Rival: bestSimple, Findings: f}
	}
	for _, c := range []struct {
		lines []judge.Line
		want  string
	}{
		{[]judge.Line{line("A", better, open), line("B", worse, judge.Finding{}), {Row: "A", Rival: "C",
			Findings: []judge.Finding{worse, worse}}}, "Of the forms of PENG-CDE only A beats the best simple forecast for " +
			"Wales ahead of time (rolling origin), 0.500 against 0.750 (p 0.036). B does worse for Wales ahead of time " +
			"(rolling origin), 1.000 against 0.750 (p < 0.001); in 1 of 3 comparisons with simple forecasts no difference is " +
			"shown."},
		{[]judge.Line{line("A", better, better)}, "A beats the best simple forecast for Wales ahead of time (rolling " +
			"origin), 0.500 against 0.750 (p 0.036) and for Wales on random windows, 0.500 against 0.750 (p 0.036)."},
		{[]judge.Line{line("A", open, worse)}, "No form of PENG-CDE is shown to beat the best simple forecast. A does " +
			"worse for Wales on random windows, 1.000 against 0.750 (p < 0.001); in 1 of 2 comparisons with simple " +
			"forecasts no difference is shown."},
	} {
		if got := answer(judge.Matrix{Lines: c.lines}, comparisons); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Claims on series use the differences of the study's own verdict, between rows with the same ending.
func TestClaimsOnSeries(t *testing.T) {
	ridge, high := made("ridge", true, 1.1, 2, 2.9), made("astgcn", false, 3, 4.1, 5)
	low := made("dcrnn", false, 0.1, 1.02, 1.9)
	alike := made("gn-ode", false, 1.3, 1.9, 3)
	c := compared(Random, ridge, made("peng", false, 1, 2.05, 3), low, high, alike, made("stidgcn", false),
		made("peng-tuned", false), made("dcrnn-tuned", false, 0, 0, 0))
	findings, err := seriesCases([]comparison{c}, ofSeries)
	if err != nil {
		t.Fatal(err)
	}
	if err := judge.CorrectCases(findings); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]stats.Outcome)
	for _, f := range findings {
		got[f.Group+"/"+f.Name] = f.Outcome
	}
	want := map[string]stats.Outcome{"random/DCRNN": stats.Worse, "random/ASTGCN": stats.Better,
		"random/GN-ODE":  stats.NotShown,
		"random/STIDGCN": stats.NotTested, "random, tuned/DCRNN-TUNED": stats.NotTested}
	for key, outcome := range want {
		if got[key] != outcome {
			t.Errorf("%s: %q, want %q", key, got[key], outcome)
		}
	}
	if len(got) != len(want) {
		t.Errorf("findings %v, want %v", got, want)
	}
}

// The blocks of a random split are its seeds, even if some are missing, and of other splits the tested windows; rows
// of published defects and tuned rows are left out.
func TestForecastBlocks(t *testing.T) {
	italy := &Forecasting{Study: experiments.Study{Name: "epidemics"}, Country: "italy"}
	at := func(id string, of []int, errors []float64, runs ...experiments.Result) row {
		return row{setting: setting{Row: experiments.Row{ID: id, Name: strings.ToUpper(id)}}, blocks: of, errors: errors,
			Results: runs}
	}
	other := at("peng"+catalogue.TunedEnding, []int{4, 9}, []float64{0, 0})
	other.variant = tuned
	windows := forecastBlocks([]comparison{{study: italy, split: PurgedRotation, rows: []row{
		at("peng", []int{4, 9}, []float64{1, 2}), other, at("ridge", nil, nil),
		at("zero", []int{9, 14}, []float64{5, 6})}}})
	if got := windows.Matrix.Blocks; !slices.Equal(got, []string{"Italy, purged rotation, 4", "Italy, purged rotation, 9",
		"Italy, purged rotation, 14"}) {
		t.Errorf("blocks %q", got)
	}
	if got := windows.Models; !slices.Equal(got, []string{"peng", "ridge", "zero"}) || windows.Names["peng"] != "PENG" {
		t.Errorf("models %q with names %v", got, windows.Names)
	}
	nan := math.NaN()
	for i, want := range [][]float64{{1, nan, nan}, {2, nan, 5}, {nan, nan, 6}} {
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(windows.Values[i], want, same) {
			t.Errorf("block %d: %v, want %v", i, windows.Values[i], want)
		}
	}
	run := func(seed uint64, errors ...float64) experiments.Result {
		r := experiments.Result{Run: experiments.Run{Seed: seed}}
		if len(errors) > 0 {
			r.Record = &experiments.Record{Facts: &experiments.Facts{Scores: map[string]float64{"test": errors[0]}}}
		}
		return r
	}
	seeds := forecastBlocks([]comparison{{study: italy, split: Random, rows: []row{
		at("peng", nil, nil, run(0, 3), run(1)), at("zero", []int{0, 1}, []float64{7, 8}, run(0, 7), run(1, 8))}}})
	if v := seeds.Values; len(v) != 2 || v[0][0] != 3 || v[0][1] != 7 || !math.IsNaN(v[1][0]) || v[1][1] != 8 {
		t.Errorf("seeds: %v of %q", v, seeds.Matrix.Blocks)
	}
}
