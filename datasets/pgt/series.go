package pgt

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

func (c config) invalid(format string, args ...any) error {
	return errs.New(dyngraph.ErrInvalid, "datasets/pgt: %s: %s", c.name, fmt.Sprintf(format, args...))
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
	s.Lagged, s.Alignment.Features.Last = true, c.lag-1
	s.Alignment.Targets = dyngraph.StepRange{First: c.lag, Last: c.lag}
	edges, err := c.days(f, days, nodes)
	if err != nil {
		return nil, err
	}
	if s.Pattern, s.Weights, err = c.graph(edges[:snapshots], nodes); err != nil {
		return nil, err
	}
	if s.Pattern.Edges() == 0 {
		return nil, c.invalid("no edge on any of days 0 to %d, the days of snapshots: a graph without any takes a "+
			"self-loop of weight 0", snapshots-1)
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
		s.LastObserved, s.RecentMean = append(s.LastObserved, newest), append(s.RecentMean, recent)
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
			return nil, c.invalid("y of day %d has %d nodes, y of day 0 has %d: values are missing", t, len(row),
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

// days returns the edges of all days, checked, also of those after the last snapshot's.
func (c config) days(f *file, days, nodes int) ([]edges, error) {
	if len(f.Edges.Index) > days || len(f.Edges.Weight) > days {
		return nil, c.invalid("edge_index of %d days and edge_weight of %d, but y has %d", len(f.Edges.Index),
			len(f.Edges.Weight), days)
	}
	all := make([]edges, days)
	for t := range all {
		pairs, ok := f.Edges.Index[strconv.Itoa(t)]
		weights, also := f.Edges.Weight[strconv.Itoa(t)]
		if !ok || !also {
			return nil, c.invalid("day %d is missing from edge_index or edge_weight: a day on which nobody moved "+
				"takes empty lists", t)
		}
		all[t] = edges{pairs, weights}
		if err := c.checkEdges(fmt.Sprintf("day %d", t), all[t], nodes); err != nil {
			return nil, err
		}
	}
	return all, nil
}
