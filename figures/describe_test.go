package figures

import (
	"bytes"
	"strings"
	"testing"
)

// A description says what the data show, whatever the title.
func TestAlt(t *testing.T) {
	up, down := Series{Name: "up", Y: []float64{1, 2, nan, 4}}, Series{Name: "down", Y: []float64{3, 1, 1, 0}}
	must := func(f *Figure, err error) *Figure {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for name, c := range map[string]struct {
		figure *Figure
		says   string
	}{
		"lines": {must(Lines(Axes{Title: "T", X: "day", Y: "cases", Marks: []Mark{{Name: "event", X: 1},
			{Name: "event", X: 2}, {X: 2}, {Name: "late", X: 9}}}, up, down)),
			"T. Lowest of these lines at 2 of 3 points: down. 2 lines of cases over day 0 to 3: up begins at 1, " +
				"ends at 4 (1 to 4), 1 point missing; down begins at 3, ends at 0 (0 to 3). Marked: event at 1, 2."},
		"one line": {must(Lines(Axes{}, Series{Y: []float64{1e7, 0.00012}})),
			"1 line 0 to 1: begins at 1e+07, ends at 0.00012 (0.00012 to 1e+07)."},
		"forecasts": {must(Forecasts(Axes{Spans: []Span{{"train", 0, 1.5}, {"test", 1.5, 3}}}, []ForecastPanel{
			{Title: "A", Truth: []float64{0, 1, 2, nan}, Forecasts: []Series{{Name: "ridge", Y: []float64{9, 9, 2.5, 9}}}},
			{Title: "B", Truth: []float64{0, 1, 2, 3}, Forecasts: []Series{{Name: "ridge", Y: []float64{9, 9, 3, nan}}}}})),
			"2 panels of values over time 0 to 3: A, B. Mean distance of forecasts from what was observed, test: ridge 0.75."},
		"loss": {must(LossCurves(Axes{}, LossRun{Train: []float64{3, 1}, Validation: []float64{2, 4}})),
			"Loss by epoch of 1 run: train loss 1 to 3, validation loss 2 to 4. Kept: epoch 1, with validation loss 2."},
		"dots": {must(Dots(Axes{X: "error"}, DotRow{Name: "A", Value: Estimate(2, 0.5)}, DotRow{Name: "B", None: "off scale"},
			DotRow{Name: "C", Value: Number(1)})), "error: A 2.00 ± 0.50, B off scale, C 1.00. Lowest: C."},
		"dot panels": {must(DotPanels(Axes{X: "error", Published: "the paper"},
			DotPanel{"grid", []DotRow{{Name: "A", Value: Number(2).Published(Number(3))}, {Name: "B", Value: Number(1)}}},
			DotPanel{"small world", []DotRow{{Value: Missing().Published(Number(5)), None: "1 of 3 seeds", Seeds: []float64{4}},
				{}}})), "grid: A 2 (the paper: 3), B 1. Lowest: B. small world: A 1 of 3 seeds (the paper: 5), B missing."},
		"heat map": {must(HeatMap(Axes{}, Grid{Values: [][]float64{{1, nan}, {-5, 2}}, Rows: []string{"a", "b"}, Start: 4,
			Diverging: true, Undecided: [][]bool{{false, false}, {false, true}}})),
			"Heat map of 2 rows and 2 columns, values −5 to 2, 1 missing, 1 with a dot. " +
				"Largest magnitude: −5 (b; column 4)."},
		"graphs": {must(Adjacency(Axes{}, []HeatPanel{{Title: "before", Dense: [][]float64{{0, 2}, {5, 0}}},
			{Title: "after", N: 2}})), "2 adjacency maps of 2 nodes. before: 2 edges, weights 2 to 5; after: 0 edges."},
		"ranks": {must(CriticalDifference(Axes{Title: "Errors", Notes: []string{"4 blocks."}},
			Ranking{Models: []RankedModel{{Name: "A", Rank: 2.5},
				{Name: "B", Rank: 1}, {Name: "C", Rank: 2.5}}, Groups: [][]int{{0, 2}}})),
			"Errors. Mean ranks of 3 models, the best first: B 1.00; A 2.50; C 2.50. Not told apart: A / C. 4 blocks."},
		"ranks of models that differ": {must(CriticalDifference(Axes{}, Ranking{Models: []RankedModel{{Name: "A", Rank: 1},
			{Name: "B", Rank: 2}}})), "Mean ranks of 2 models, the best first: A 1.00; B 2.00. All pairs were told apart."},
		"no ranks": {must(CriticalDifference(Axes{}, Ranking{Instead: "No diagram: p = 0.3."})),
			"No diagram: p = 0.3."},
		"images": {must(Images(Axes{}, Limits{}, []ImagePanel{{Title: "truth", Values: [][]float64{{1, 2}}}})),
			"1 image of 1 by 2 cells: truth 1 to 2."},
	} {
		if got := c.figure.Alt(); got != c.says {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.says)
		}
		if svg, err := c.figure.SVG(); err != nil || !bytes.Contains(svg, []byte(`role="img" aria-label="`+c.says)) {
			t.Errorf("%s: %v, the SVG lacks its description: %.300s", name, err, svg)
		}
	}
	three := []Series{{Name: "a", X: []float64{0, 50, 100}, Y: []float64{1, 1, 1}},
		{Name: "b", X: []float64{0, 60, 100}, Y: []float64{0, 0, 0}},
		{Name: "c", X: []float64{0, 51, 100}, Y: []float64{2, 0, nan}}}
	for better, want := range map[Direction]string{NotCompared: "Lowest of these lines at 3 of 3 points: b",
		Higher: "Highest of these lines at 2 of 3 points: a"} {
		if got := bestLine(better, three); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var many []Series
	for range 40 {
		many = append(many, Series{Name: "s", Y: []float64{1}})
	}
	if f := must(Lines(Axes{}, many...)); !strings.Contains(f.Alt(), " and 24 more.") {
		t.Errorf("40 lines: %s", f.Alt())
	}
}
