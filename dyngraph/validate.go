package dyngraph

import (
	"fmt"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Validate returns an error for a series that no model can train on: no nodes, edges or snapshots, edges out of range
// or out of order, times that do not increase strictly, arrays of unequal length, values that are NaN or infinite,
// names that are empty or repeat, edges and values of absent nodes. NaN is allowed in Features, Targets, LastObserved
// and RecentMean, where it marks a value that was not observed. Negative weights are allowed; normalisations that
// cannot take them return an error. Errors wrap [ErrInvalid].
func (s *Series) Validate() error {
	for _, check := range []func() error{s.checkPattern, s.checkTimes, s.checkWeights, s.checkNodes, s.checkNames,
		s.checkSteps, s.checkScales, s.checkAffinities, s.checkPresent} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Series) checkPattern() error {
	if fault := s.Pattern.fault(); fault != "" {
		return s.invalid("%s", fault)
	}
	if s.Pattern.Edges() == 0 {
		return s.invalid("no edges, want one at least: a self-loop of weight 0 where nodes are isolated")
	}
	return nil
}

func (s *Series) checkTimes() error {
	if len(s.Times) == 0 {
		return s.invalid("no snapshots: want at least one time")
	}
	for i, t := range s.Times {
		if !finite(t) {
			return s.invalid("time of snapshot %d is %g, want a finite number", i, t)
		}
		if i > 0 && t <= s.Times[i-1] {
			return s.invalid("time of snapshot %d is %g after %g, want times that increase strictly: sort the "+
				"snapshots and merge snapshots of equal time", i, t, s.Times[i-1])
		}
	}
	return nil
}

func (s *Series) checkWeights() error {
	if len(s.Weights) != len(s.Times) {
		return s.invalid("weights of %d snapshots, want them for each of %d times", len(s.Weights), len(s.Times))
	}
	if fault := s.Pattern.weightFault(s.Weights); fault != "" {
		return s.invalid("%s", fault)
	}
	return nil
}

func (s *Series) checkNodes() error {
	if s.FeatureSize < 1 {
		return s.invalid("feature size %d, want at least 1: nodes without features take a constant 1", s.FeatureSize)
	}
	if err := s.checkValues("feature", s.Features, s.Nodes(), s.FeatureSize); err != nil {
		return err
	}
	least, beside := 0, ""
	if s.Targets != nil || s.GraphTargets != nil || s.LastObserved != nil || s.RecentMean != nil {
		least, beside = 1, " beside targets, newest values or recent means"
	}
	if s.TargetSize < least || s.TargetSize > MaxTargetSize {
		return s.invalid("target size %d%s, want %d to %d", s.TargetSize, beside, least, MaxTargetSize)
	}
	for _, rows := range []struct {
		name   string
		values [][]float64
		nodes  int
	}{{"target", s.Targets, s.Nodes()}, {"graph target", s.GraphTargets, 1}, {"newest value", s.LastObserved, s.Nodes()},
		{"recent mean", s.RecentMean, s.Nodes()}} {
		if rows.values == nil {
			continue
		}
		if err := s.checkValues(rows.name, rows.values, rows.nodes, s.TargetSize); err != nil {
			return err
		}
	}
	return nil
}

// checkNames checks the names of nodes and the dates of snapshots.
func (s *Series) checkNames() error {
	if len(s.NodeNames) != 0 && len(s.NodeNames) != s.Nodes() {
		return s.invalid("%d node names, want none or one for each of %d nodes", len(s.NodeNames), s.Nodes())
	}
	named := make(map[string]int, len(s.NodeNames))
	for u, name := range s.NodeNames {
		if strings.TrimSpace(name) == "" {
			return s.invalid("node %d has the name %q, want one that can be read, or no names at all", u, name)
		}
		if other, found := named[name]; found {
			return s.invalid("nodes %d and %d have the same name %q, want one of its own for each", other, u, name)
		}
		named[name] = u
	}
	if len(s.Dates) != 0 && len(s.Dates) != len(s.Times) {
		return s.invalid("%d dates, want none or one for each of %d snapshots", len(s.Dates), len(s.Times))
	}
	for i, date := range s.Dates {
		if i > 0 && !date.After(s.Dates[i-1]) {
			return s.invalid("date of snapshot %d is %v after %v, want dates that increase strictly, as times do",
				i, date, s.Dates[i-1])
		}
	}
	return nil
}

func (s *Series) checkScales() error {
	if s.Scales == nil {
		return nil
	}
	if len(s.Scales) != len(s.Times) {
		return s.invalid("%d scales, want none or one for each of %d snapshots", len(s.Scales), len(s.Times))
	}
	for i, scale := range s.Scales {
		if scale.Targets != 0 && scale.Targets != s.Quantities() {
			return s.invalid("scale of snapshot %d is for %d targets a node, want %d, or 0 for one scale a node", i,
				scale.Targets, s.Quantities())
		}
		if want := s.Nodes() * max(1, scale.Targets); len(scale.Mean) != want || len(scale.Std) != want {
			return s.invalid("scale of snapshot %d has %d means and %d deviations, want %d (nodes, times Scale.Targets) of "+
				"each", i, len(scale.Mean), len(scale.Std), want)
		}
		for u := range scale.Mean {
			if !finite(scale.Mean[u]) || !finite(scale.Std[u]) || scale.Std[u] <= 0 {
				return s.invalid("scale of snapshot %d, node %d has mean %g and deviation %g, want finite numbers "+
					"and a positive deviation", i, u/max(1, scale.Targets), scale.Mean[u], scale.Std[u])
			}
		}
	}
	return nil
}

// checkValues checks rows with size entries for each node, where NaN is a missing value.
func (s *Series) checkValues(name string, rows [][]float64, nodes, size int) error {
	if err := s.checkRows(name+"s", rows, nodes*size); err != nil {
		return err
	}
	for i, row := range rows {
		for j, v := range row {
			if math.IsInf(v, 0) {
				return s.invalid("snapshot %d, node %d: %s %d is %g, want a finite number, or NaN where it is missing",
					i, j/size, name, j%size, v)
			}
		}
	}
	return nil
}

func (s *Series) checkRows(name string, rows [][]float64, width int) error {
	if len(rows) != len(s.Times) {
		return s.invalid("%s of %d snapshots, want them for each of %d times", name, len(rows), len(s.Times))
	}
	for i, row := range rows {
		if len(row) != width {
			return s.invalid("%s of snapshot %d hold %d entries, want %d", name, i, len(row), width)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func (s *Series) invalid(format string, args ...any) error {
	return invalid("series %q: %s", s.Name, fmt.Sprintf(format, args...))
}

func invalid(format string, args ...any) error {
	return errs.New(ErrInvalid, "dyngraph: %s", fmt.Sprintf(format, args...))
}
