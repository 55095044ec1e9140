package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// dealt says in words how windows are dealt.
var dealt = map[Deal]string{
	Random: "at random, as published", Chronological: "in order of time", Rotation: "in rotation, each tested once",
}

// Tables are those of all deals that have runs, in order.
func (r *ForecastingResults) Tables() ([]*figures.Table, error) {
	var tables []*figures.Table
	for _, deal := range Deals() {
		if !r.has(deal) {
			continue
		}
		t, err := r.Table(deal)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// Table is that of one way to deal the windows. A row has numbers when all its runs are there and none diverged, else it
// says what is missing.
func (r *ForecastingResults) Table(deal Deal) (*figures.Table, error) {
	if deal == Rotation {
		return r.rotationTable()
	}
	t := &figures.Table{
		Title: fmt.Sprintf("%s, windows dealt %s", r.Experiment.Name, dealt[deal]),
		Columns: append(modelColumns(), figures.Column{Title: "validation", Better: figures.Lower, Decimals: 3},
			figures.Column{Title: "test", Better: figures.Lower, Decimals: 3}, figures.Column{Title: "validation*", Decimals: 3},
			figures.Column{Title: "test*", Decimals: 3}),
		Notes: append([]string{"Mean squared error, mean over seeds with its 95% interval (Student t).", measureNote}, r.notes(deal)...),
	}
	t.Columns = append(t.Columns, costColumns()...)
	for _, row := range r.Rows {
		if row.Setting.Deal != deal {
			continue
		}
		cells := row.model()
		for _, of := range []func(Run) Measures{func(run Run) Measures { return run.Validation }, func(run Run) Measures { return run.Test }} {
			cells = append(cells, row.cell(of, func(m Measures) float64 { return m.PerNode }))
		}
		for _, of := range []func(Run) Measures{func(run Run) Measures { return run.Validation }, func(run Run) Measures { return run.Test }} {
			cells = append(cells, row.cell(of, func(m Measures) float64 { return m.Published }))
		}
		t.Rows = append(t.Rows, append(cells, row.cost()...))
	}
	if p := r.Experiment.published; deal == Random {
		t.Notes = append(t.Notes, "The paper's row gives what it prints; its interval is over 10 seeds.")
		t.Rows = append(t.Rows, []figures.Cell{
			figures.Text("PENG-CDE, the paper"), figures.Text("raw"), figures.Missing(), figures.Missing(), figures.Missing(),
			figures.Estimate(p[0][0], p[0][1]), figures.Estimate(p[1][0], p[1][1]),
		})
	}
	return t, nil
}

const measureNote = "Without a star each node's forecast is compared with its own target. *: the published measure compares every node's forecast with every node's target, which forgets which node is which, so no forecast can fall below the variance between nodes."

// notes say what rows are, explain the columns of cost, and say what the models took.
func (r *ForecastingResults) notes(deal Deal) []string {
	var notes []string
	for _, row := range r.Rows {
		if row.Setting.Deal == deal && row.Setting.Note != "" {
			notes = append(notes, row.Setting.Note)
		}
	}
	cost := "size: parameters; s/epoch: seconds for an epoch of training; MB: largest memory of the process meanwhile, with what earlier runs left there."
	seconds, machines := 0.0, []string{}
	for _, row := range r.Rows {
		if row.Setting.Model == nil {
			continue
		}
		for _, record := range row.Records {
			seconds += record.Seconds
			m := record.Machine
			if on := fmt.Sprintf("%s with %d CPUs (%s)", m.System, m.CPUs, m.Backend); m.System != "" && !slices.Contains(machines, on) {
				machines = append(machines, on)
			}
		}
	}
	if len(machines) > 0 {
		cost += fmt.Sprintf(" The models that are stored, however windows are dealt, took %s on %s.", hours(seconds), strings.Join(machines, " and "))
	}
	return append(append(notes, cost), r.Remarks()...)
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

func modelColumns() []figures.Column {
	return []figures.Column{{Title: "model"}, {Title: "control"}, {Title: "size"}}
}

func costColumns() []figures.Column {
	return []figures.Column{{Title: "s/epoch", Decimals: 2}, {Title: "MB", Decimals: -1}}
}

// model are the cells that say what a row is.
func (r *Row) model() []figures.Cell {
	cells := []figures.Cell{figures.Text(r.title()), figures.Text("–"), figures.Text("–")}
	if model := r.Setting.Model; model != nil {
		if model.Field != pengcde.Constant {
			cells[1] = figures.Text(model.Control.String())
		}
		if len(r.Runs) > 0 {
			cells[2] = figures.Text(fmt.Sprint(r.Runs[0].Parameters))
		}
	}
	return cells
}

// cell is a row's error on one part of the windows.
func (r *Row) cell(part func(Run) Measures, of func(Measures) float64) figures.Cell {
	if gap := r.gap(); gap != "" {
		return figures.Text(gap)
	}
	for _, run := range r.Runs {
		if part(run).Windows == 0 {
			return figures.Text("–")
		}
	}
	return estimate(r.values(func(run Run) float64 { return of(part(run)) }))
}

// cost are the cells on time and memory.
func (r *Row) cost() []figures.Cell {
	if r.Setting.Model == nil {
		return []figures.Cell{figures.Text("–"), figures.Text("–")}
	}
	if len(r.Runs) == 0 {
		return []figures.Cell{figures.Missing(), figures.Missing()}
	}
	seconds, _ := train.MeanCI(r.values(func(run Run) float64 { return run.SecondsPerEpoch }))
	bytes := 0.0
	for _, run := range r.Runs {
		bytes = math.Max(bytes, float64(run.PeakBytes))
	}
	if bytes == 0 {
		return []figures.Cell{figures.Number(seconds), figures.Missing()}
	}
	return []figures.Cell{figures.Number(seconds), figures.Number(math.Round(bytes / 1e6))}
}

// rotationTable compares all rows on all windows, and in pairs with the best forecast without a model.
func (r *ForecastingResults) rotationTable() (*figures.Table, error) {
	series, err := r.Experiment.Series()
	if err != nil {
		return nil, err
	}
	best, err := r.bestHeuristic(series)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{
		Title: fmt.Sprintf("%s, windows dealt %s", r.Experiment.Name, dealt[Rotation]),
		Columns: append(modelColumns(), figures.Column{Title: "single"}, figures.Column{Title: "test", Better: figures.Lower, Decimals: 3},
			figures.Column{Title: "less best simple", Decimals: 3}, figures.Column{Title: "test*", Decimals: 3}),
		Notes: append([]string{
			"Mean squared error of the mean forecast of all seeds (their number in brackets), mean over the windows with its 95% interval (Student t), which takes windows for independent though they share training data; single: that of one seed.",
			measureNote,
		}, r.notes(Rotation)...),
	}
	oracle, err := r.Experiment.oracle(series)
	if err != nil {
		return nil, err
	}
	t.Notes = append(t.Notes, oracle)
	if best != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("less best simple: mean over the windows of the error less that of %q, the best of the forecasts without a model, with its 95%% interval. An interval below zero says that the model is better.", best.Setting.Name))
	}
	t.Columns = append(t.Columns, costColumns()...)
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Setting.Deal == Rotation {
			cells, err := row.rotationCells(series, best)
			if err != nil {
				return nil, err
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t, nil
}

func (r *Row) rotationCells(series *dyngraph.Series, best *Rotated) ([]figures.Cell, error) {
	cells := r.model()
	rotated, err := r.rotated(series)
	if err != nil {
		return nil, err
	}
	if rotated == nil {
		gap := figures.Text(r.gap())
		return append(append(cells, gap, gap, gap, gap), r.cost()...), nil
	}
	if rotated.Seeds > 1 {
		cells[0] = figures.Text(fmt.Sprintf("%s (%d)", r.title(), rotated.Seeds))
	}
	single, _ := train.MeanCI(rotated.Single)
	difference := figures.Text("–")
	switch {
	case best == nil:
		difference = figures.Text("missing")
	case best.Setting.ID != r.Setting.ID:
		difference = estimate(rotated.Differences(*best))
	}
	cells = append(cells, figures.Text(fmt.Sprintf("%.3f", single)), estimate(rotated.Ensemble), difference, estimate(rotated.Published))
	return append(cells, r.cost()...), nil
}

// oracle says what error the targets of the snapshots before have, which no input shows.
func (e Forecasting) oracle(series *dyngraph.Series) (string, error) {
	windows, err := series.Windows(e.Window, e.Window).List()
	if err != nil {
		return "", err
	}
	var means [2]float64
	for _, w := range windows {
		for back := range means {
			mse, err := train.MSE(series.Targets[w.Last()-1-back], w.Target())
			if err != nil {
				return "", err
			}
			means[back] += mse / float64(len(windows))
		}
	}
	return fmt.Sprintf("For comparison, repeating the target of the snapshot before, which no input shows, has %.3f; of the one before that %.3f.", means[0], means[1]), nil
}
