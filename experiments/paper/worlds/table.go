package worlds

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// Measure names one of the errors of a run.
type Measure string

const (
	// OnTest is the error on unseen graphs, which the paper prints.
	OnTest Measure = "test"
	// Interpolated and Extrapolated are errors on the training graphs, at times within and after the training times.
	Interpolated Measure = "interpolation"
	Extrapolated Measure = "extrapolation"
)

// measured describes what each error is computed over.
var measured = map[Measure]string{
	OnTest:       "over four graphs that were not trained on and all 120 times",
	Interpolated: "over the four training graphs at 20 times among those trained on",
	Extrapolated: "over the four training graphs at the 20 times after those trained on",
}

// bySeed shows the errors of seeds by their range: they are few, and of different orders.
var bySeed = experiments.Interval{Range: true}

// show returns the tables of the test errors, one for each of the dynamics, critical-difference diagrams, and notes
// on them.
func (w Worlds) show(r *experiments.Report) (items []figures.Item, err error) {
	for _, v := range w.seen(r.Results) {
		items = append(items, w.tableOf(r, v, OnTest))
	}
	if w.compared != nil && r.Comparable() {
		table, err := w.compared(r)
		if err != nil {
			return nil, err
		}
		items = append(items, table)
	}
	var drawn catalogue.Drawn
	w.ranks(r, &drawn)
	return append(append(items, drawn.Items()...), w.notes(r)), drawn.Err
}

// Notes returns the notes on all tables of the study, for the end of a page.
func (w Worlds) Notes(r *experiments.Report) figures.NoteList {
	return append(w.notes(r), r.Notes()...)
}

// Table returns the errors of one of the dynamics, models by families; for [Contact], name is the name used in
// titles. The published value, if there is one, is shown next to the error on test.
func (w Worlds) Table(r *experiments.Report, name string, measure Measure) *figures.Table {
	for _, v := range w.views {
		if v.name == name {
			return w.tableOf(r, v, measure)
		}
	}
	return w.tableOf(r, dynamicsIn(name), measure)
}

func (w Worlds) tableOf(r *experiments.Report, v view, measure Measure) *figures.Table {
	results, dynamics := v.of(r.Results), v.keys["dynamics"]
	pivot := experiments.Pivot{
		Title:   fmt.Sprintf("%s, %s: %s error, profile %s", w.Name, v.name, measure, r.Profile),
		Columns: v.columns, Score: string(measure), Better: figures.Lower, Decimals: 3, Interval: bySeed,
	}
	printed := catalogue.PublishedRows(dynamics) != nil
	if measure == OnTest && printed {
		pivot.Published = func(m experiments.Row, family string) figures.Cell { return printedCell(dynamics, m.ID, family) }
	}
	t := r.Table(pivot, results)
	if models := results.Values("model"); measure == OnTest && printed && r.Comparable() &&
		slices.Contains(models, "original") && slices.Contains(models, "peng") {
		if row := improvementRow(results, dynamics); row != nil {
			t.Rows = append(t.Rows, row)
		}
		if note := misprinted(results, dynamics); note != "" {
			t.Notes = append(t.Notes, note)
		}
	}
	return t
}

