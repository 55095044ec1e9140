package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
)

// Losses draws the losses of a row's runs by epoch, those of the first part for a rotation or rolling origins.
func (r *ForecastingResults) Losses(id string, split Split) (*figures.Figure, error) {
	row := r.Row(id, split)
	if row == nil {
		return nil, noRuns(id, split)
	}
	var curves []figures.LossRun
	for _, run := range row.Runs {
		if len(run.TrainLoss) == 0 || run.Fold != 0 {
			continue
		}
		curve := figures.LossRun{Name: fmt.Sprintf("seed %d", run.Seed), Train: run.TrainLoss, Best: run.Best + 1}
		for _, v := range run.ValidationLoss {
			if v == 0 {
				v = math.NaN()
			}
			curve.Validation = append(curve.Validation, v)
		}
		curves = append(curves, curve)
	}
	return figures.LossCurves(figures.Axes{Title: row.Setting.Name + ": loss by epoch", X: "epoch",
		Y: "mean squared error"}, curves...)
}

func noRuns(id string, split Split) error {
	return fmt.Errorf("experiments: no run of %q with split %q: %w", id, split, ErrInput)
}

// Forecasts draws, for some nodes, forecasts of rows against truth with the spread over seeds, for the split in order of time.
func (r *ForecastingResults) Forecasts(series *dyngraph.Series, nodes []int, ids ...string) (*figures.Figure, error) {
	rows := make([][]Run, len(ids)) // by seed
	for i, id := range ids {
		if row := r.Row(id, Chronological); row != nil {
			rows[i] = slices.DeleteFunc(slices.Clone(row.Runs), func(run Run) bool { return run.Failure != "" })
		}
		if len(rows[i]) == 0 {
			return nil, noRuns(id, Chronological)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("experiments: forecasts of no rows, want one at least: %w", ErrInput)
	}
	var panels []figures.ForecastPanel
	for _, node := range nodes {
		if node < 0 || node >= series.Nodes() {
			return nil, fmt.Errorf("experiments: node %d, want 0 to %d: %w", node, series.Nodes()-1, ErrInput)
		}
		panel := figures.ForecastPanel{Title: nodeName(series, node)}
		for _, target := range rows[0][0].Targets {
			panel.Days = append(panel.Days, series.Times[target.Snapshot])
			panel.Truth = append(panel.Truth, series.Targets[target.Snapshot][node])
		}
		for _, runs := range rows {
			spread, err := forecastSpread(series, runs, node)
			if err != nil {
				return nil, err
			}
			panel.Forecasts = append(panel.Forecasts, spread)
		}
		panels = append(panels, panel)
	}
	axes := figures.Axes{Title: fmt.Sprintf("%s: forecasts and truth", r.Experiment.Title), X: r.Experiment.Time,
		Y:     r.Experiment.Target,
		Spans: spans(series, rows[0][0])}
	return figures.Forecasts(axes, panels)
}

// forecastSpread is the line of one node over the runs of a row.
func forecastSpread(series *dyngraph.Series, runs []Run, node int) (figures.Series, error) {
	var times []float64
	for _, target := range runs[0].Targets {
		times = append(times, series.Times[target.Snapshot])
	}
	values := make([][]float64, len(runs))
	for i, run := range runs {
		for _, target := range run.Targets {
			values[i] = append(values[i], target.Forecast[node])
		}
	}
	return figures.Spread(runs[0].Setting.Name, times, values, figures.MinMax)
}

func nodeName(s *dyngraph.Series, node int) string {
	if len(s.NodeNames) > 0 {
		return s.NodeNames[node]
	}
	return fmt.Sprintf("node %d", node)
}

// spans are the times of training, validation and test targets.
func spans(s *dyngraph.Series, run Run) []figures.Span {
	var spans []figures.Span
	for _, target := range run.Targets {
		time := s.Times[target.Snapshot]
		if len(spans) == 0 || spans[len(spans)-1].Name != target.Part {
			spans = append(spans, figures.Span{Name: target.Part, From: time - 0.5})
		}
		spans[len(spans)-1].To = time + 0.5
	}
	return spans
}

// beyond is the error from which a row of Dots is left to the table, so that the others can be told apart.
const beyond = 10

// Dots draws the test errors of the random split, with those of the single seeds.
func (r *ForecastingResults) Dots() (*figures.Figure, error) {
	series, err := r.Experiment.Series()
	if err != nil {
		return nil, err
	}
	over, err := r.Experiment.interval(series, Random)
	if err != nil {
		return nil, err
	}
	var rows []figures.DotRow
	for _, row := range r.Rows {
		if row.Setting.Split != Random {
			continue
		}
		dots := figures.DotRow{Name: row.Setting.Name, Value: figures.Missing()}
		if row.gap() == "" {
			dots.Seeds = row.values(func(run Run) float64 { return run.Test.PerNode })
			dots.Value = over.cell(dots.Seeds)
			for _, e := range dots.Seeds {
				if e > beyond {
					dots = figures.DotRow{Name: row.Setting.Name + " (off scale)", Value: figures.Missing()}
					break
				}
			}
		}
		rows = append(rows, dots)
	}
	return figures.Dots(figures.Axes{Title: "Test error, random splits: mean and 95% interval over seeds",
		X: "mean squared error by node"}, rows...)
}

// WindowErrors draws the error of every row of a split on each tested window.
func (r *ForecastingResults) WindowErrors(split Split) (*figures.Figure, error) {
	series, all, err := r.complete(split)
	if err != nil {
		return nil, err
	}
	var lines []figures.Series
	for _, row := range all {
		line := figures.Series{Name: row.Setting.Name, Y: row.Ensemble}
		for _, snapshot := range row.Snapshots {
			line.X = append(line.X, series.Times[snapshot])
		}
		lines = append(lines, line)
	}
	axes := figures.Axes{Title: fmt.Sprintf("Error by tested window, %s", split),
		X: r.Experiment.Time + " of the target", Y: "mean squared error by node"}
	return figures.Lines(axes, lines...)
}

// Differences draws, for every row of a split, the errors by window minus those of the best simple forecast.
func (r *ForecastingResults) Differences(split Split) (*figures.Figure, error) {
	series, _, err := r.complete(split)
	if err != nil {
		return nil, err
	}
	best, err := r.bestSimple(series, split)
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, fmt.Errorf("experiments: %s of the simple forecasts, to compare with, is not complete: %w",
			split, ErrInput)
	}
	over, err := r.Experiment.interval(series, split)
	if err != nil {
		return nil, err
	}
	var rows []figures.DotRow
	for i := range r.Rows {
		if r.Rows[i].Setting.Split != split {
			continue
		}
		differences, err := r.Rows[i].differences(series, best)
		if err != nil {
			return nil, err
		}
		if len(differences) > 0 {
			rows = append(rows, figures.DotRow{Name: r.Rows[i].Setting.Name, Value: over.cell(differences),
				Seeds: differences})
		}
	}
	return figures.Dots(figures.Axes{Title: fmt.Sprintf("Error minus that of %q, %s: windows, mean and 95%% "+
		"interval", best.setting.Name, split),
		X: "difference of mean squared errors; below 0 is better", Dot: "one window"}, rows...)
}

// complete are the rows of a split that have all their runs.
func (r *ForecastingResults) complete(split Split) (*dyngraph.Series, []ByWindow, error) {
	series, err := r.Experiment.Series()
	if err != nil {
		return nil, nil, err
	}
	all, err := r.ByWindow(series, split)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("experiments: no complete row of %s, %s, in profile %s: %w", r.Experiment.Name, split,
			r.Profile, ErrInput)
	}
	return series, all, err
}
