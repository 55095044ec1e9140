package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Tables are those of all splits that have runs, in order.
func (r *ForecastingResults) Tables() ([]*figures.Table, error) {
	var tables []*figures.Table
	for _, split := range allSplits {
		if !r.has(split) {
			continue
		}
		t, err := r.Table(split)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// Table is that of one split, with the difference of each row from the best simple forecast. A row has numbers when all its
// runs are there and none diverged, else it says what is missing.
func (r *ForecastingResults) Table(split Split) (*figures.Table, error) {
	series, err := r.Experiment.Series()
	if err != nil {
		return nil, err
	}
	over, err := r.Experiment.interval(series, split)
	if err != nil {
		return nil, err
	}
	best, err := r.bestSimple(series, split)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: fmt.Sprintf("%s, %s", r.Experiment.Name, split.title()), Columns: modelColumns()}
	rows := r.windowRows
	if split == Random {
		rows = r.seedRows
		t.Columns = append(t.Columns, figures.Column{Title: "validation", Better: figures.Lower, Decimals: 3})
		t.Notes = append(t.Notes, "Mean squared error, mean over seeds (their number in brackets).")
	} else {
		t.Columns = append(t.Columns, figures.Column{Title: "single"})
		t.Notes = append(t.Notes, "test: mean squared error of the mean forecast of all seeds (their number in "+
			"brackets), mean over "+
			"the tested windows; single: that of one seed.")
	}
	t.Columns = append(t.Columns, figures.Column{Title: "test", Better: figures.Lower, Decimals: 3},
		figures.Column{Title: "minus best simple", Decimals: 3})
	if split == Random {
		t.Columns = append(t.Columns, figures.Column{Title: "validation*", Decimals: 3})
	}
	t.Columns = append(t.Columns, figures.Column{Title: "test*", Decimals: 3})
	t.Columns = append(t.Columns, costColumns()...)
	if t.Rows, err = rows(series, split, best, over); err != nil {
		return nil, err
	}
	t.Notes = append(t.Notes, over.note, measureNote)
	notes, err := r.notes(series, split, best, over)
	t.Notes = append(t.Notes, notes...)
	return t, err
}

// seedRows are those of the random split.
func (r *ForecastingResults) seedRows(series *dyngraph.Series, split Split, best *simple,
	over interval) ([][]figures.Cell, error) {
	var rows [][]figures.Cell
	validation, test := func(run Run) Measures { return run.Validation }, func(run Run) Measures { return run.Test }
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Setting.Split != split {
			continue
		}
		difference, err := row.difference(series, best, over)
		if err != nil {
			return nil, err
		}
		cells := append(row.model(row.Planned),
			row.cell(over, validation, Measures.perNode), row.cell(over, test, Measures.perNode), difference,
			row.cell(over, validation, Measures.published), row.cell(over, test, Measures.published))
		rows = append(rows, append(cells, row.cost()...))
	}
	p := r.Experiment.published
	return append(rows, []figures.Cell{
		figures.Text("PENG-CDE, the paper (10)"), figures.Text("raw"), figures.Missing(),
		figures.Missing(), figures.Missing(), figures.Missing(),
		figures.Estimate(p[0][0], p[0][1]), figures.Estimate(p[1][0], p[1][1]),
	}), nil
}

// windowRows are those of the splits whose tested windows no seed changes.
func (r *ForecastingResults) windowRows(series *dyngraph.Series, split Split, best *simple,
	over interval) ([][]figures.Cell, error) {
	var rows [][]figures.Cell
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Setting.Split != split {
			continue
		}
		windows, err := row.byWindow(series)
		if err != nil {
			return nil, err
		}
		if windows == nil {
			gap := figures.Text(row.gap())
			rows = append(rows, append(append(row.model(0), gap, gap, gap, gap), row.cost()...))
			continue
		}
		difference, err := row.difference(series, best, over)
		if err != nil {
			return nil, err
		}
		single, _ := train.MeanCI(windows.Single)
		cells := append(row.model(windows.Seeds), figures.Text(fmt.Sprintf("%.3f", single)),
			over.cell(windows.Ensemble), difference,
			over.cell(windows.Published))
		rows = append(rows, append(cells, row.cost()...))
	}
	return rows, nil
}

// difference is the cell that compares a row with the best simple forecast.
func (r *Row) difference(series *dyngraph.Series, best *simple, over interval) (figures.Cell, error) {
	switch gap := r.gap(); {
	case gap != "":
		return figures.Text(gap), nil
	case best == nil:
		return figures.Text("missing"), nil
	case best.setting.ID == r.Setting.ID:
		return figures.Text("–"), nil
	}
	differences, err := r.differences(series, best)
	if err != nil {
		return figures.Cell{}, err
	}
	if len(differences) == 0 { // seeds that the simple forecasts do not have
		return figures.Text("missing"), nil
	}
	return over.cell(differences), nil
}

const measureNote = "Without a star each node's forecast is compared with its own target. *: the published " +
	"measure compares every " +
	"node's forecast with every node's target, which forgets which node is which, so no forecast can fall below " +
	"the variance " +
	"between nodes."

