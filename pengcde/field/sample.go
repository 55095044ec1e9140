package field

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Sample is what one sample of a batch was observed to be.
type Sample struct {
	// Knots [T] are the times of observation, increasing strictly.
	Knots []float64
	// Pattern has the edges; Snapshots [J][edges] are control weights on it, see [dyngraph.Normalisation].
	Pattern   *dyngraph.Pattern
	Snapshots [][]float64
	// Index [T] names the snapshot in force at each knot; nil: snapshot k at knot k.
	Index []int
	// Features [T][n*p] at the knots, row-major by node; nil for fields without.
	Features [][]float64
	// Clock [T] are the values of the time channel at the knots, where solver and channel run on different clocks; it is
	// interpolated as the features are. nil: the channel is the time itself, with derivative exactly 1.
	Clock []float64
	// Hold keeps graph and features at their last values from the last knot on, where the path would go on with its last
	// cubic. The time channel goes on at its last rate.
	Hold bool
}

func (s Sample) inForce(knot int) int {
	if s.Index == nil {
		return knot
	}
	return s.Index[knot]
}

// check finds what is wrong with sample b, or how its shape differs from the first's.
func (s Sample) check(b int, first Sample) error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("pengcde/field: sample %d: %s: %w", b, fmt.Sprintf(format, args...), dyngraph.ErrInvalid)
	}
	if err := path.CheckKnots(s.Knots); err != nil {
		return fmt.Errorf("pengcde/field: sample %d: %w", b, err)
	}
	switch {
	case len(s.Knots) != len(first.Knots) || len(s.Snapshots) != len(first.Snapshots):
		return invalid("%d knots and %d snapshots, sample 0 has %d and %d", len(s.Knots), len(s.Snapshots), len(first.Knots), len(first.Snapshots))
	case s.Index == nil && len(s.Snapshots) != len(s.Knots), s.Index != nil && len(s.Index) != len(s.Knots):
		return invalid("%d knots, %d snapshots, %d indices: want an index for each knot, or as many snapshots as knots", len(s.Knots), len(s.Snapshots), len(s.Index))
	case s.Features != nil && len(s.Features) != len(s.Knots), (s.Features == nil) != (first.Features == nil):
		return invalid("features at %d of %d knots, sample 0 has %d", len(s.Features), len(s.Knots), len(first.Features))
	case s.Clock != nil && len(s.Clock) != len(s.Knots), (s.Clock == nil) != (first.Clock == nil):
		return invalid("clock at %d of %d knots, sample 0 has %d: want a value for each knot, in all samples or in none", len(s.Clock), len(s.Knots), len(first.Clock))
	case s.Pattern == nil || len(s.Snapshots) == 0:
		return invalid("no graph")
	case s.Pattern.Nodes != first.Pattern.Nodes:
		return invalid("%d nodes, sample 0 has %d: put graphs of other sizes in batches of their own", s.Pattern.Nodes, first.Pattern.Nodes)
	}
	if s.Clock != nil {
		if err := path.CheckKnots(s.Clock); err != nil {
			return fmt.Errorf("pengcde/field: clock of sample %d: %w", b, err)
		}
	}
	for k := range s.Knots {
		if j := s.inForce(k); j < 0 || j >= len(s.Snapshots) {
			return invalid("knot %d names snapshot %d of %d", k, j, len(s.Snapshots))
		}
	}
	for j, weights := range s.Snapshots {
		if len(weights) != s.Pattern.Edges() {
			return invalid("snapshot %d has %d weights, its pattern %d edges", j, len(weights), s.Pattern.Edges())
		}
	}
	for k, row := range s.Features {
		if len(row) != len(first.Features[0]) || len(row) == 0 || len(row)%s.Pattern.Nodes != 0 {
			return invalid("knot %d has %d feature entries, want as many as sample 0, %d, a multiple of %d nodes", k, len(row), len(first.Features[0]), s.Pattern.Nodes)
		}
	}
	return nil
}
