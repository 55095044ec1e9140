package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// Interval sets how a table computes the 95% intervals of its means, the same way for all rows. The zero value treats
// values as independent, see [stats.MeanCI].
type Interval struct {
	// Range shows the lowest and the highest value in place of an interval, see [figures.Ranged].
	Range bool
	// Note names what the interval covers and which dependence it accounts for.
	Note string
	Of   func(values []float64) (mean, halfWidth float64)
}

// Cell returns the mean of the values with its interval or range. There is neither if all values are equal or there is
// only one.
func (i Interval) Cell(values []float64) figures.Cell {
	if i.Range && len(values) > 1 {
		if low, high := slices.Min(values), slices.Max(values); low < high {
			return figures.Ranged(stat.Mean(values, nil), low, high)
		}
	}
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

// Pivot makes a table of models against the values of a key.
type Pivot struct {
	Title string
	// Columns is the key whose values form the columns. Score names the score in the cells.
	Columns, Score string
	Interval       Interval
	// Better is the direction of better scores. Decimals is their number of digits; 0 chooses it.
	Better   figures.Direction
	Decimals int
	// Published, if not nil, returns what the paper prints for a model and a column, missing if nothing.
	Published func(model Row, column string) figures.Cell
	// Finding and Notes describe the table. Notes on the whole report are in [Report.Notes].
	Finding string
	Notes   []string
}

// Table returns a table of results with a row and its cost for each model. A cell shows a number if all its runs are
// stored and none diverged, and otherwise names the gap, see [Results.Cell]. Results that are not [Report.Comparable]
// are not compared.
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
				cell = cell.Published(p.Published(row[0].Model, column))
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

// Title returns the name of the first model, with a mark if another backend made runs or they came with the module.
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

// Cell returns the mean of a score over the results, or their [Results.Gap]. If only seeds are missing, it is the
// mean over the others with their number, and is not compared. Diverged runs contribute the score of their best
// validated parameters before divergence, see [Facts.Before].
func (r Results) Cell(score string, i Interval) figures.Cell {
	if r.Gap() == "" {
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
			return r.GapCell()
		}
		values[k], diverged = before, diverged+1
	}
	// A mean over only part of the folds would be a mean over different data.
	folds := func(result Result) bool { return result.Fold > 0 }
	if i.Of != nil || len(made) == 0 || len(r.failed())+r.Stale() > 0 || slices.ContainsFunc(r, folds) {
		return r.GapCell()
	}
	of := fmt.Sprintf("%d of %d seeds", len(made), len(r))
	switch {
	case diverged > 0 && len(made) == len(r):
		of = fmt.Sprintf("%d of %d seeds diverged", diverged, len(r))
	case diverged > 0:
		of += fmt.Sprintf(", %d of them diverged", diverged)
	}
	return i.Cell(values).Incomplete(of)
}

// None returns the cell for a quantity that a row does not have, such as the parameters of an untrained model.
func None() figures.Cell { return figures.NoResult("–") }

// GapCell returns the cell with the Gap of the results.
func (r Results) GapCell() figures.Cell {
	if len(r.Made())+len(r.failed())+r.Stale() == 0 {
		return figures.NoResult(r.Gap())
	}
	return figures.Text(r.Gap())
}

// Size returns the cell with the number of parameters.
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

// CostColumns returns the columns for the cells of [Results.Cost].
func CostColumns() []figures.Column {
	return []figures.Column{{Title: "s/epoch", Decimals: 2}, {Title: "MB", Decimals: -1}}
}

// Cost returns the cells with the mean seconds per epoch, over runs that ended an epoch, and the peak memory.
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

// costs explains the cost columns, and how long and on what machines the stored results were computed.
func (r Results) costs() string {
	cost := "size: parameters; s/epoch: seconds for an epoch of training; MB: largest memory of the process meanwhile, " +
		"with what earlier runs left there."
	seconds, machines := 0.0, []string{}
	for _, result := range r {
		if result.Record == nil || result.Model.Untrained {
			continue
		}
		seconds += result.Record.Cost()
		if on := result.Record.Machine.String(); on != "" && !slices.Contains(machines, on) {
			machines = append(machines, on)
		}
	}
	if len(machines) > 0 {
		cost += fmt.Sprintf(" The stored runs of these models trained for %s on %s.", hours(seconds),
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
