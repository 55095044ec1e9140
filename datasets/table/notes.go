package table

import (
	"math"
	"slices"
)

// compareNodes tells of nodes that one file lacks.
func (r *reader) compareNodes() {
	var without, isolated []string
	for u, name := range r.names {
		if r.c.Nodes.Path != "" && !r.inNodes[u] {
			without = append(without, name)
		}
		if !r.inEdges[u] {
			isolated = append(isolated, name)
		}
	}
	slices.Sort(without)
	slices.Sort(isolated)
	if len(without) > 0 {
		r.notice("%d of %d nodes have no row in %s, their values are missing at all times: %s", len(without), len(r.names),
			r.c.Nodes.Path, list(without))
	}
	if len(isolated) > 0 {
		r.notice("%d of %d nodes have no edge in %s, they see no other node: %s", len(isolated), len(r.names),
			r.c.Edges.Path, list(isolated))
	}
}

// noteGaps tells of missing values. When scales are to be taken, a target that has no value at all is an error.
func (r *reader) noteGaps(v values, first bool) error {
	count := func(rows [][]float64, k, size int, name string) error {
		gaps, total := 0, 0
		for _, row := range rows {
			for at := k; at < len(row); at += size {
				total++
				if math.IsNaN(row[at]) {
					gaps++
				}
			}
		}
		if gaps == total && first {
			return &Error{Path: r.c.Nodes.Path, Column: name, Found: "no value in any row", Wanted: "numbers"}
		}
		if gaps > 0 {
			r.notice("%s: column %q has no value for %d of %d pairs of a time and a node", r.c.Nodes.Path, name, gaps, total)
		}
		return nil
	}
	for k, name := range r.c.Nodes.Targets {
		if err := count(v.y, k, v.targets, name); err != nil {
			return err
		}
	}
	for k, name := range r.c.Nodes.Features {
		if err := count(v.x, k, v.features, name); err != nil {
			return err
		}
	}
	return nil
}

// noteSpacing tells of times that are numbers and far from 1 apart.
func (r *reader) noteSpacing(times []float64) {
	const far = 100
	if r.clock.dated || len(times) < 2 {
		return
	}
	gap := (times[len(times)-1] - times[0]) / float64(len(times)-1)
	if gap > far || gap < 1.0/far {
		r.notice("times are %.3g apart on average: models do best with times about 1 apart, so write days, weeks or years "+
			"rather than seconds, or dates", gap)
	}
}
