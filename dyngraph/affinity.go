package dyngraph

import (
	"fmt"
	"slices"
)

// Affinities say what some of the nodes have to do with each of a number of classes, such as a country's trade with
// each partner: a sparse row of values for each of these nodes.
type Affinities struct {
	// Nodes [rows] are those with a row, increasing strictly.
	Nodes []int32
	// Start [rows+1] says where rows begin: row i has the entries Start[i] to Start[i+1]-1.
	Start []int
	// Classes [entries] increase strictly within a row; Values [entries] are theirs, finite and not negative. A class
	// that is not there has the value 0.
	Classes []int32
	Values  []float64
}

// Rows is the number of nodes with a row; 0 for nil.
func (a *Affinities) Rows() int {
	if a == nil {
		return 0
	}
	return len(a.Nodes)
}

// Row is the node of row i with the entries.
func (a *Affinities) Row(i int) (node int, classes []int32, values []float64) {
	from, to := a.Start[i], a.Start[i+1]
	return int(a.Nodes[i]), a.Classes[from:to:to], a.Values[from:to:to]
}

// fault says what is wrong with affinities of so many nodes and classes, "" where nothing is.
func (a *Affinities) fault(nodes, classes int) string {
	if a == nil {
		return ""
	}
	rows, entries := len(a.Nodes), len(a.Classes)
	if len(a.Start) != rows+1 || len(a.Values) != entries || a.Start[0] != 0 || a.Start[rows] != entries {
		return fmt.Sprintf("%d rows with %d starts, %d classes and %d values, want a start more than rows, from 0 to the "+
			"number of classes, and as many values", rows, len(a.Start), entries, len(a.Values))
	}
	for i, node := range a.Nodes {
		if node < 0 || int(node) >= nodes || i > 0 && node <= a.Nodes[i-1] {
			return fmt.Sprintf("row %d is of node %d, want nodes of 0 to %d that increase", i, node, nodes-1)
		}
		from, to := a.Start[i], a.Start[i+1]
		if from > to || to > entries {
			return fmt.Sprintf("row %d has the entries %d to %d of %d", i, from, to, entries)
		}
		for e := from; e < to; e++ {
			if class := a.Classes[e]; class < 0 || int(class) >= classes || e > from && class <= a.Classes[e-1] {
				return fmt.Sprintf("node %d has class %d, want classes of 0 to %d that increase", node, class, classes-1)
			}
			if value := a.Values[e]; !finite(value) || value < 0 {
				return fmt.Sprintf("node %d has the affinity %g to class %d, want a finite number that is not negative", node,
					value, a.Classes[e])
			}
		}
	}
	return ""
}

func (s *Series) checkAffinities() error {
	if s.Affinities == nil {
		return nil
	}
	if len(s.Affinities) != len(s.Times) {
		return s.invalid("affinities at %d snapshots, want them for each of %d times, nil where there are none",
			len(s.Affinities), len(s.Times))
	}
	if s.Classes < 1 || s.Classes > MaxTargetSize {
		return s.invalid("affinities to %d classes, want 1 to %d", s.Classes, MaxTargetSize)
	}
	for k, a := range s.Affinities {
		if fault := a.fault(s.Nodes(), s.Classes); fault != "" {
			return s.invalid("affinities of snapshot %d: %s", k, fault)
		}
	}
	return nil
}

// Outgoing are the weights of the edges that leave each node at a snapshot, as affinities to the nodes that they lead
// to: of the nodes that have any edge of a weight above 0 to one of the given number of first nodes.
func (s *Series) Outgoing(snapshot, classes int) *Affinities {
	a := &Affinities{Start: []int{0}}
	for e, weight := range s.Weights[snapshot] {
		from, to := s.Pattern.From[e], s.Pattern.To[e]
		if weight <= 0 || int(to) >= classes {
			continue
		}
		if last := len(a.Nodes) - 1; last < 0 || a.Nodes[last] != from {
			a.Nodes, a.Start = append(a.Nodes, from), append(a.Start, len(a.Classes))
		}
		a.Classes, a.Values = append(a.Classes, to), append(a.Values, weight)
		a.Start[len(a.Nodes)] = len(a.Classes)
	}
	return a
}

// Affinities are those to be met at the last of ForecastTimes, nil where there are none or none known yet.
func (w Window) Affinities() *Affinities {
	if w.Validate() != nil || w.Last() >= len(w.Series.Affinities) {
		return nil
	}
	return w.Series.Affinities[w.Last()]
}

// Record keeps the newest rows of affinities of each node that it was told of, and the mean of the last ones.
type Record struct {
	// Window is that of the mean m of rows r, m <- ((Window-1) m + r) / Window, which begins with the first row.
	Window float64
	nodes  map[int32]*remembered
}

// remembered is what a [Record] knows of a node: its newest row, the one before that, and the mean.
type remembered struct{ newest, before, mean sparse }

// sparse is a row with increasing classes.
type sparse struct {
	classes []int32
	values  []float64
}

// Learn takes rows that have become known.
func (r *Record) Learn(a *Affinities) {
	if r.nodes == nil {
		r.nodes = make(map[int32]*remembered)
	}
	for i := range a.Rows() {
		node, classes, values := a.Row(i)
		row := sparse{classes, values}
		known := r.nodes[int32(node)]
		if known == nil {
			r.nodes[int32(node)] = &remembered{newest: row, mean: row}
			continue
		}
		known.before, known.newest = known.newest, row
		known.mean = known.mean.mixed((r.Window-1)/r.Window, row, 1/r.Window)
	}
}

// mixed is a s + b other.
func (s sparse) mixed(a float64, other sparse, b float64) (sum sparse) {
	add := func(class int32, value float64) {
		sum.classes, sum.values = append(sum.classes, class), append(sum.values, value)
	}
	i, j := 0, 0
	for i < len(s.classes) || j < len(other.classes) {
		switch {
		case j == len(other.classes) || i < len(s.classes) && s.classes[i] < other.classes[j]:
			add(s.classes[i], a*s.values[i])
			i++
		case i == len(s.classes) || other.classes[j] < s.classes[i]:
			add(other.classes[j], b*other.values[j])
			j++
		default:
			add(s.classes[i], a*s.values[i]+b*other.values[j])
			i, j = i+1, j+1
		}
	}
	return sum
}

// at is the value of a class.
func (s sparse) at(class int32) float64 {
	if i, found := slices.BinarySearch(s.classes, class); found {
		return s.values[i]
	}
	return 0
}

// Known yields of a node each class that it has had to do with, in order, with its newest value, the one before that,
// and the mean. A node of which a single row is known has that for the one before, too.
func (r *Record) Known(node int, yield func(class int32, newest, before, mean float64)) {
	known := r.nodes[int32(node)]
	if known == nil {
		return
	}
	before := known.before
	if before.classes == nil {
		before = known.newest
	}
	for i, class := range known.mean.classes { // it has all classes of the others
		yield(class, known.newest.at(class), before.at(class), known.mean.values[i])
	}
}
