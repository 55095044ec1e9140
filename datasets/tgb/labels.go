package tgb

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
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

// labelSet collects the labels of one time.
type labelSet struct {
	time    float64
	entries []labelEntry
}

type labelEntry struct {
	node, class int32
	line        int
	value       float64
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
	l.entries = append(l.entries, labelEntry{node + first, class, r.rows.Line(), value})
	return nil
}

// labels sorts what was gathered.
func (l *labelSet) labels(s *source, r *reader) (affinity.Labels, error) {
	slices.SortStableFunc(l.entries, func(a, b labelEntry) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.class, b.class))
	})
	labels := affinity.Labels{Time: l.time, Affinities: dyngraph.Affinities{Start: []int{0}}}
	for i, e := range l.entries {
		if i > 0 && l.entries[i-1].node == e.node && l.entries[i-1].class == e.class {
			return labels, &Error{Path: r.path, Line: e.line,
				Found: fmt.Sprintf("a second weight of %s at time %.0f for the same %s, the first in line %d",
					errs.Quote(s.classes.list[e.class]), l.time, r.columns[1].what, l.entries[i-1].line), Wanted: "one"}
		}
		if i == 0 || l.entries[i-1].node != e.node {
			labels.Nodes, labels.Start = append(labels.Nodes, e.node), append(labels.Start, i)
		}
		labels.Classes, labels.Values = append(labels.Classes, e.class), append(labels.Values, e.value)
		labels.Start[len(labels.Nodes)] = i + 1
	}
	return labels, nil
}
