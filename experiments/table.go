package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// Interval is how a table takes the 95% intervals of its means: one way for all rows. The zero value takes values for
// independent, see [stats.MeanCI].
type Interval struct {
	// Note says over what, and which dependence is counted.
	Note string
	Of   func(values []float64) (mean, halfWidth float64)
}

// Cell is the mean over values with its interval; where all are the same, or there is one, there is no interval.
func (i Interval) Cell(values []float64) figures.Cell {
	of := i.Of
	if of == nil {
		of = stats.MeanCI
	}
	mean, half := of(values)
	if half == 0 || math.IsInf(half, 0) {
		return figures.Number(mean)
	}
	return figures.Estimate(mean, half)
}

// Pivot makes a table of models by the values of a key.
type Pivot struct {
	Title string
	// Columns is the key whose values are the columns, Score the name of the score in the cells.
	Columns, Score string
	Interval       Interval
	// Better says which scores are better; Decimals are their digits, 0 chooses.
	Better   figures.Direction
	Decimals int
	// Published, where set, is what the paper prints for a model and a column.
	Published func(model Row, column string) (mean, halfWidth float64, ok bool)
	// Finding and Notes are about the table. Notes on the whole report are [Report.Notes].
	Finding string
	Notes   []string
}

// Table shows results: a row for each model, with what it cost. A cell has a number when all its runs are there and
// none diverged, and else names the gap, see [Results.Cell]. Results that are not [Report.Comparable] are not
// compared.
func (r *Report) Table(p Pivot, results Results) *figures.Table {
	if !r.Comparable() {
		p.Better, p.Published, p.Finding = figures.NotCompared, nil, r.Caution()
	}
	t := &figures.Table{Title: p.Title, Columns: []figures.Column{{Title: "model"}}, Finding: p.Finding, Notes: p.Notes}
	columns := results.Values(p.Columns)
	for _, column := range columns {
		t.Columns = append(t.Columns, figures.Column{Title: column, Better: p.Better, Decimals: p.Decimals})
	}
	t.Columns = append(append(t.Columns, figures.Column{Title: "size"}), CostColumns()...)
	for _, id := range results.Values("model") {
		row := results.Where("model", id)
		cells := []figures.Cell{figures.Text(row.Title())}
		for _, column := range columns {
			cell := row.Where(p.Columns, column).Cell(p.Score, p.Interval)
			if p.Published != nil {
				if mean, half, ok := p.Published(row[0].Model, column); ok {
					cell = cell.Published(mean, half)
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, append(append(cells, row.Size()), row.Cost()...))
	}
	if p.Interval.Note != "" {
		t.Notes = append(slices.Clip(t.Notes), p.Interval.Note)
	}
	return t
}

// Title is the name of the results' first model, marked where runs were made by another backend or came with the
// module.
func (r Results) Title() string {
	title := r[0].Model.Name
	if slices.ContainsFunc(r, func(result Result) bool { return result.OtherBackend }) {
		title += elsewhereMark
	}
	if slices.ContainsFunc(r, func(result Result) bool { return result.Shipped }) {
		title += shippedMark
	}
	return title
}

// Cell is the mean of a score over the results, or their [Results.Gap]. Where only some of the seeds are missing, it is
// the mean over the others with their number, which is not compared. Runs that diverged count among the others with the
// parameters that were validated best before, see [Facts.Before].
func (r Results) Cell(score string, i Interval) figures.Cell {
	gap := r.Gap()
	if gap == "" {
		return i.Cell(r.Scores(score))
	}
	made, diverged := r.Made(), 0
	values := made.Scores(score)
	for k, result := range made {
		if result.Facts().Failure == "" {
			continue
		}
		before, ok := result.Facts().Before[score]
		if !ok {
			return figures.Text(gap)
		}
		values[k], diverged = before, diverged+1
	}
	// A mean over some of the folds would be one over other data.
	folds := func(result Result) bool { return result.Fold > 0 }
	if i.Of != nil || len(made) == 0 || len(r.failed())+r.Stale() > 0 || slices.ContainsFunc(r, folds) {
		return figures.Text(gap)
	}
	of := fmt.Sprintf("%d of %d seeds", len(made), len(r))
	if diverged > 0 {
		of += fmt.Sprintf(", %d diverged", diverged)
	}
	return i.Cell(values).Incomplete(of)
}

// None is the cell of what a row does not have, such as the parameters of an untrained model.
func None() figures.Cell { return figures.Text("–") }

// Size is the cell with the number of parameters.
func (r Results) Size() figures.Cell {
	made := r.Made()
	switch {
	case r[0].Model.Untrained:
		return None()
	case len(made) == 0:
		return figures.Missing()
	}
	return figures.Text(fmt.Sprint(made[0].Facts().Parameters))
}

// CostColumns are the columns of the cells that [Results.Cost] returns.
func CostColumns() []figures.Column {
	return []figures.Column{{Title: "s/epoch", Decimals: 2}, {Title: "MB", Decimals: -1}}
}

// Cost are the cells with the mean seconds of an epoch, of runs that ended one, and the largest memory.
func (r Results) Cost() []figures.Cell {
	if r[0].Model.Untrained {
		return []figures.Cell{None(), None()}
	}
	var seconds []float64
	bytes := 0.0
	for _, result := range r.Made() {
		facts := result.Facts()
		if facts.Training != nil && len(facts.Training.TrainLoss) > 0 { // a run may diverge in its first epoch
			seconds = append(seconds, facts.Training.SecondsPerEpoch)
		}
		bytes = math.Max(bytes, float64(facts.PeakBytes))
	}
	cells := []figures.Cell{figures.Missing(), figures.Missing()}
	if len(seconds) > 0 {
		mean, _ := stats.MeanCI(seconds)
		cells[0] = figures.Number(mean)
	}
	if bytes > 0 {
		cells[1] = figures.Number(math.Round(bytes / 1e6))
	}
	return cells
}

// costs explains the columns of cost, and says how long the stored results took, and on what.
func (r Results) costs() string {
	cost := "size: parameters; s/epoch: seconds for an epoch of training; MB: largest memory of the process meanwhile, " +
		"with what earlier runs left there."
	seconds, machines := 0.0, []string{}
	for _, result := range r {
		if result.Record == nil || result.Model.Untrained {
			continue
		}
		seconds += result.Record.Seconds
		if on := result.Record.Machine.String(); on != "" && !slices.Contains(machines, on) {
			machines = append(machines, on)
		}
	}
	if len(machines) > 0 {
		cost += fmt.Sprintf(" The stored runs of these models took %s on %s.", hours(seconds),
			strings.Join(machines, " and "))
	}
	return cost
}

func hours(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 5400:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
