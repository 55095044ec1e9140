package dyngraph

import (
	"fmt"
	"math"
)

// Validate finds what cannot be trained on: no nodes, edges or snapshots, edges out of range or out of order, times
// that do not increase strictly, arrays of another length, values that are NaN or infinite. NaN is allowed among Features
// and Targets alone, where it is a value that was not observed. Negative weights are allowed; normalisations that cannot
// take them say so. Its errors wrap [ErrInvalid].
func (s *Series) Validate() error {
	for _, check := range []func() error{s.checkPattern, s.checkTimes, s.checkWeights, s.checkNodes, s.checkSteps, s.checkScales} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Series) checkPattern() error {
	p := s.Pattern
	switch {
	case p == nil || p.Nodes < 1:
		return s.invalid("no nodes: make the pattern with NewPattern")
	case p.Edges() == 0:
		return s.invalid("no edges: a graph without any takes a self-loop of weight 0")
	case len(p.From) != len(p.To):
		return s.invalid("pattern with %d sources and %d targets of edges: make it with NewPattern", len(p.From), len(p.To))
	}
	for e, from := range p.From {
		to := p.To[e]
		if from < 0 || to < 0 || int(from) >= p.Nodes || int(to) >= p.Nodes {
			return s.invalid("edge %d joins %d -> %d, want nodes in 0..%d: number the nodes from 0", e, from, to, p.Nodes-1)
		}
		if e > 0 && (from < p.From[e-1] || from == p.From[e-1] && to <= p.To[e-1]) {
			return s.invalid("edge %d, %d -> %d, follows %d -> %d, want edges in order and each once: make the pattern with NewPattern",
				e, from, to, p.From[e-1], p.To[e-1])
		}
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
			return s.invalid("time of snapshot %d is %g after %g, want times that increase strictly: sort the snapshots and merge those of equal time",
				i, t, s.Times[i-1])
		}
	}
	return nil
}

func (s *Series) checkWeights() error {
	if err := s.checkRows("weights", s.Weights, s.Pattern.Edges()); err != nil {
		return err
	}
	for i, row := range s.Weights {
		for e, w := range row {
			if !finite(w) {
				return s.invalid("snapshot %d: weight of edge %d -> %d is %g, want a finite number (0 where the edge is absent)",
					i, s.Pattern.From[e], s.Pattern.To[e], w)
			}
		}
	}
	return nil
}

func (s *Series) checkNodes() error {
	n := s.Nodes()
	if s.FeatureSize < 1 {
		return s.invalid("feature size %d, want at least 1: nodes without features take a constant 1", s.FeatureSize)
	}
	if len(s.NodeNames) != 0 && len(s.NodeNames) != n {
		return s.invalid("%d node names, want none or one for each of %d nodes", len(s.NodeNames), n)
	}
	if err := s.checkValues("feature", s.Features, s.FeatureSize, orMissing); err != nil {
		return err
	}
	if s.Targets == nil {
		return nil
	}
	if s.TargetSize < 1 {
		return s.invalid("target size %d beside targets, want at least 1", s.TargetSize)
	}
	for _, rows := range []struct {
		name   string
		values [][]float64
	}{{"newest value", s.Newest}, {"recent mean", s.Recent}} {
		if rows.values == nil {
			continue
		}
		if err := s.checkValues(rows.name, rows.values, s.TargetSize, finite); err != nil {
			return err
		}
	}
	return s.checkValues("target", s.Targets, s.TargetSize, orMissing)
}

func (s *Series) checkScales() error {
	if s.Scales == nil {
		return nil
	}
	if len(s.Scales) != len(s.Times) {
		return s.invalid("%d scales, want none or one for each of %d snapshots", len(s.Scales), len(s.Times))
	}
	for i, scale := range s.Scales {
		if len(scale.Mean) != s.Nodes() || len(scale.Std) != s.Nodes() {
			return s.invalid("scale of snapshot %d has %d means and %d deviations, want %d (nodes) of each",
				i, len(scale.Mean), len(scale.Std), s.Nodes())
		}
		for u := range scale.Mean {
			if !finite(scale.Mean[u]) || !finite(scale.Std[u]) || scale.Std[u] <= 0 {
				return s.invalid("scale of snapshot %d, node %d has mean %g and deviation %g, want finite numbers and a positive deviation",
					i, u, scale.Mean[u], scale.Std[u])
			}
		}
	}
	return nil
}

// checkValues checks rows of size entries a node.
func (s *Series) checkValues(name string, rows [][]float64, size int, allowed func(float64) bool) error {
	if err := s.checkRows(name+"s", rows, s.Nodes()*size); err != nil {
		return err
	}
	for i, row := range rows {
		for j, v := range row {
			if !allowed(v) {
				want := "a finite number"
				if allowed(math.NaN()) {
					want += ", or NaN where it is missing"
				}
				return s.invalid("snapshot %d, node %d: %s %d is %g, want %s", i, j/size, name, j%size, v, want)
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

func orMissing(v float64) bool { return !math.IsInf(v, 0) }

func (s *Series) invalid(format string, args ...any) error {
	return fmt.Errorf("dyngraph: series %q: %s: %w", s.Name, fmt.Sprintf(format, args...), ErrInvalid)
}
