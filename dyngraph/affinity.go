package dyngraph

import "fmt"

// Affinities holds the affinity of nodes to classes, such as a country's trade with each partner, or logits for them.
// Each listed node has a sparse row of entries.
type Affinities struct {
	// Nodes [rows] are the nodes with a row, strictly increasing.
	Nodes []int32
	// Start [rows+1] holds the row boundaries: row i has the entries Start[i] to Start[i+1]-1.
	Start []int
	// Classes [entries] increase strictly within a row. Values [entries * (1+Terms)] are finite: an affinity, which is
	// not negative, or in Series.Prior a logit and Terms terms, which are added to it with coefficients. A class without
	// an entry has the value 0.
	Classes []int32
	Values  []float64
	Terms   int
}

// Rows returns the number of nodes with a row; 0 for nil.
func (a *Affinities) Rows() int {
	if a == nil {
		return 0
	}
	return len(a.Nodes)
}

// Row returns the node of row i and its entries, for affinities without terms.
func (a *Affinities) Row(i int) (node int, classes []int32, values []float64) {
	from, to := a.Start[i], a.Start[i+1]
	return int(a.Nodes[i]), a.Classes[from:to:to], a.Values[from:to:to]
}

// Validate returns an error for affinities that are not valid for the given numbers of nodes and classes: inconsistent
// rows, nodes or classes out of range or not in increasing order, values that are negative or not finite. The error
// wraps [ErrInvalid].
func (a *Affinities) Validate(nodes, classes int) error {
	if fault := a.fault(nodes, classes, false); fault != "" {
		return invalid("%s", fault)
	}
	return nil
}

// fault describes the first fault of affinities, or of logits of any sign with terms, for the given numbers of nodes
// and classes. It returns "" if there is none.
func (a *Affinities) fault(nodes, classes int, logits bool) string {
	if a == nil {
		return ""
	}
	if a.Terms < 0 || a.Terms > 0 && !logits {
		return fmt.Sprintf("%d terms, want none: only Series.Prior has terms", a.Terms)
	}
	rows, entries, size := len(a.Nodes), len(a.Classes), 1+a.Terms
	if len(a.Start) != rows+1 || len(a.Values) != entries*size || a.Start[0] != 0 || a.Start[rows] != entries {
		return fmt.Sprintf("%d rows with %d starts, %d classes and %d values, want a start more than rows, from 0 to the "+
			"number of classes, and %d values for each class", rows, len(a.Start), entries, len(a.Values), size)
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
			for _, value := range a.Values[e*size : (e+1)*size] {
				if !finite(value) || value < 0 && !logits {
					return fmt.Sprintf("node %d has the affinity %g to class %d, want a finite number that is not negative", node,
						value, a.Classes[e])
				}
			}
		}
	}
	return ""
}

func (s *Series) checkAffinities() error {
	for _, rows := range []struct {
		name   string
		all    []*Affinities
		logits bool
	}{{"affinities", s.Affinities, false}, {"prior logits", s.Prior, true}} {
		if rows.all == nil {
			continue
		}
		if len(rows.all) != len(s.Times) {
			return s.invalid("%s at %d snapshots, want them for each of %d times, nil where there are none", rows.name,
				len(rows.all), len(s.Times))
		}
		if s.Classes < 1 || s.Classes > MaxTargetSize {
			return s.invalid("%s to %d classes, want 1 to %d", rows.name, s.Classes, MaxTargetSize)
		}
		for k, a := range rows.all {
			if fault := a.fault(s.Nodes(), s.Classes, rows.logits); fault != "" {
				return s.invalid("%s of snapshot %d: %s", rows.name, k, fault)
			}
		}
	}
	return nil
}

// Affinities returns the affinities to forecast at the last of ForecastTimes, or nil if there are none or they are not
// known yet.
func (w Window) Affinities() *Affinities {
	if w.Validate() != nil || w.Last() >= len(w.Series.Affinities) {
		return nil
	}
	return w.Series.Affinities[w.Last()]
}
