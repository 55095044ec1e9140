package series

import (
	"fmt"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// Table 2 has the paper's rows in the paper's measure next to ours in the same measure, with the number of seeds.
func TestPublishedSeriesTable(t *testing.T) {
	printed := fixture.Load(t, "paper_tables").Get("PGT")
	alone := studytest.ShownItem(t, Table2, judge.Evidence{})
	for _, row := range catalogue.PublishedRows("covid") {
		name := strings.Replace(row.Name, "GN-ODE", "GNODE", 1)
		want := ""
		for _, column := range []string{"covid_val", "covid_test", "tennis_val", "tennis_test"} {
			both := printed.Get(name).Get(column).List()
			want += fmt.Sprintf(" – | %.3f ± %.3f |", both[0].Float(), both[1].Float())
		}
		if !strings.Contains(alone, want) {
			t.Errorf("%s: no %q in\n%s", row.Name, want, alone)
		}
	}
	if strings.Contains(alone, "ours is of") {
		t.Errorf("seeds of nothing:\n%s", alone)
	}
	var results experiments.Results
	for _, id := range []string{"peng", "dcrnn"} {
		for seed := range 3 {
			e := 1 + 0.01*float64(seed)
			scores := map[string]float64{"validation": e, "test": e + 1, "validation*": e + 2, "test*": e + 3}
			row := setting{Row: experiments.Row{ID: id + catalogue.PublishedEnding}, split: Random, base: id,
				variant: asPublished}
			results = append(results, experiments.Result{Record: &experiments.Record{Facts: &experiments.Facts{Scores: scores}},
				Run: experiments.Run{Model: row.Row, Seed: uint64(seed), Spec: row,
					Keys: map[string]string{"country": "england", "split": string(Random)}}})
		}
	}
	r := &experiments.Report{Study: Epidemics().Study, Profile: experiments.Medium, Results: results}
	// 0.035 is t(0.975, 2) sqrt((1/3 + 2/6) 0.01²), because two tested windows share six training windows.
	text := studytest.ShownItem(t, Table2, judge.Evidence{Reports: map[string]*experiments.Report{"epidemics": r}})
	for _, want := range []string{"Covid: ours is of 3 seeds, the paper's of 10.",
		"| DCRNN | 1.010 ± 0.035 | 0.898 ± 0.126 | 2.010 ± 0.035 | 1.021 ± 0.203 |",
		"| PENG-CDE | 3.010 ± 0.035 | 0.836 ± 0.122 | 4.010 ± 0.035 | 0.913 ± 0.200 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
