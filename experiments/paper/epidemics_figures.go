package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
)

// Flows draws the movements between regions on four days.
func Flows(s *dyngraph.Series) (*figures.Figure, error) {
	var panels []figures.HeatPanel
	last := len(s.Times) - 1
	for _, k := range []int{0, last / 3, 2 * last / 3, last} {
		panel := edges(fmt.Sprintf("day %g", s.Times[k]), s.Pattern, s.Weights[k])
		panel.Weights = slices.DeleteFunc(slices.Clone(s.Weights[k]), func(w float64) bool { return w == 0 })
		panels = append(panels, panel)
	}
	axes := figures.Axes{Title: "People moving between and within 129 regions", X: "to region", Y: "from region",
		Colour: "people"}
	return figures.Adjacency(axes, panels)
}

// Movement draws the people who moved between regions, and within them, each day.
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
	axes := figures.Axes{Title: "Movement between regions fell within three weeks", X: "day", Y: "people a day",
		LogY: true}
	return figures.Lines(axes, between, within)
}

// Cases draws the standardised cases of all regions and days to be forecast.
func Cases(s *dyngraph.Series) (*figures.Figure, error) {
	if s.Targets == nil {
		return nil, fmt.Errorf("experiments: series %q has no targets to draw", s.Name)
	}
	grid := figures.Grid{Diverging: true, Limit: 3, Start: s.Times[0], Rows: s.NodeNames,
		Values: make([][]float64, s.Nodes())}
	for u := range grid.Values {
		grid.Values[u] = targetsAt(s, u)
	}
	axes := figures.Axes{Title: "Cases, standardised for each region", X: "day", Y: "region",
		Colour: "standard deviations"}
	return figures.HeatMap(axes, grid)
}

// Busiest are the regions with the largest mean of raw cases in the standardisation of the first snapshot, in
// order.
func Busiest(s *dyngraph.Series, count int) ([]int, error) {
	if len(s.Scales) == 0 || count > s.Nodes() {
		return nil, fmt.Errorf("experiments: %d busiest of %d regions of series %q with %d scales, want a series with "+
			"scales and no more than its regions", count, s.Nodes(), s.Name, len(s.Scales))
	}
	return ranked(s.Scales[0].Mean)[:count], nil
}

// ranked are the indices of values, those of the largest first.
func ranked(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}
