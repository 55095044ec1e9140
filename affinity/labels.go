package affinity

import (
	"fmt"
	"iter"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Labels are the affinities of nodes at one time.
type Labels struct {
	Time float64
	dyngraph.Affinities
}

// rows returns the nodes with their rows.
func (l Labels) rows() iter.Seq2[int32, row] {
	return func(yield func(int32, row) bool) {
		for k, u := range l.Nodes {
			_, classes, weights := l.Row(k)
			if !yield(u, row{classes, weights}) {
				return
			}
		}
	}
}

// check returns an error for labels that are not valid for these numbers of nodes and classes, or not after a time.
func (l Labels) check(nodes, classes int, after float64) error {
	at := fmt.Sprintf("labels of time %s", timeText(l.Time))
	switch {
	case math.IsNaN(l.Time) || math.IsInf(l.Time, 0):
		return invalid("labels of time %g, want a finite number", l.Time)
	case l.Time <= after:
		return invalid("%s come after the labels of %s, want one set of labels for each time, in order", at,
			timeText(after))
	case len(l.Nodes) == 0:
		return invalid("%s without a node, want one at least: leave out times without labels", at)
	}
	if err := l.Validate(nodes, classes); err != nil {
		return errs.In("affinity: "+at, err)
	}
	return nil
}

// labelsOf returns the rows of a snapshot: the weights of the edges out of each node that has any.
func labelsOf(s dyngraph.Snapshot) Labels {
	l := Labels{Time: s.Time, Affinities: dyngraph.Affinities{Start: []int{0}, Classes: s.To, Values: s.Weights}}
	for i, from := range s.From {
		if i == 0 || from != s.From[i-1] {
			l.Nodes = append(l.Nodes, from)
			l.Start = append(l.Start, i)
		}
		l.Start[len(l.Nodes)] = i + 1
	}
	return l
}

func invalid(format string, args ...any) error {
	return errs.New(dyngraph.ErrInvalid, "affinity: %s", fmt.Sprintf(format, args...))
}
