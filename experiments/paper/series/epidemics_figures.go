package series

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// Flows draws the movements between regions on four days.
func Flows(s *dyngraph.Series) (*figures.Figure, error) {
	var panels []figures.HeatPanel
	last := len(s.Times) - 1
	for _, k := range []int{0, last / 3, 2 * last / 3, last} {
		name := fmt.Sprintf("day %g", s.Times[k])
		if s.Dates != nil {
			name = s.Dates[k].Format("2 January 2006")
		}
		panel := catalogue.Edges(name, s.Pattern, s.Weights[k])
		panel.Weights = slices.DeleteFunc(slices.Clone(s.Weights[k]), func(w float64) bool { return w == 0 })
		panels = append(panels, panel)
	}
	axes := figures.Axes{Title: fmt.Sprintf("People moving between and within %d regions", s.Nodes()), X: "to region",
		Y: "from region", Colour: "people"}
	return figures.Adjacency(axes, panels)
}

// Movement draws the number of people who moved between regions, and within them, each day.
func Movement(s *dyngraph.Series) (*figures.Figure, error) {
	between := figures.Series{Name: "between regions", X: s.Times}
	within := figures.Series{Name: "within a region", X: s.Times}
	for k := range s.Times {
		moved, stayed := 0.0, 0.0
		for e, w := range s.Weights[k] {
			if s.Pattern.From[e] == s.Pattern.To[e] {
				stayed += w
			} else {
				moved += w
			}
		}
		between.Y, within.Y = append(between.Y, moved), append(within.Y, stayed)
	}
	axes := figures.Axes{Title: "People who moved within a region and between regions", X: "day", Y: "people a day",
		LogY: true, Start: startOf(s, 0)}
	return figures.Lines(axes, between, within)
}

// Cases draws the standardised cases of all regions on the days to forecast.
func Cases(s *dyngraph.Series) (*figures.Figure, error) {
	if s.Targets == nil {
		return nil, errs.New(experiments.ErrInput, "experiments: series %q has no targets to draw", s.Name)
	}
	grid := figures.Grid{Diverging: true, Limit: 3, Start: s.Times[0], Rows: s.NodeNames,
		Values: make([][]float64, s.Nodes())}
	for u := range grid.Values {
		grid.Values[u] = targetsAt(s, u)
	}
	axes := figures.Axes{Title: "Cases, standardised for each region", X: "day", Y: "region",
		Colour: "standard deviations", Start: startOf(s, s.Alignment.Targets.Last)}
	return figures.HeatMap(axes, grid)
}

// CasesOf draws the daily cases of these regions on the days to forecast; see [Busiest] and [Regions].
func CasesOf(s *dyngraph.Series, regions []int) (*figures.Figure, error) {
	var panels []figures.ForecastPanel
	for _, u := range regions {
		if u < 0 || u >= s.Nodes() || s.Targets == nil || len(s.Scales) != len(s.Times) {
			return nil, errs.New(experiments.ErrInput, "experiments: cases of region %d of series %q with %d regions and "+
				"%d scales, want one of its regions and a scale for each of %d snapshots", u, s.Name, s.Nodes(),
				len(s.Scales), len(s.Times))
		}
		panel := figures.ForecastPanel{Title: nodeName(s, "region", u), Days: s.Times}
		for k, scale := range s.Scales {
			cases, err := scale.Restore(s.Targets[k])
			if err != nil {
				return nil, err
			}
			panel.Truth = append(panel.Truth, cases[u])
		}
		panels = append(panels, panel)
	}
	return figures.Forecasts(figures.Axes{Title: "Cases of each day", X: "day", Y: "cases",
		Start: startOf(s, s.Alignment.Targets.Last)}, panels)
}

// startOf returns the date of time 0 plus this many days; the zero time if a series has no dates. The series' times
// are days.
func startOf(s *dyngraph.Series, later int) time.Time {
	if s.Dates == nil {
		return time.Time{}
	}
	const day = 24 * float64(time.Hour)
	return s.Dates[0].AddDate(0, 0, later).Add(-time.Duration(s.Times[0] * day))
}

// Busiest returns the regions with the largest mean of raw cases in the standardisation of the first snapshot, in
// order.
func Busiest(s *dyngraph.Series, count int) ([]int, error) {
	if len(s.Scales) == 0 || count > s.Nodes() {
		return nil, errs.New(experiments.ErrInput, "experiments: %d busiest of %d regions of series %q with %d scales, "+
			"want a series with scales and no more than its regions", count, s.Nodes(), s.Name, len(s.Scales))
	}
	return ranked(s.Scales[0].Mean)[:count], nil
}

// Regions returns the indices of the regions with these names.
func Regions(s *dyngraph.Series, names ...string) (regions []int, err error) {
	if s.NodeNames == nil {
		return nil, errs.New(experiments.ErrInput, "experiments: the regions of series %q have no names: count them from 0",
			s.Name)
	}
	for _, name := range names {
		u := slices.Index(s.NodeNames, name)
		if u < 0 {
			return nil, errs.New(experiments.ErrInput, "experiments: no region %q in series %q, %s", name, s.Name,
				nearest.Want(name, s.NodeNames))
		}
		regions = append(regions, u)
	}
	return regions, nil
}

// ranked returns the indices of values, largest value first.
func ranked(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}
