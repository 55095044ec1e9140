package ranking

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/figures"
)

// rankings returns a report on the runs of a profile with made-up scores; 0 leaves a run missing.
func rankings(t *testing.T, p experiments.Profile, score func(experiments.Run) float64) (*Affinity,
	*experiments.Report) {
	t.Helper()
	study := NodeAffinity()
	runs, err := study.Plan(context.Background(), experiments.Scope{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	r := &experiments.Report{Study: study.Study, Profile: p}
	for _, run := range runs {
		result := experiments.Result{Run: run}
		if s := score(run); s > 0 {
			result.Record = &experiments.Record{Facts: &experiments.Facts{Scores: map[string]float64{testScore: s},
				Arrays: map[string][][]float64{testTimes: {{1998 + float64(run.Fold)}, {s}}}}}
		}
		r.Results = append(r.Results, result)
	}
	r.All = r.Results
	return study, r
}

// Every protocol has every row, windows all but networks that learn from a stream, untrained rows once except on
// windows, and the rotation tests each of the last label times.
func TestNodeAffinityPlan(t *testing.T) {
	for _, p := range experiments.Profiles() {
		size := affinitySizes(p)
		runs, err := NodeAffinity().Plan(context.Background(), experiments.Scope{Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		want, trained := 0, 0
		for _, row := range size.rows("agtpa-trade") {
			for _, protocol := range size.protocols {
				if row.stream != nil && protocol == RandomWindows {
					continue
				}
				seeds, folds := size.seeds, 1
				if row.Untrained && protocol != RandomWindows {
					seeds = 1
				}
				if protocol == YearRotation {
					folds = size.rotated
				}
				want += seeds * folds
			}
			if !row.Untrained {
				trained++
			}
		}
		if len(runs) != want || trained == 0 {
			t.Errorf("%s: %d runs, want %d, of %d trained rows", p, len(runs), want, trained)
		}
	}
}

// Runs are made, stored and shown.
func TestNodeAffinityIsRunStoredAndShown(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a network")
	}
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	a := *NodeAffinity()
	a.size = func(experiments.Profile) affinitySize {
		s := affinitySizes(experiments.Quick)
		s.hidden, s.encoded, s.training.Epochs, s.models, s.protocols = 2, 1, 2, []string{catalogue.PersistentID,
			catalogue.ResidualID},
			[]Protocol{OfficialStrict}
		return s
	}
	study, options := a.complete(), studytest.GoOptions(t)
	r, err := study.Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := r.Count(); stored != 2 || planned != 2 {
		t.Fatalf("%d of %d runs, want 2 of 2", stored, planned)
	}
	for _, result := range r.Results {
		facts := result.Facts()
		if facts.Failure != "" || facts.Scores[testScore] <= 0 || len(facts.Arrays[testByNode]) != 2 {
			t.Errorf("%v: %+v", result.Run, facts.Scores)
		}
		// The values in the data's description: 2004 and 2005.
		if result.Model.ID == catalogue.PersistentID && (facts.Scores[testScore] < 0.97371 ||
			facts.Scores[testScore] > 0.97373) {
			t.Errorf("Persistent Forecast has %.5f, want 0.97372", facts.Scores[testScore])
		}
	}
	if _, err := r.Items(); err != nil {
		t.Error(err)
	}
}

// The verdict follows the numbers, and rows that lack runs are not judged.
func TestNodeAffinityVerdict(t *testing.T) {
	study, r := rankings(t, experiments.Medium, func(run experiments.Run) float64 {
		wobble := 0.001 * float64(run.Fold%3)
		switch run.Model.ID {
		case "peng11":
			return 0
		case catalogue.ResidualID:
			return 0.98 + wobble + 0.0001*float64(run.Seed)
		case catalogue.PersistentID:
			return 0.97 + wobble
		case gatedResidualID:
			return 0.88 + 0.4*wobble
		case "ridge":
			return 0.97 + 0.001*float64(run.Fold%2)
		}
		return 0.9 + 0.5*wobble
	})
	text, matrix, details, err := study.Verdict(r)
	if err != nil {
		t.Fatal(err)
	}
	want := "PENG-CDE with a log-linear part is shown to beat Persistent Forecast on agtpa-trade, in forecasts of the " +
		"last 8 label times. No difference from it is shown for Ridge; 22 of 24 forecasts are worse. PENG-CDE " +
		"with a log-linear part is better than Log-linear, +0.0807 (+0.0802 to +0.0811). PENG-CDE affine on gated state is " +
		"worse than Gated state, −0.0201 (−0.0202 to −0.0200)."
	if text != want {
		t.Errorf("no %q in the verdict %s", want, text)
	}
	shown, err := matrix.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| PENG-CDE with a log-linear part | Persistent Forecast (L) | ▲ +0.0101 |",
		"| Ridge | Persistent Forecast (L) | · |", "| Log-linear | ▲ +0.0807 |",
		"| PENG-CDE affine on gated state | Persistent Forecast (L) | ▼ −0.0907 |", "| Gated state | ▼ −0.0201 |",
		"| PENG-CDE with 11 maps | Persistent Forecast (L) | – |"} {
		if !strings.Contains(strings.Join(strings.Fields(shown), " "), want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	numbers, err := details.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| – (PENG-CDE with 11 maps missing, 24 of 24) |",
		"| PENG-CDE with a log-linear part | Persistent Forecast (L) | +0.0101"} {
		if !strings.Contains(strings.Join(strings.Fields(numbers), " "), want) {
			t.Errorf("no %q in\n%s", want, numbers)
		}
	}
	tables, err := study.Tables(r)
	if err != nil {
		t.Fatal(err)
	}
	table := tables[0].(interface{ String() string }).String()
	if !strings.Contains(table, "No result is stored for PENG-CDE with 11 maps.") || !strings.Contains(table, "0.0101") {
		t.Errorf("the table\n%s", table)
	}
	folder := t.TempDir()
	for says, drawn := range map[string]func(*experiments.Report, string) (*figures.Figure, error){
		"PENG-CDE with a log-linear part": study.Differences, "1999": study.Times} {
		f, err := drawn(r, "agtpa-trade")
		if err != nil || !strings.Contains(f.Alt(), says) {
			t.Fatalf("%s: %v, %v", says, err, f)
		}
		studytest.Draw(t, folder, says, f)
	}
	if _, err := study.Times(r, "agtpa"); !errors.Is(err, experiments.ErrInput) ||
		!strings.Contains(err.Error(), "agtpa-trade") {
		t.Errorf("other data: %v", err)
	}
	some := *r
	some.Results = r.Results.Where("model", "ridge")
	if _, err := study.Countries(&some, "agtpa-trade", catalogue.ResidualID); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("a figure of a row that was not asked for: %v", err)
	}
	if _, err := study.Show(&some); err != nil {
		t.Errorf("one row: %v", err)
	}
	empty, none := rankings(t, experiments.Medium, func(experiments.Run) float64 { return 0 })
	if text, matrix, _, err := empty.Verdict(none); err != nil || text != "" || matrix != nil {
		t.Errorf("a verdict on nothing: %s", text)
	}
	if _, err := empty.Times(none, "agtpa-trade"); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("a figure of nothing: %v", err)
	}
	if _, err := empty.Show(none); err != nil {
		t.Error(err)
	}
}

// Your own data in the format of tgbn-trade are another data set; missing files are named.
func TestNodeAffinityOnOwnData(t *testing.T) {
	folder := t.TempDir()
	var edges, labels strings.Builder
	edges.WriteString("year,nation,trading nation,weight\n")
	labels.WriteString("year,nation,trading nation,weight\n")
	for year := 1990; year < 2020; year++ {
		for u := range 8 {
			for v := range 8 {
				line := strings.Join([]string{string(rune('0'+year/1000)) + string(rune('0'+year/100%10)) +
					string(rune('0'+year/10%10)) + string(rune('0'+year%10)), string(rune('a' + u)), string(rune('a' + v)),
					"0.125"}, ",") + "\n"
				edges.WriteString(line)
				if year > 1990 {
					labels.WriteString(line)
				}
			}
		}
	}
	for name, text := range map[string]string{"mine_edgelist.csv": edges.String(),
		"mine_node_labels.csv": labels.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	study, read := NodeAffinity(), 0
	plan := func(ctx context.Context, paths ...string) ([]experiments.Run, error) {
		return study.Plan(ctx, experiments.Scope{Profile: experiments.Quick, Data: paths,
			Progress: func(float64, string) { read++ }})
	}
	interrupted, stop := context.WithCancel(context.Background())
	stop()
	if _, err := plan(interrupted, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	read = 0
	ctx, once := context.Background(), 0
	for i := range 2 {
		runs, err := plan(ctx, folder)
		if err != nil {
			t.Fatal(err)
		}
		if names := (experiments.Results)(resultsOf(runs)).Values("data"); !slices.Equal(names, []string{"agtpa-trade",
			"mine"}) {
			t.Errorf("data %q", names)
		}
		if i == 0 {
			once = read
		}
		if once == 0 || read != once {
			t.Errorf("heard %d times how far files are read, %d when they were first asked for: want some, and files read once",
				read, once)
		}
	}
	for _, path := range []string{filepath.Join(folder, "none"), t.TempDir()} {
		if _, err := plan(ctx, path); !errors.Is(err, experiments.ErrInput) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := plan(ctx, folder, folder); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("the same data twice: %v", err)
	}
}

func resultsOf(runs []experiments.Run) (all []experiments.Result) {
	for _, run := range runs {
		all = append(all, experiments.Result{Run: run})
	}
	return all
}

// An error of the data ends the page: no number is made without them.
func TestDataThatCannotBeRead(t *testing.T) {
	study, r := rankings(t, experiments.Medium, func(experiments.Run) float64 { return 0.9 })
	broken := errors.New("no disk")
	for i, result := range r.Results {
		run := result.Spec.(affinityRun)
		run.data = &affinityData{name: run.data.name, open: func(context.Context, func(tgb.Progress)) (*tgb.Data, error) {
			return nil, broken
		}}
		r.Results[i].Spec = run
	}
	evidence := judge.Evidence{Reports: map[string]*experiments.Report{"node-affinity": r}}
	for name, show := range map[string]func() error{
		"verdict":     func() error { _, _, _, err := study.Verdict(r); return err },
		"tables":      func() error { _, err := study.Tables(r); return err },
		"differences": func() error { _, err := study.Differences(r, otherTrade); return err },
		"page":        func() error { _, err := r.Study.Page(r); return err },
		"items":       func() error { _, err := r.Items(); return err },
		"table 3":     func() error { _, err := Table3(evidence); return err },
		"claim":       func() error { _, err := Finders()["trade"](evidence); return err },
	} {
		if err := show(); !errors.Is(err, broken) {
			t.Errorf("%s: %v, want %v", name, err, broken)
		}
	}
}
