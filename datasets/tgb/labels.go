package tgb

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
)

// Labels streams the labels, a set for each time.
func (s *source) Labels(ctx context.Context) iter.Seq2[affinity.Labels, error] {
	return func(yield func(affinity.Labels, error) bool) {
		var set labelSet
		stopped := false
		end := func(r *reader) error {
			labels, err := set.labels(s, r)
			if err == nil {
				stopped = !yield(labels, nil)
			}
			return err
		}
		var last *reader
		err := s.rows(ctx, &s.labels, s.format.columns(weight), func(r *reader) (bool, error) {
			last = r
			at, err := r.now()
			if err != nil {
				return false, err
			}
			if len(set.entries) > 0 && at != set.time {
				if err := end(r); err != nil || stopped {
					return false, err
				}
				set = labelSet{}
			}
			set.time = at
			return true, set.add(s, r)
		})
		if err == nil && !stopped {
			err = end(last)
		}
		if err != nil {
			yield(affinity.Labels{}, err)
		}
	}
}

// labelSet gathers the labels of a time.
type labelSet struct {
	time    float64
	nodes   []int32
	row     map[int32]int // the place of a node among nodes
	entries []labelEntry
}

type labelEntry struct {
	row, line int
	class     int32
	value     float64
}

// add takes the row that was read.
func (l *labelSet) add(s *source, r *reader) error {
	known, first := s.sources()
	node, found := known.of[r.cells[1]]
	if !found {
		return r.faultIn(1, "one that has an edge in "+s.edges.Path)
	}
	class, found := s.classes.of[r.cells[2]]
	if !found {
		return r.faultIn(2, "one that has an edge in "+s.edges.Path)
	}
	value, err := r.number(3, false)
	if err != nil {
		return err
	}
	node += first
	row, found := l.row[node]
	if !found {
		if l.row == nil {
			l.row = make(map[int32]int)
		}
		row = len(l.nodes)
		l.row[node], l.nodes = row, append(l.nodes, node)
	}
	l.entries = append(l.entries, labelEntry{row, r.rows.Line(), class, value})
	return nil
}

// labels sorts what was gathered.
func (l *labelSet) labels(s *source, r *reader) (affinity.Labels, error) {
	slices.SortStableFunc(l.entries, func(a, b labelEntry) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.class, b.class))
	})
	labels := affinity.Labels{Time: l.time, Nodes: l.nodes, Start: make([]int, len(l.nodes)+1)}
	for i, e := range l.entries {
		if i > 0 && l.entries[i-1].row == e.row && l.entries[i-1].class == e.class {
			return labels, &Error{Path: r.path, Line: e.line,
				Found: fmt.Sprintf("a second weight of %s at time %.0f for the same %s, the first in line %d",
					shown(s.classes.list[e.class]), l.time, r.columns[1].what, l.entries[i-1].line), Wanted: "one"}
		}
		labels.Classes, labels.Weights = append(labels.Classes, e.class), append(labels.Weights, e.value)
		labels.Start[e.row+1] = i + 1
	}
	return labels, nil
}
