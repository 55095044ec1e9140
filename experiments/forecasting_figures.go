package experiments

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
)

// Losses draws the losses of a row's runs by epoch, those of the first window for a rotation.
func (r *ForecastingResults) Losses(id string, deal Deal) (*figures.Figure, error) {
	row := r.Row(id, deal)
	if row == nil {
		return nil, noRuns(id, deal)
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
	return figures.LossCurves(figures.Axes{Title: row.Setting.Name + ": loss by epoch", X: "epoch", Y: "mean squared error"}, curves...)
}

func noRuns(id string, deal Deal) error {
	return fmt.Errorf("experiments: no run of %q with windows dealt %s: %w", id, deal, ErrInput)
}

// Forecasts draws, for some nodes, forecast against truth with the spread over seeds, where windows are dealt in order of
// time.
func (r *ForecastingResults) Forecasts(series *dyngraph.Series, id string, nodes []int) (*figures.Figure, error) {
	var seeds []Run
	row := r.Row(id, Chronological)
	if row != nil {
		for _, run := range row.Runs {
			if run.Failure == "" {
				seeds = append(seeds, run)
			}
		}
	}
	if len(seeds) == 0 {
		return nil, noRuns(id, Chronological)
	}
	times := make([]float64, len(seeds[0].Targets))
	for i, target := range seeds[0].Targets {
		times[i] = series.Times[target.Snapshot]
	}
	var panels []figures.ForecastPanel
	for _, node := range nodes {
		if node < 0 || node >= series.Nodes() {
			return nil, fmt.Errorf("experiments: node %d, want 0 to %d: %w", node, series.Nodes()-1, ErrInput)
		}
		panel := figures.ForecastPanel{Title: nodeName(series, node), Days: times}
		for _, target := range seeds[0].Targets {
			panel.Truth = append(panel.Truth, series.Targets[target.Snapshot][node])
		}
		values := make([][]float64, len(seeds))
		for i, run := range seeds {
			for _, target := range run.Targets {
				values[i] = append(values[i], target.Forecast[node])
			}
		}
		spread, err := figures.Spread(row.Setting.Name, times, values, figures.MinMax)
		if err != nil {
			return nil, err
		}
		panel.Forecasts = []figures.Series{spread}
		panels = append(panels, panel)
	}
	axes := figures.Axes{Title: fmt.Sprintf("%s: forecasts and truth", r.Experiment.Title), X: r.Experiment.Time, Y: r.Experiment.Target, Spans: spans(series, seeds[0])}
	return figures.Forecasts(axes, panels)
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

// Dots draws a table's test errors, with those of the single seeds.
func (r *ForecastingResults) Dots(deal Deal) (*figures.Figure, error) {
	var rows []figures.DotRow
	for _, row := range r.Rows {
		if row.Setting.Deal != deal {
			continue
		}
		dots := figures.DotRow{Name: row.Setting.Name, Value: figures.Missing()}
		if row.gap() == "" {
			dots.Seeds = row.values(func(run Run) float64 { return run.Test.PerNode })
			dots.Value = estimate(dots.Seeds)
			for _, e := range dots.Seeds {
				if e > beyond {
					dots = figures.DotRow{Name: row.Setting.Name + " (off scale)", Value: figures.Missing()}
					break
				}
			}
		}
		rows = append(rows, dots)
	}
	return figures.Dots(figures.Axes{Title: "Test error, mean and 95% interval over seeds", X: "mean squared error by node"}, rows...)
}

// WindowErrors draws the error of every row of the rotation on each window.
func (r *ForecastingResults) WindowErrors() (*figures.Figure, error) {
	series, all, err := r.rotation()
	if err != nil {
		return nil, err
	}
	var lines []figures.Series
	for _, rotated := range all {
		line := figures.Series{Name: rotated.Setting.Name, Y: rotated.Ensemble}
		for _, snapshot := range rotated.Snapshots {
			line.X = append(line.X, series.Times[snapshot])
		}
		lines = append(lines, line)
	}
	return figures.Lines(figures.Axes{Title: "Error by tested window", X: r.Experiment.Time + " of the target", Y: "mean squared error by node"}, lines...)
}

// Differences draws, for every row of the rotation, the errors by window less those of the best forecast without a model.
func (r *ForecastingResults) Differences() (*figures.Figure, error) {
	series, all, err := r.rotation()
	if err != nil {
		return nil, err
	}
	best, err := r.bestHeuristic(series)
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, fmt.Errorf("experiments: rotation of the forecasts without a model, to compare with, is not complete: %w", ErrInput)
	}
	var rows []figures.DotRow
	for _, rotated := range all {
		if rotated.Setting.ID == best.Setting.ID {
			continue
		}
		differences := rotated.Differences(*best)
		rows = append(rows, figures.DotRow{Name: rotated.Setting.Name, Value: estimate(differences), Seeds: differences})
	}
	return figures.Dots(figures.Axes{Title: fmt.Sprintf("Error less that of %q: windows, mean and 95%% interval", best.Setting.Name), X: "difference of mean squared errors; below 0 is better", Dot: "one window"}, rows...)
}

func (r *ForecastingResults) rotation() (*dyngraph.Series, []Rotated, error) {
	series, err := r.Experiment.Series()
	if err != nil {
		return nil, nil, err
	}
	all, err := r.Rotated(series)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("experiments: no complete rotation of %s in profile %s: %w", r.Experiment.Name, r.Profile, ErrInput)
	}
	return series, all, err
}
