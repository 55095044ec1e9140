package dyngraph

import (
	"math"
	"slices"
	"sort"
)

// WithPresence returns the series with Series.Present [T][nodes]. Features, targets, newest values and recent means of
// absent nodes become NaN, and weights of their edges 0. A target is of the steps Alignment.Targets, and needs its node
// at all of them that the series has. If every node is always present, Present is nil. The given series does not
// change. Errors are as in [Series.Validate].
func (s *Series) WithPresence(present [][]bool) (*Series, error) {
	other := *s
	other.Present = nil
	if err := other.Validate(); err != nil {
		return nil, err
	}
	other.Present = present
	if err := other.checkPresentShape(); err != nil || other.AllPresent() {
		other.Present = nil
		return &other, err
	}
	for _, of := range other.ofNodes() {
		*of.rows = slices.Clone(*of.rows)
		for i, row := range *of.rows {
			(*of.rows)[i] = replaced(row, math.NaN(), func(at int) bool { return of.absent(i, at/of.size, at%of.size) })
		}
	}
	other.Weights = slices.Clone(s.Weights)
	for i, row := range s.Weights {
		if repeats(s.Weights, i) && slices.Equal(present[i], present[i-1]) {
			other.Weights[i] = other.Weights[i-1] // a graph that does not change is one row
			continue
		}
		other.Weights[i] = replaced(row, 0, func(e int) bool { return row[e] != 0 && other.ofAbsent(i, e) })
	}
	return &other, other.checkPresent()
}

// replaced returns the values with others at some places; the values themselves if there are no such places.
func replaced(values []float64, by float64, at func(int) bool) []float64 {
	copied := false
	for i := range values {
		if !at(i) {
			continue
		}
		if !copied {
			values, copied = slices.Clone(values), true
		}
		values[i] = by
	}
	return values
}

// AllPresent reports whether every node is present at every snapshot.
func (s *Series) AllPresent() bool {
	return !slices.ContainsFunc(s.Present, func(row []bool) bool { return slices.Contains(row, false) })
}

// Present returns which nodes are present at the newest input up to a time, which counts from the first input as in
// [Window.InputTimes]. It returns nil if all nodes are, and for a window that is not in its series. A node that is
// absent there has no forecast, and no target in [Window.Targets].
func (w Window) Present(t float64) []bool {
	if w.Validate() != nil || w.Start+w.Inputs() > len(w.Series.Present) {
		return nil
	}
	times := w.InputTimes()
	row := w.Series.Present[w.Start+max(0, sort.Search(len(times), func(k int) bool { return times[k] > t })-1)]
	if !slices.Contains(row, false) {
		return nil
	}
	return row
}

// WithoutAbsent returns values at a time, [nodes*size] row-major by node, with NaN for the nodes that are absent there,
// see [Window.Present]; the values themselves if there are none.
func (w Window) WithoutAbsent(t float64, values []float64) []float64 {
	present := w.Present(t)
	if present == nil || len(values)%len(present) != 0 {
		return values
	}
	return replaced(values, math.NaN(), func(at int) bool { return !present[at*len(present)/len(values)] })
}

// absent reports whether a node is absent at a snapshot; steps outside the series count as present.
func (s *Series) absent(snapshot, node int) bool {
	return snapshot >= 0 && snapshot < len(s.Present) && !s.Present[snapshot][node]
}

// ofAbsent reports whether an edge at a snapshot has an absent node.
func (s *Series) ofAbsent(snapshot, edge int) bool {
	return s.absent(snapshot, int(s.Pattern.From[edge])) || s.absent(snapshot, int(s.Pattern.To[edge]))
}

// absentTarget reports whether a node is absent at a step that one of its targets at a snapshot comes from.
func (s *Series) absentTarget(snapshot, node, target int) bool {
	steps := s.Alignment.Targets
	if s.EachStep {
		steps.First += target / s.Quantities()
		steps.Last = steps.First
	}
	for at := max(0, snapshot+steps.First); at <= min(snapshot+steps.Last, len(s.Present)-1); at++ {
		if s.absent(at, node) {
			return true
		}
	}
	return false
}

// nodeRows are values of nodes by snapshot, NaN where absent says so.
type nodeRows struct {
	what   string
	rows   *[][]float64
	size   int
	absent func(snapshot, node, entry int) bool
}

// ofNodes returns the values of nodes that presence concerns.
func (s *Series) ofNodes() []nodeRows {
	own := func(snapshot, node, _ int) bool { return s.absent(snapshot, node) }
	return []nodeRows{{"feature", &s.Features, s.FeatureSize, own}, {"target", &s.Targets, s.TargetSize, s.absentTarget},
		{"newest value", &s.LastObserved, s.TargetSize, own}, {"recent mean", &s.RecentMean, s.TargetSize, own}}
}

func (s *Series) checkPresentShape() error {
	if s.Present != nil && len(s.Present) != len(s.Times) {
		return s.invalid("presence at %d snapshots, want it for each of %d times, or nil where all nodes are always present",
			len(s.Present), len(s.Times))
	}
	for i, row := range s.Present {
		if len(row) != s.Nodes() {
			return s.invalid("presence of %d nodes at snapshot %d, want it for each of %d nodes", len(row), i, s.Nodes())
		}
	}
	return nil
}

// checkPresent checks presence. Edges and values of nodes are already checked.
func (s *Series) checkPresent() error {
	if s.Present == nil {
		return nil
	}
	if err := s.checkPresentShape(); err != nil {
		return err
	}
	if s.Affinities != nil || s.Prior != nil {
		return s.invalid("presence beside affinities, whose rows say by themselves which nodes count: leave Present nil")
	}
	for i, row := range s.Weights {
		for e, w := range row {
			if w != 0 && s.ofAbsent(i, e) {
				from, to := int(s.Pattern.From[e]), int(s.Pattern.To[e])
				node := from
				if !s.absent(i, from) {
					node = to
				}
				return s.invalid("snapshot %d has an edge %d -> %d of weight %g, and node %d is absent there: want the weight 0, "+
					"as Series.WithPresence sets it, or the node present", i, from, to, w, node)
			}
		}
	}
	for _, of := range s.ofNodes() {
		for i, row := range *of.rows {
			for at, v := range row {
				if !math.IsNaN(v) && of.absent(i, at/of.size, at%of.size) {
					return s.invalid("snapshot %d, node %d: %s %d is %g, and the node is absent: want NaN, as Series.WithPresence "+
						"sets it", i, at/of.size, of.what, at%of.size, v)
				}
			}
		}
	}
	return nil
}
