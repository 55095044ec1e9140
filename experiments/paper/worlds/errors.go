package worlds

import (
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// drawErrors draws the test errors of the trained models, a figure for each view and a panel for each world.
func (w Worlds) drawErrors(r *experiments.Report, drawn *catalogue.Drawn) {
	for _, v := range w.seen(r.Results) {
		figure, err := drawErrorsOf(r, v)
		drawn.Add(fmt.Sprintf("%s-%s-errors", w.Name, v.file()), figure, err)
	}
}

// drawErrorsOf leaves out models without a run, and untrained ones, whose errors are of other orders.
func drawErrorsOf(r *experiments.Report, v view) (*figures.Figure, error) {
	results := v.of(r.Results)
	worlds := results.Values(v.columns)
	var panels []figures.DotPanel
	some := false
	for _, world := range worlds {
		title := world
		if v.columns != "family" {
			title = fmt.Sprintf(v.world, world)
		}
		panels = append(panels, figures.DotPanel{Title: title})
	}
	trained, notes := drawn(r, results)
	for _, id := range trained {
		model := results.Where("model", id)
		some = some || len(model.Finished()) > 0
		for i, world := range worlds {
			row := figures.DotRow{Name: model[0].Model.Name, None: "not planned"}
			if runs := model.Where(v.columns, world); len(runs) > 0 {
				row = errorRow(r, runs)
			}
			panels[i].Rows = append(panels[i].Rows, row)
		}
	}
	if !some {
		return nil, fmt.Errorf("experiments: %s: no run: %w", v.name, experiments.ErrNotStored)
	}
	return figures.DotPanels(figures.Axes{Title: fmt.Sprintf("Test error: %s, profile %s", v.name, r.Profile), LogX: true,
		X: "mean squared error", Published: fmt.Sprintf("the paper, with %d nodes", publishedNodes), Width: 820,
		Notes: notes}, panels...)
}

// drawn returns the trained models with runs among the results, and notes that name the other models with runs.
func drawn(r *experiments.Report, results experiments.Results) (trained, notes []string) {
	var others []string
	for _, id := range r.Models() {
		switch model := results.Where("model", id); {
		case len(model.Made()) == 0:
		case model[0].Model.Untrained:
			others = append(others, model[0].Model.Name)
		default:
			trained = append(trained, id)
		}
	}
	if others != nil {
		notes = []string{"Only in the tables, as errors can be of another order: " +
			strings.Join(others, ", ") + "."}
	}
	return trained, notes
}

// errorRow is the error of a model in one world: the mean if all seeds are stored, else only the stored ones.
func errorRow(r *experiments.Report, runs experiments.Results) figures.DotRow {
	id := runs[0].Model.ID
	row := figures.DotRow{Name: runs[0].Model.Name, Value: figures.Missing(), Style: catalogue.StyleIn(r, id)}
	row.Seeds = figures.Positive(runs.Finished().Scores(string(OnTest)))
	if runs.Gap() == "" {
		row.Value = runs.Cell(string(OnTest), bySeed)
	}
	if at, ok := runs[0].Spec.(world); ok && at.sets[0].Nodes == publishedNodes { // errors depend on the number of nodes
		row.Value = row.Value.Published(printedCell(runs[0].Keys["dynamics"], id, runs[0].Keys["family"]))
	}
	row.None = runs.Gap()
	return row
}
