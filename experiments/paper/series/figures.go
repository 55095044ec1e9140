package series

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

// Losses draws the losses of a model's runs by epoch; for a rotation or rolling origins, the runs of the first part.
// Runs without validation are left out; if all are, the error wraps [experiments.ErrNotStored].
func (f *Forecasting) Losses(r *experiments.Report, id string, split Split) (*figures.Figure, error) {
	results := f.of(r.Results, split).Where("model", id).Made()
	if len(results) == 0 {
		return nil, catalogue.NoRuns(id, f.title(), string(split))
	}
	var curves []figures.LossRun
	for _, result := range results {
		t := result.Facts().Training
		if t == nil || t.Best < 0 || result.Fold != 0 {
			continue
		}
		curves = append(curves, figures.LossRun{Name: fmt.Sprintf("seed %d", result.Seed),
			Train: figures.Positive(t.TrainLoss), Validation: figures.Positive(t.ValidationLoss), Best: t.Best + 1})
	}
	if len(curves) == 0 {
		return nil, catalogue.NoRuns(id, f.title(), string(split))
	}
	return figures.LossCurves(figures.Axes{Title: results[0].Model.Name + f.suffix() + ": loss by epoch", X: "epoch",
		Y: "mean squared error"}, curves...)
}

// Forecasts draws, for these nodes, forecasts of models against truth with the spread over seeds, for rolling
// origins.
func (f *Forecasting) Forecasts(r *experiments.Report, nodes []int, ids ...string) (*figures.Figure, error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, errs.New(experiments.ErrInput, "experiments: forecasts of no rows, want one at least")
	}
	first := len(series.Times)
	models := make([][]map[int][]float64, len(ids)) // by seed and snapshot
	names := make([]string, len(ids))
	for i, id := range ids {
		results := f.of(r.Results, RollingOrigin).Where("model", id).Finished()
		if len(results) == 0 {
			return nil, catalogue.NoRuns(id, f.title(), string(RollingOrigin))
		}
		names[i] = results[0].Model.Name
		seeds := make(map[uint64]map[int][]float64)
		for _, result := range results {
			of := seeds[result.Seed]
			if of == nil {
				of = make(map[int][]float64)
				seeds[result.Seed], models[i] = of, append(models[i], of)
			}
			for _, target := range targetsOf(result) {
				if target.part == "test" {
					of[target.snapshot], first = target.forecast, min(first, target.snapshot)
				}
			}
		}
	}
	var panels []figures.ForecastPanel
	for _, node := range nodes {
		if node < 0 || node >= series.Nodes() {
			return nil, errs.New(experiments.ErrInput, "experiments: node %d, want 0 to %d", node, series.Nodes()-1)
		}
		panel := figures.ForecastPanel{Title: nodeName(series, f.Node, node), Days: series.Times[first:],
			Truth: targetsAt(series, node)[first:]}
		for i, seeds := range models {
			values := make([][]float64, len(seeds))
			for j, of := range seeds { // snapshots without a forecast stay open
				values[j] = slices.Repeat([]float64{math.NaN()}, len(panel.Days))
				for snapshot, forecast := range of {
					values[j][snapshot-first] = forecast[node]
				}
			}
			spread, err := figures.Spread(names[i], nil, values)
			if err != nil {
				return nil, err
			}
			spread.Style = catalogue.StyleIn(r, ids[i])
			panel.Forecasts = append(panel.Forecasts, spread)
		}
		panels = append(panels, panel)
	}
	return figures.Forecasts(figures.Axes{Title: fmt.Sprintf("%s%s: forecasts and truth, %s", f.Title, f.suffix(),
		RollingOrigin.inTitles()), X: f.Time, Y: f.Target,
		Start: startOf(series, series.Alignment.Targets.Last)}, panels)
}

// suffix returns the name of the country for titles of figures, if the study has several.
func (f *Forecasting) suffix() string {
	if f.Country == "" {
		return ""
	}
	return ", " + plain.Capital(f.Country)
}

// target is a forecast of one window's target.
type target struct {
	part     string
	snapshot int
	forecast []float64
}

// targetsOf lists the targets of a run in order of time.
func targetsOf(r experiments.Result) (all []target) {
	for _, part := range partNames {
		for k, forecast := range r.Facts().Arrays[part+" forecasts"] {
			all = append(all, target{part, int(r.Facts().Arrays[part+" snapshots"][0][k]), forecast})
		}
	}
	slices.SortStableFunc(all, func(a, b target) int { return a.snapshot - b.snapshot })
	return all
}

// targetsAt returns the targets of a node in order of time.
func targetsAt(s *dyngraph.Series, node int) []float64 {
	values := make([]float64, len(s.Times))
	for k := range values {
		values[k] = s.Targets[k][node]
	}
	return values
}

// nodeName returns the node's name in the series, otherwise its kind and number.
func nodeName(s *dyngraph.Series, what string, node int) string {
	if len(s.NodeNames) > 0 {
		return s.NodeNames[node]
	}
	return fmt.Sprintf("%s %d", what, node)
}
