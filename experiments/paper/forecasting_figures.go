package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Losses draws the losses of a model's runs by epoch, those of the first part for a rotation or rolling origins.
func (f *Forecasting) Losses(r *experiments.Report, id string, split Split) (*figures.Figure, error) {
	results := r.Results.Where("split", string(split)).Where("model", id).Made()
	if len(results) == 0 {
		return nil, noRuns(id, string(split))
	}
	var curves []figures.LossRun
	for _, result := range results {
		t := result.Facts().Training
		if t == nil || len(t.TrainLoss) == 0 || result.Fold != 0 {
			continue
		}
		curves = append(curves, figures.LossRun{Name: fmt.Sprintf("seed %d", result.Seed), Train: t.TrainLoss,
			Validation: positive(t.ValidationLoss), Best: t.Best + 1})
	}
	return figures.LossCurves(figures.Axes{Title: results[0].Model.Name + ": loss by epoch", X: "epoch",
		Y: "mean squared error"}, curves...)
}

// noRuns says that there is nothing to draw.
func noRuns(model string, of ...string) error {
	return errs.New(experiments.ErrNotStored, "experiments: no run of %q with %s to draw", model,
		strings.Join(of, " and "))
}

// Forecasts draws, for some nodes, forecasts of models against truth with the spread over seeds, for the split in
// order of time.
func (f *Forecasting) Forecasts(r *experiments.Report, nodes []int, ids ...string) (*figures.Figure, error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	models := make([]experiments.Results, len(ids)) // by seed
	for i, id := range ids {
		models[i] = r.Results.Where("split", string(Chronological)).Where("model", id).Finished()
		if len(models[i]) == 0 {
			return nil, noRuns(id, string(Chronological))
		}
	}
	if len(models) == 0 {
		return nil, errs.New(experiments.ErrInput, "experiments: forecasts of no rows, want one at least")
	}
	targets := targetsOf(models[0][0])
	var panels []figures.ForecastPanel
	for _, node := range nodes {
		if node < 0 || node >= series.Nodes() {
			return nil, errs.New(experiments.ErrInput, "experiments: node %d, want 0 to %d", node, series.Nodes()-1)
		}
		first := targets[0].snapshot
		panel := figures.ForecastPanel{Title: nodeName(series, f.Node, node), Days: series.Times[first:],
			Truth: targetsAt(series, node)[first:]}
		for _, results := range models {
			values := make([][]float64, len(results))
			for i, result := range results { // snapshots without a forecast stay open
				values[i] = slices.Repeat([]float64{math.NaN()}, len(panel.Days))
				for _, target := range targetsOf(result) {
					if k := target.snapshot - first; k >= 0 {
						values[i][k] = target.forecast[node]
					}
				}
			}
			spread, err := figures.Spread(results[0].Model.Name, nil, values)
			if err != nil {
				return nil, err
			}
			spread.Style = styleIn(r, results[0].Model.ID)
			panel.Forecasts = append(panel.Forecasts, spread)
		}
		panels = append(panels, panel)
	}
	return figures.Forecasts(figures.Axes{Title: fmt.Sprintf("%s: forecasts and truth", f.Title), X: f.Time, Y: f.Target,
		Spans: spans(series, targets)}, panels)
}

// target is a forecast of one window's target.
type target struct {
	part     string
	snapshot int
	forecast []float64
}

// targetsOf are those of a run in order of time.
func targetsOf(r experiments.Result) (all []target) {
	for _, part := range partNames {
		for k, forecast := range r.Facts().Arrays[part+" forecasts"] {
			all = append(all, target{part, int(r.Facts().Arrays[part+" snapshots"][0][k]), forecast})
		}
	}
	slices.SortStableFunc(all, func(a, b target) int { return a.snapshot - b.snapshot })
	return all
}

// targetsAt are those of a node, in order of time.
func targetsAt(s *dyngraph.Series, node int) []float64 {
	values := make([]float64, len(s.Times))
	for k := range values {
		values[k] = s.Targets[k][node]
	}
	return values
}

// nodeName is the one that the series has, else what a node is, and its number.
func nodeName(s *dyngraph.Series, what string, node int) string {
	if len(s.NodeNames) > 0 {
		return s.NodeNames[node]
	}
	return fmt.Sprintf("%s %d", what, node)
}

// spans are the times of training, validation and test targets.
func spans(s *dyngraph.Series, targets []target) []figures.Span {
	var spans []figures.Span
	for _, target := range targets {
		time := s.Times[target.snapshot]
		if len(spans) == 0 || spans[len(spans)-1].Name != target.part {
			spans = append(spans, figures.Span{Name: target.part, From: time - 0.5})
		}
		spans[len(spans)-1].To = time + 0.5
	}
	return spans
}
