package affinity

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Labels are the affinities of some nodes at one time: a sparse row over the classes for each of them.
type Labels struct {
	Time  float64
	Nodes []int32 // each once, in the order of the source
	// Row k, that of Nodes[k], are entries Start[k] to Start[k+1] of Classes, which increase, and of Weights, 0 or above.
	Start   []int
	Classes []int32
	Weights []float64
}

// Row is that of Nodes[k].
func (l Labels) Row(k int) (classes []int32, weights []float64) {
	return l.Classes[l.Start[k]:l.Start[k+1]], l.Weights[l.Start[k]:l.Start[k+1]]
}

// check finds what cannot be labels of so many nodes and classes after a time.
func (l Labels) check(nodes, classes int, after float64) error {
	at := fmt.Sprintf("labels of time %s", timeText(l.Time))
	switch {
	case math.IsNaN(l.Time) || math.IsInf(l.Time, 0):
		return invalid("labels of time %g, want a finite number", l.Time)
	case l.Time <= after:
		return invalid("%s come after those of %s, want one set of labels for each time, in order", at, timeText(after))
	case len(l.Nodes) == 0:
		return invalid("%s without a node, want one at least: leave out times without labels", at)
	case len(l.Start) != len(l.Nodes)+1 || l.Start[0] != 0 || l.Start[len(l.Nodes)] != len(l.Classes) ||
		len(l.Weights) != len(l.Classes):
		return invalid("%s: %d nodes, %d starts of rows, %d classes and %d weights do not fit together", at, len(l.Nodes),
			len(l.Start), len(l.Classes), len(l.Weights))
	}
	known := make(map[int32]bool, len(l.Nodes))
	for k, u := range l.Nodes {
		if u < 0 || int(u) >= nodes || known[u] {
			return invalid("%s: node %d, want each once and in 0..%d", at, u, nodes-1)
		}
		known[u] = true
		if l.Start[k] > l.Start[k+1] || l.Start[k+1] > len(l.Classes) {
			return invalid("%s: the row of node %d runs from %d to %d of %d", at, u, l.Start[k], l.Start[k+1],
				len(l.Classes))
		}
		row, weights := l.Row(k)
		for i, class := range row {
			if class < 0 || int(class) >= classes || i > 0 && class <= row[i-1] {
				return invalid("%s: class %d in the row of node %d, want classes in 0..%d that increase", at, class, u,
					classes-1)
			}
			if w := weights[i]; !(w >= 0) || math.IsInf(w, 1) {
				return invalid("%s: weight %g of class %d for node %d, want a finite number, 0 or above", at, w, class, u)
			}
		}
	}
	return nil
}

// labelsOf are the rows of a snapshot: the weights of the edges out of each node that has any.
func labelsOf(s dyngraph.Snapshot) Labels {
	l := Labels{Time: s.Time, Start: []int{0}, Classes: s.To, Weights: s.Weights}
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
