package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// EnglandFlows draws the movements between regions on four days.
func EnglandFlows(s *dyngraph.Series) (*figures.Figure, error) {
	var panels []figures.HeatPanel
	last := len(s.Times) - 1
	for _, k := range []int{0, last / 3, 2 * last / 3, last} {
		panel := figures.HeatPanel{Title: fmt.Sprintf("day %g", s.Times[k]), N: s.Nodes()}
		for e, w := range s.Weights[k] {
			if w != 0 {
				panel.From = append(panel.From, int(s.Pattern.From[e]))
				panel.To = append(panel.To, int(s.Pattern.To[e]))
				panel.Weights = append(panel.Weights, w)
			}
		}
		panels = append(panels, panel)
	}
	return figures.Adjacency(figures.Axes{Title: "People moving between and within 129 regions", Colour: "people"}, panels)
}

// EnglandMovement draws the people who moved between regions, and within them, each day.
func EnglandMovement(s *dyngraph.Series) (*figures.Figure, error) {
	between, within := figures.Series{Name: "between regions"}, figures.Series{Name: "within a region"}
	for k, day := range s.Times {
		var sums [2]float64
		for e, w := range s.Weights[k] {
			if s.Pattern.From[e] == s.Pattern.To[e] {
				sums[1] += w
			} else {
				sums[0] += w
			}
		}
		for i, line := range []*figures.Series{&between, &within} {
			line.X, line.Y = append(line.X, day), append(line.Y, sums[i])
		}
	}
	return figures.Lines(figures.Axes{Title: "Movement between regions fell within three weeks", X: "day", Y: "people a day", LogY: true}, between, within)
}

// EnglandCases draws the standardised cases of all regions and days to be forecast.
func EnglandCases(s *dyngraph.Series) (*figures.Figure, error) {
	if s.Targets == nil {
		return nil, fmt.Errorf("experiments: series %q has no targets to draw", s.Name)
	}
	grid := figures.Grid{Diverging: true, Limit: 3, Start: s.Times[0], Values: make([][]float64, s.Nodes())}
	for u := range grid.Values {
		for k := range s.Times {
			grid.Values[u] = append(grid.Values[u], s.Targets[k][u])
		}
	}
	return figures.HeatMap(figures.Axes{Title: "Cases, standardised for each region", X: "day", Y: "region", Colour: "standard deviations"}, grid)
}