// misprinted describes where the printed improvement differs by a point or more from the improvement that the paper's
// errors give; "" if nowhere.
func misprinted(results experiments.Results, dynamics string) string {
	var parts []string
	for _, family := range results.Values("family") {
		if printed, byErrors, ok := catalogue.PublishedImprovement(dynamics, family); ok && math.Abs(printed-byErrors) >= 1 {
			parts = append(parts, fmt.Sprintf("%s %.2f %%, by its errors %.1f %%", family, printed, byErrors))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("PENG-CDE less than Original, %s: what the paper prints in its last row does not follow from the "+
		"errors above it: %s.", dynamics, strings.Join(parts, "; "))
}

// printedCell returns the paper's error of a model in a world.
func printedCell(dynamics, model, family string) figures.Cell {
	n, _ := catalogue.Published(dynamics, model, family)
	return n.Cell()
}

// improvementRow returns the row of how much the error of PENG-CDE is below the error of the Original, with the
// printed improvement; nil if no family has both.
func improvementRow(results experiments.Results, dynamics string) []figures.Cell {
	cells, found := []figures.Cell{figures.Text("PENG-CDE less than Original")}, false
	for _, family := range results.Values("family") {
		world, cell := results.Where("family", family), experiments.None()
		original, peng := world.Where("model", "original"), world.Where("model", "peng")
		if len(original) > 0 && len(peng) > 0 && original.Gap()+peng.Gap() == "" {
			a, b := stat.Mean(original.Scores("test"), nil), stat.Mean(peng.Scores("test"), nil)
			cell, found = figures.Text(fmt.Sprintf("%.0f %%", 100*(a-b)/a)), true
		}
		if printed, _, ok := catalogue.PublishedImprovement(dynamics, family); ok {
			cell = cell.Published(figures.Text(fmt.Sprintf("%.2f %%", printed)))
		}
		cells = append(cells, cell)
	}
	if !found {
		return nil
	}
	return cells
}

// printed reports whether the paper prints errors of dynamics of the study.
func (w Worlds) printed() bool {
	return slices.ContainsFunc(w.tasks,
		func(t synthetic.Task) bool { return catalogue.PublishedRows(t.Dynamics.Name) != nil })
}

// notes explains tables and figures, and names our choices.
func (w Worlds) notes(r *experiments.Report) figures.NoteList {
	size := w.size(r.Profile)
	notes := figures.NoteList{
		fmt.Sprintf("Mean squared error. test: %s; interpolation: %s; extrapolation: %s. Means are over seeds, with the "+
			"lowest and the highest seed; a seed draws graphs, events, times, initial states and parameters.",
			measured[OnTest], measured[Interpolated], measured[Extrapolated]),
		fmt.Sprintf("%d nodes, at most %d epochs, learning rate 0.01 as the paper prints where no note says otherwise, "+
			"published configuration for the rest.", size.nodes, size.epochs)}
	if slices.ContainsFunc(r.Results.Made(), func(run experiments.Result) bool { return run.Facts().Before != nil }) {
		notes = append(notes, "A mean with a number of seeds behind it includes runs that diverged, with the parameters "+
			"that were validated best before, which early stopping as published would report. Tests over several worlds "+
			"take a run that diverged as the largest error; ratios, their intervals and diagrams of ranks leave it out. "+
			"The published code makes no step where the norm of a gradient is above 1.8e19 and overflows in float32; "+
			"this library makes one of norm 1, so that more or other runs may diverge (the page on correctness compares "+
			"the two).")
	}
	if r.Comparable() && w.printed() {
		notes = append(notes, "What the paper prints is for 400 nodes and at most 2000 epochs; errors depend on the number "+
			"of nodes.")
	}
	if slices.ContainsFunc(r.Results.Values("model"), func(id string) bool { return slices.Contains(rivalIDs, id) }) {
		notes = append(notes, rivalNotes...)
	}
	for _, task := range w.tasks {
		name := task.Dynamics.Name
		if !slices.Contains(r.Results.Values("dynamics"), name) {
			continue
		}
		switch a := task.Amplitude; {
		case catalogue.PublishedRows(name) == nil:
			notes = append(notes, contactNotes...)
		case a.Low != a.High:
			notes = append(notes, fmt.Sprintf("%s: initial rectangles have amplitudes from U(%g, %g), which the published "+
				"errors of the Constant model imply; the published configuration says 1.", name, a.Low, a.High))
		case a != synthetic.Shipped:
			notes = append(notes, fmt.Sprintf("%s: initial rectangles have amplitude %g, our choice; the published "+
				"configuration, which lacks these dynamics, says 1.", name, a.High))
		}
		if p := task.Dynamics.Parameters; name == synthetic.Wealth.Dynamics.Name {
			notes = append(notes, fmt.Sprintf("%s: depreciation %g and saving rate %g are our choice; the paper gives "+
				"neither.", name, p[0], p[1]))
		}
	}
	return notes
}