// notes say how the models compare, what rows are, explain the columns of cost, and say what the models took.
func (r *ForecastingResults) notes(series *dyngraph.Series, split Split, best *simple, over interval) ([]string,
	error) {
	var notes []string
	if best != nil {
		notes = append(notes, fmt.Sprintf("minus best simple: error minus that of %q in pairs of the same %s; it "+
			"is the best of the "+
			"forecasts without a trained network by these same errors, which favours it.", best.setting.Name,
			pairs(split)))
	}
	verdict, err := r.verdict(series, split, best, over)
	if err != nil {
		return nil, err
	}
	if verdict != "" {
		notes = append(notes, verdict)
	}
	if split == Random || split == LeakyRotation {
		leak, err := r.Experiment.leak(series, split)
		if err != nil {
			return nil, err
		}
		notes = append(notes, leak)
	}
	if split == Random {
		notes = append(notes, "The paper's row gives what it prints.")
	} else {
		oracle, err := r.Experiment.oracle(series, split)
		if err != nil {
			return nil, err
		}
		notes = append(notes, oracle)
	}
	for _, row := range r.Rows {
		if row.Setting.Split != split {
			continue
		}
		if row.Setting.Note != "" {
			notes = append(notes, row.Setting.Note)
		}
		if stride := row.Setting.Stride; stride > 1 && (row.Setting.Dense || split != Random) {
			notes = append(notes, fmt.Sprintf("%s trains on one in %d of the windows that the split allows.", row.Setting.Name, stride))
		}
		if every := row.Setting.RetrainEvery; split == RollingOrigin && every > 1 {
			notes = append(notes, fmt.Sprintf("%s is trained anew every %d origins, on what is known at the "+
				"first of them.",
				row.Setting.Name, every))
		}
	}
	return append(append(notes, r.costNote()), r.Remarks()...), nil
}

func pairs(split Split) string {
	if split == Random {
		return "seed"
	}
	return "window"
}

// leak says how many of the published split's training windows share steps with tested ones.
func (e Forecasting) leak(series *dyngraph.Series, split Split) (string, error) {
	splits, err := e.splits(series, Setting{Split: split}, 0)
	if err != nil {
		return "", err
	}
	training, sharing := 0, 0
	for _, s := range splits {
		training += len(s.Train)
		sharing += len(s.Train) - len(dyngraph.Purge(s.Train, s.Test))
	}
	text := fmt.Sprintf("Training windows may share %ss with tested ones: %d of %d do", e.Time, sharing, training)
	if split == Random {
		text += " with seed 0"
	}
	return text + ". That flatters whatever is fitted.", nil
}

func (r *ForecastingResults) costNote() string {
	cost := "size: parameters; s/epoch: seconds for an epoch of training; MB: largest memory of the process " +
		"meanwhile, with what " +
		"earlier runs left there."
	seconds, machines := 0.0, []string{}
	for _, row := range r.Rows {
		if row.Setting.Model == nil {
			continue
		}
		for _, record := range row.Records {
			seconds += record.Seconds
			m := record.Machine
			if on := fmt.Sprintf("%s with %d CPUs (%s)", m.System, m.CPUs,
				m.Backend); m.System != "" && !slices.Contains(machines, on) {
				machines = append(machines, on)
			}
		}
	}
	if len(machines) > 0 {
		cost += fmt.Sprintf(" The models that are stored, of all splits, took %s on %s.", hours(seconds),
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

func modelColumns() []figures.Column {
	return []figures.Column{{Title: "model"}, {Title: "control"}, {Title: "size"}}
}

func costColumns() []figures.Column {
	return []figures.Column{{Title: "s/epoch", Decimals: 2}, {Title: "MB", Decimals: -1}}
}

// model are the cells that say what a row is, with the number of its seeds where it has any.
func (r *Row) model(seeds int) []figures.Cell {
	name := r.title()
	if seeds > 1 || seeds == 1 && r.Setting.Model != nil {
		name = fmt.Sprintf("%s (%d)", name, seeds)
	}
	cells := []figures.Cell{figures.Text(name), figures.Text("–"), figures.Text("–")}
	if model := r.Setting.Model; model != nil {
		if _, constant := model.Field.(field.Constant); !constant {
			cells[1] = figures.Text(model.Normalise.String())
		}
		if len(r.Runs) > 0 {
			cells[2] = figures.Text(fmt.Sprint(r.Runs[0].Parameters))
		}
	}
	return cells
}

// cell is a row's error on one part of the windows.
func (r *Row) cell(over interval, part func(Run) Measures, of func(Measures) float64) figures.Cell {
	if gap := r.gap(); gap != "" {
		return figures.Text(gap)
	}
	for _, run := range r.Runs {
		if part(run).Windows == 0 {
			return figures.Text("–")
		}
	}
	return over.cell(r.values(func(run Run) float64 { return of(part(run)) }))
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

// oracle says what error the targets of the snapshots before have, which no input shows.
func (e Forecasting) oracle(series *dyngraph.Series, split Split) (string, error) {
	splits, err := e.splits(series, Setting{Split: split}, 0)
	if err != nil {
		return "", err
	}
	var means [2]float64
	tested := 0.0
	for _, s := range splits {
		for _, w := range s.Test {
			tested++
			for back := range means {
				mse, err := train.MSE(series.Targets[w.Last()-1-back], w.Target())
				if err != nil {
					return "", err
				}
				means[back] += mse
			}
		}
	}
	return fmt.Sprintf("For comparison, repeating the target of the snapshot before, which no input shows, has "+
		"%.3f; of the one "+
		"before that %.3f.", means[0]/tested, means[1]/tested), nil
}
