package experiments

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/figures"
)

// A cell has the mean over the stored seeds if the other seeds are only missing. Folds are different data, and
// intervals that account for dependence need all runs.
func TestCellOfSomeSeeds(t *testing.T) {
	made := func(score float64) Result {
		return Result{Record: &Record{Facts: &Facts{Scores: map[string]float64{"test": score}}}}
	}
	diverged, fold := Result{Record: &Record{Facts: &Facts{Failure: "loss NaN"}}}, made(1)
	fold.Fold = 2
	before := Result{Record: &Record{Facts: &Facts{Failure: "loss NaN", Before: map[string]float64{"test": 5}}}}
	half := Interval{Of: func([]float64) (float64, float64) { return 0, 1 }}
	for _, c := range []struct {
		results Results
		over    Interval
		want    string
	}{
		{Results{made(1), made(3)}, Interval{}, "2.00 ± 12.71"},
		{Results{made(1), made(3), {}}, Interval{}, "2.00 ± 12.71, 2 of 3 seeds"},
		{Results{{}, made(1), {}}, Interval{}, "1.00, 1 of 3 seeds"},
		{Results{{}, {}}, Interval{}, "missing, 2 of 2"},
		{Results{made(1), {}, diverged}, Interval{}, "missing, 1 of 3; diverged, 1 of 3"},
		{Results{made(1), before}, Interval{}, "3.00 ± 25.41, 1 of 2 seeds diverged"},
		{Results{made(1), {}, before, before}, Interval{}, "3.67 ± 5.74, 3 of 4 seeds, 2 of them diverged"},
		{Results{made(1), diverged, before}, Interval{}, "diverged, 2 of 3"},
		{Results{made(1), {Stale: true}}, Interval{}, "stale, 1 of 2"},
		{Results{made(1), {Record: &Record{Error: "no memory"}}}, Interval{}, "error, 1 of 2"},
		{Results{fold, {}}, Interval{}, "missing, 1 of 2"},
		{Results{made(1), {}}, half, "missing, 1 of 2"},
	} {
		table := figures.Table{Columns: []figures.Column{{Title: "x", Decimals: 2}},
			Rows: [][]figures.Cell{{c.results.Cell("test", c.over)}}}
		if text := table.String(); !strings.Contains(text, " "+c.want+" |") {
			t.Errorf("%q is not in\n%s", c.want, text)
		}
	}
}
