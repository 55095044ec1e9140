package worlds

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// drawWellPosed draws, for each of the dynamics, the errors of the confirmed rows on all graphs, the errors and the
// largest gradient norms of all rows in the order of the settings, and the errors of the confirmed rows against
// training time.
func drawWellPosed(r *experiments.Report, drawn *catalogue.Drawn) {
	for _, dynamics := range r.Results.Values("dynamics") {
		results := r.Results.Where("dynamics", dynamics)
		var rows experiments.Results
		for _, id := range confirmed {
			rows = append(rows, results.Where("model", id)...)
		}
		figure, err := drawErrorsBySetting(r, rows, dynamics+", all graphs")
		drawn.Add(r.Study.Name+"-"+dynamics, figure, err)
		drawTrainings(r, dynamics, drawn)
		figure, err = drawCosts(r, results, dynamics)
		drawn.Add(r.Study.Name+"-"+dynamics+"-seconds", figure, err)
	}
}

// drawErrorsBySetting draws the errors of rows.
func drawErrorsBySetting(r *experiments.Report, results experiments.Results, title string) (*figures.Figure, error) {
	return drawSettings(r, results, figures.Axes{LogX: true, Dot: "one world and seed", Large: "geometric mean of all",
		Title: "Test error by setting: " + title, X: "mean squared error"},
		func(run experiments.Result) float64 { return run.Facts().Scores[string(OnTest)] },
		func(errors []float64) float64 { return stat.GeometricMean(errors, nil) })
}

// drawTrainings draws the errors and the largest gradient norms of all rows for dynamics, on the worlds that all rows
// plan: a mean over other worlds would differ.
func drawTrainings(r *experiments.Report, dynamics string, drawn *catalogue.Drawn) {
	results, title, name := r.Results.Where("dynamics", dynamics), dynamics, r.Study.Name+"-"+dynamics
	if families := sharedFamilies(results); len(families) < len(results.Values("family")) {
		var shared experiments.Results
		for _, family := range families {
			shared = append(shared, results.Where("family", family)...)
		}
		results, title = shared, title+" on "+judge.Enumerate(families)+" graphs"
	}
	figure, err := drawErrorsBySetting(r, results, title)
	drawn.Add(name+"-errors", figure, err)
	figure, err = drawSettings(r, results, figures.Axes{LogX: true, Dot: "one world and seed",
		Large: "largest of all", Title: "Largest gradient norm by setting: " + title, X: "norm before clipping"},
		func(run experiments.Result) float64 { return run.Facts().Training.LargestGradient() }, floats.Max)
	drawn.Add(name+"-norms", figure, err)
}

// sharedFamilies returns the families of graphs on which all rows of the results are planned.
func sharedFamilies(results experiments.Results) []string {
	rows := len(results.Values("model"))
	return slices.DeleteFunc(results.Values("family"), func(family string) bool {
		return len(results.Where("family", family).Values("model")) < rows
	})
}

// drawSettings draws one number for each finished run, and one for a whole row. A row with missing or diverged runs, or
// a number that is not finite, says so instead of the latter. A row without runs is left out. There is no figure unless
// two rows can be compared.
func drawSettings(r *experiments.Report, results experiments.Results, axes figures.Axes,
	value func(experiments.Result) float64, all func([]float64) float64) (*figures.Figure, error) {
	var rows []figures.DotRow
	complete := 0
	for _, id := range r.Models() {
		runs := results.Where("model", id)
		if len(runs.Made()) == 0 {
			continue
		}
		row := settingRow(runs, value, all)
		row.Style = catalogue.StyleIn(r, id)
		if row.None == "" {
			complete++
		}
		rows = append(rows, row)
	}
	if complete < 2 {
		return nil, tooFewSettings(axes.Title, complete)
	}
	return figures.Dots(axes, rows...)
}

// settingRow returns a row of [drawSettings] without its style.
func settingRow(runs experiments.Results, value func(experiments.Result) float64,
	all func([]float64) float64) figures.DotRow {
	row := figures.DotRow{Name: runs[0].Model.Name, Value: figures.Missing(), None: runs.Gap()}
	for _, run := range runs.Finished() {
		if v := value(run); v < math.MaxFloat64 {
			row.Seeds = append(row.Seeds, v)
		} else {
			row.None = cmp.Or(row.None, notFinite)
		}
	}
	if row.None == "" {
		row.Value = figures.Number(all(row.Seeds))
	}
	return row
}

func tooFewSettings(title string, complete int) error {
	return fmt.Errorf("experiments: %s: %d settings with all their runs, want two to compare: %w", title, complete,
		experiments.ErrNotStored)
}

// drawCosts draws the error of each confirmed row that has all runs against the median time of its trainings. There is
// no figure unless two rows can be compared.
func drawCosts(r *experiments.Report, results experiments.Results, dynamics string) (*figures.Figure, error) {
	axes := figures.Axes{Title: "Test error against the time of training: " + dynamics, LogX: true, LogY: true,
		X: "seconds of a training, median over runs", Y: "mean squared error"}
	var points []figures.Series
	for _, id := range r.Models() {
		runs := results.Where("model", id)
		if runs.Gap() != "" || !slices.Contains(confirmed, id) {
			continue
		}
		var seconds, errors []float64
		for _, run := range runs {
			seconds = append(seconds, run.Record.Cost())
			errors = append(errors, run.Facts().Scores[string(OnTest)])
		}
		slices.Sort(seconds)
		points = append(points, figures.Series{Name: runs[0].Model.Name, Points: true, Style: catalogue.StyleIn(r, id),
			X: []float64{stat.Quantile(0.5, stat.Empirical, seconds, nil)}, Y: []float64{stat.GeometricMean(errors, nil)}})
	}
	if len(points) < 2 {
		return nil, tooFewSettings(axes.Title, len(points))
	}
	return figures.Lines(axes, points...)
}
