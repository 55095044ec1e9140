package pgt

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

func (c config) invalid(format string, args ...any) error {
	return fmt.Errorf("datasets/pgt: %s: %s: %w", c.name, fmt.Sprintf(format, args...), dyngraph.ErrInvalid)
}

func (c config) series(f *file) (*dyngraph.Series, error) {
	cases, err := c.cases(f)
	if err != nil {
		return nil, err
	}
	days, nodes := len(cases), len(cases[0])
	snapshots := days - c.lag
	if snapshots < 1 {
		return nil, c.invalid("%d days and a lag of %d leave no day to forecast: want a lag below the number of days",
			days, c.lag)
	}
	s := &dyngraph.Series{Name: c.name, FeatureSize: c.lag, TargetSize: 1, Scales: c.scales(cases, snapshots)}
	if s.NodeNames, err = c.names(f, nodes); err != nil {
		return nil, err
	}
	dates, err := c.dates(f, days)
	if err != nil {
		return nil, err
	}
	if dates != nil {
		s.Dates = dates[:snapshots:snapshots]
	}
	s.Lagged, s.Steps.Features.Last, s.Steps.Targets = true, c.lag-1, dyngraph.Span{First: c.lag, Last: c.lag}
	if s.Pattern, s.Weights, err = c.graph(f, days, snapshots, nodes); err != nil {
		return nil, err
	}
	for i, scale := range s.Scales {
		features, targets := make([]float64, nodes*c.lag), make([]float64, nodes)
		newest, recent := make([]float64, nodes), make([]float64, nodes)
		for u := range nodes {
			standard := func(day int) float64 { return (cases[day][u] - scale.Mean[u]) / scale.Std[u] }
			for k := range c.lag {
				features[u*c.lag+k] = standard(i + k)
			}
			lags := features[u*c.lag : (u+1)*c.lag]
			newest[u], recent[u] = lags[c.lag-1], stat.Mean(lags, nil)
			targets[u] = standard(i + c.lag)
		}
		s.Times = append(s.Times, float64(i))
		s.Features, s.Targets = append(s.Features, features), append(s.Targets, targets)
		s.Newest, s.Recent = append(s.Newest, newest), append(s.Recent, recent)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("datasets/pgt: %w", err)
	}
	return s, nil
}

// cases returns y as [days][nodes].
func (c config) cases(f *file) ([][]float64, error) {
	if f.Periods != len(f.Cases) {
		return nil, c.invalid("time_periods is %d but y has %d days: days are missing", f.Periods, len(f.Cases))
	}
	if f.Periods == 0 || len(f.Cases[0]) == 0 {
		return nil, c.invalid("y has no days or no nodes")
	}
	nodes := len(f.Cases[0])
	cases := make([][]float64, f.Periods)
	for t, row := range f.Cases {
		if len(row) != nodes {
			return nil, c.invalid("y of day %d has %d nodes, that of day 0 has %d: values are missing", t, len(row),
				nodes)
		}
		cases[t] = make([]float64, nodes)
		for u, v := range row {
			if v == nil {
				return nil, c.invalid("y of day %d, node %d is null: fill missing values first", t, u)
			}
			cases[t][u] = *v
		}
	}
	return cases, nil
}

// graph returns the union of the edges of the snapshots' days, and the weights of each on it. All days are checked,
// also those after the last snapshot's.
func (c config) graph(f *file, days, snapshots, nodes int) (*dyngraph.Pattern, [][]float64, error) {
	if len(f.Edges.Index) > days || len(f.Edges.Weight) > days {
		return nil, nil, c.invalid("edge_index of %d days and edge_weight of %d, but y has %d", len(f.Edges.Index),
			len(f.Edges.Weight), days)
	}
	var from, to []int
	daily := make([][]float64, days)
	for t := range days {
		edges, weights, err := c.day(f, t, nodes)
		if err != nil {
			return nil, nil, err
		}
		daily[t] = weights
		if t < snapshots {
			for _, e := range edges {
				from, to = append(from, *e[0]), append(to, *e[1])
			}
		}
	}
	pattern, place, err := dyngraph.NewPattern(nodes, from, to)
	if err != nil {
		return nil, nil, c.invalid("%v", err)
	}
	weights, k := make([][]float64, snapshots), 0
	for i := range weights {
		weights[i] = make([]float64, pattern.Edges())
		for _, w := range daily[i] {
			weights[i][place[k]] += w
			k++
		}
	}
	return pattern, weights, nil
}

// day returns the edges of a day and their weights, checked.
func (c config) day(f *file, t, nodes int) ([][]*int, []float64, error) {
	key := strconv.Itoa(t)
	edges, ok := f.Edges.Index[key]
	given, also := f.Edges.Weight[key]
	switch {
	case !ok || !also:
		return nil, nil, c.invalid("day %d is missing from edge_index or edge_weight: a day on which nobody moved "+
			"takes empty lists", t)
	case len(edges) != len(given):
		return nil, nil, c.invalid("day %d has %d edges and %d weights, want one weight for each edge", t, len(edges),
			len(given))
	}
	weights := make([]float64, len(edges))
	for k, e := range edges {
		if err := checkEdge(e, nodes); err != nil {
			return nil, nil, c.invalid("edge %d of day %d %v", k, t, err)
		}
		if given[k] == nil || *given[k] < 0 {
			return nil, nil, c.invalid("weight of edge %d (%d -> %d) of day %d is null or negative, want a number of "+
				"people: leave out edges without any", k, *e[0], *e[1], t)
		}
		weights[k] = *given[k]
	}
	return edges, weights, nil
}