// EnglandLosses draws the losses of the runs of a setting.
func EnglandLosses(runs []Run, name string, deal Deal) (*figures.Figure, error) {
	var curves []figures.LossRun
	for _, run := range runs {
		if run.Setting.Name != name || run.Setting.Deal != deal || len(run.TrainLoss) == 0 {
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
	return figures.LossCurves(figures.Axes{Title: name + ": loss by epoch", X: "epoch", Y: "mean squared error"}, curves...)
}

// EnglandForecasts draws, for some regions, forecast against truth with the spread over seeds, where windows are dealt in
// order of time.
func EnglandForecasts(s *dyngraph.Series, runs []Run, name string, regions []int) (*figures.Figure, error) {
	var seeds []Run
	for _, run := range runs {
		if run.Setting.Name == name && run.Setting.Deal == Chronological && run.Failure == "" {
			seeds = append(seeds, run)
		}
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("experiments: no run of %q with windows in order of time", name)
	}
	for _, region := range regions {
		if region < 0 || region >= s.Nodes() {
			return nil, fmt.Errorf("experiments: region %d, want 0 to %d", region, s.Nodes()-1)
		}
	}
	days := make([]float64, len(seeds[0].Targets))
	for i, target := range seeds[0].Targets {
		days[i] = s.Times[target.Snapshot]
	}
	var panels []figures.ForecastPanel
	for _, region := range regions {
		panel := figures.ForecastPanel{Title: fmt.Sprintf("region %d", region), Days: days}
		for _, target := range seeds[0].Targets {
			panel.Truth = append(panel.Truth, s.Targets[target.Snapshot][region])
		}
		values := make([][]float64, len(seeds))
		for i, run := range seeds {
			for _, target := range run.Targets {
				values[i] = append(values[i], target.Forecast[region])
			}
		}
		spread, err := figures.Spread(name, days, values, figures.MinMax)
		if err != nil {
			return nil, err
		}
		panel.Forecasts = []figures.Series{spread}
		panels = append(panels, panel)
	}
	axes := figures.Axes{Title: "Forecasts of cases, two days ahead", X: "day", Y: "standardised cases", Spans: spans(s, seeds[0])}
	return figures.Forecasts(axes, panels)
}

// spans are the days of training, validation and test targets.
func spans(s *dyngraph.Series, run Run) []figures.Span {
	var spans []figures.Span
	for _, target := range run.Targets {
		day := s.Times[target.Snapshot]
		if len(spans) == 0 || spans[len(spans)-1].Name != target.Part {
			spans = append(spans, figures.Span{Name: target.Part, From: day - 0.5})
		}
		spans[len(spans)-1].To = day + 0.5
	}
	return spans
}

// EnglandBusiest are the regions with the largest mean of raw cases in the standardisation of the first snapshot, in order.
func EnglandBusiest(s *dyngraph.Series, count int) ([]int, error) {
	if len(s.Scales) == 0 || count > s.Nodes() {
		return nil, fmt.Errorf("experiments: %d busiest of %d regions of series %q with %d scales, want a series with scales and no more than its regions",
			count, s.Nodes(), s.Name, len(s.Scales))
	}
	regions := make([]int, s.Nodes())
	for u := range regions {
		regions[u] = u
	}
	mean := func(u int) float64 { return s.Scales[0].Mean[u] }
	slices.SortStableFunc(regions, func(a, b int) int {
		switch {
		case mean(a) > mean(b):
			return -1
		case mean(a) < mean(b):
			return 1
		}
		return 0
	})
	return regions[:count], nil
}

// published are the errors that the paper prints for its PENG-CDE, mean and half-width of the 95% interval.
var published = struct{ validation, test [2]float64 }{[2]float64{0.836, 0.122}, [2]float64{0.913, 0.200}}

// EnglandTable is the table of one way to deal the windows: mean over seeds with its 95% interval (Student t).
func EnglandTable(runs []Run, deal Deal) *figures.Table {
	t := &figures.Table{
		Title: fmt.Sprintf("england-covid, windows dealt %s", map[Deal]string{Random: "at random, as published", Chronological: "in order of time"}[deal]),
		Columns: []figures.Column{
			{Title: "model"}, {Title: "control"}, {Title: "size"},
			{Title: "validation", Better: figures.Lower, Decimals: 3}, {Title: "test", Better: figures.Lower, Decimals: 3},
			{Title: "validation*", Decimals: 3}, {Title: "test*", Decimals: 3}, {Title: "s/epoch", Decimals: 2},
		},
		Notes: []string{
			"Mean squared error of standardised cases, mean over seeds; size: parameters; s/epoch: seconds for an epoch of training.",
			"Without a star each region's forecast is compared with its own target. *: the published measure compares every region's forecast with every region's target, which forgets which region is which, so no forecast can fall below the variance between regions.",
			"The paper's row gives what it prints; its interval is over 10 seeds.",
		},
	}
	for _, group := range bySetting(runs, deal) {
		t.Rows = append(t.Rows, group.row())
	}
	if deal == Random {
		p := published
		t.Rows = append(t.Rows, []figures.Cell{
			figures.Text("PENG-CDE, the paper"), figures.Text("raw"), figures.Missing(), figures.Missing(), figures.Missing(),
			figures.Estimate(p.validation[0], p.validation[1]), figures.Estimate(p.test[0], p.test[1]), figures.Missing(),
		})
	}
	return t
}

type group struct{ runs []Run }

func bySetting(runs []Run, deal Deal) []group {
	var groups []group
	for _, run := range runs {
		if run.Setting.Deal != deal {
			continue
		}
		last := len(groups) - 1
		if last < 0 || groups[last].runs[0].Setting.Name != run.Setting.Name {
			groups = append(groups, group{})
			last++
		}
		groups[last].runs = append(groups[last].runs, run)
	}
	return groups
}

func (g group) row() []figures.Cell {
	first := g.runs[0]
	row := []figures.Cell{figures.Text(first.Setting.Name), figures.Text("–"), figures.Text("–")}
	if model := first.Setting.Model; model != nil {
		if model.Field != pengcde.Constant {
			row[1] = figures.Text(model.Control.String())
		}
		row[2] = figures.Text(fmt.Sprint(first.Parameters))
	}
	failed := 0
	for _, run := range g.runs {
		if run.Failure != "" {
			failed++
		}
	}
	for _, of := range []func(Run) float64{
		func(r Run) float64 { return r.Validation.PerNode }, func(r Run) float64 { return r.Test.PerNode },
		func(r Run) float64 { return r.Validation.Published }, func(r Run) float64 { return r.Test.Published },
	} {
		if failed > 0 {
			row = append(row, figures.Text(fmt.Sprintf("diverged, %d of %d", failed, len(g.runs))))
			continue
		}
		row = append(row, g.estimate(of))
	}
	if first.Setting.Model == nil {
		return append(row, figures.Text("–"))
	}
	seconds := 0.0
	for _, run := range g.runs {
		seconds += run.SecondsPerEpoch / float64(len(g.runs))
	}
	return append(row, figures.Number(seconds))
}

// estimate is the mean over seeds; where all seeds give the same there is no interval.
func (g group) estimate(of func(Run) float64) figures.Cell {
	var values []float64
	for _, run := range g.runs {
		values = append(values, of(run))
	}
	mean, half := train.MeanCI(values)
	if half == 0 || math.IsInf(half, 1) {
		return figures.Number(mean)
	}
	return figures.Estimate(mean, half)
}

// beyond is the error from which a row of EnglandDots is left to the table, so that the others can be told apart.
const beyond = 10

// EnglandDots draws the table's test errors, with those of the single seeds.
func EnglandDots(runs []Run, deal Deal) (*figures.Figure, error) {
	var rows []figures.DotRow
	for _, g := range bySetting(runs, deal) {
		row := figures.DotRow{Name: g.runs[0].Setting.Name, Value: g.estimate(func(r Run) float64 { return r.Test.PerNode })}
		for _, run := range g.runs {
			if run.Failure != "" || run.Test.PerNode > beyond {
				row.Name += " (off scale)"
				row.Value, row.Seeds = figures.Missing(), nil
				break
			}
			row.Seeds = append(row.Seeds, run.Test.PerNode)
		}
		rows = append(rows, row)
	}
	return figures.Dots(figures.Axes{Title: "Test error, mean and 95% interval over seeds", X: "mean squared error by node"}, rows...)
}
