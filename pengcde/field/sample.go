package field

import (
	"errors"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Sample holds the observations of one sample of a batch.
type Sample struct {
	// Knots [T] are the times of observation, strictly increasing.
	Knots []float64
	// Pattern has the edges; Snapshots [J][edges] are their control weights, see [dyngraph.Normalisation].
	Pattern   *dyngraph.Pattern
	Snapshots [][]float64
	// Capacity reserves space for the neighbours of graphs in other batches, to share compiled programs with them; the
	// zero value reserves none.
	Capacity equivariant.NeighbourCapacity
	// Index [T] is the index of the snapshot in force at each knot; nil means snapshot k at knot k.
	Index []int
	// Features [T][n*p] are the features at the knots, row-major by node; nil for fields without features. They must be
	// finite: [path.Fill] replaces missing features, and adds channels that tell where features were observed.
	Features [][]float64
	// Present [T][n] says which nodes are present from a knot to the next; nil means all. The field sees 0 as state and
	// dx/dt of an absent node, whose state is frozen. Steps must end on [Sample.Arrivals].
	Present [][]bool
	// GraphPath and FeaturePath are the interpolations of snapshots and features, equal for all samples of a batch. If
	// one is Rectilinear the other must be too: the solve then runs along the axis of [path.Lengthen], on which the
	// time channel stops while values move.
	GraphPath, FeaturePath path.Kind
	// Clock [T] are the values of the time channel at the knots, if solver and channel have different clocks. It must
	// increase, and is interpolated by cubics. With a Linear path it is interpolated by straight lines, and may stand
	// still, as on an [Axis]. nil means that the channel is the time itself, with derivative exactly 1.
	Clock []float64
	// Hold keeps graph and features at their last values after the last knot, where the path would otherwise continue
	// with its last polynomial. The time channel continues at its last rate.
	Hold bool
}

// end returns the position of the last knot on the axis that the paths run along.
func (s Sample) end() float64 {
	last := s.Knots[len(s.Knots)-1]
	if s.GraphPath == path.Rectilinear {
		return path.Lengthen(s.Knots, []float64{last})[0]
	}
	return last
}

// Changes returns the knots next to which the graph or the features change: the knot before a change, the knot after
// it, and the next, up to which the slope of the change shapes a Hermite path. A solver that does not step on these
// knots may miss a short change completely: the derivative is large, but no stage of a step falls on it.
func (s Sample) Changes() []float64 {
	var times []float64
	beside := make([]bool, len(s.Knots)+2)
	for k := 1; k < len(s.Knots); k++ {
		if s.changes(k) {
			beside[k-1], beside[k], beside[k+1] = true, true, true
		}
	}
	for k, t := range s.Knots {
		if beside[k] {
			times = append(times, t)
		}
	}
	return times
}

// Jumps returns the knots at which another graph comes into force. A field that uses the latest snapshot, such as
// [GNODE], jumps at these times and changes at no other time.
func (s Sample) Jumps() []float64 {
	var times []float64
	for k := 1; k < len(s.Knots); k++ {
		if !s.sameGraph(s.inForce(k), s.inForce(k-1)) {
			times = append(times, s.Knots[k])
		}
	}
	return times
}

// Arrivals returns the knots at which a node appears or leaves.
func (s Sample) Arrivals() []float64 {
	var times []float64
	for k := 1; k < len(s.Present); k++ {
		if s.arrives(k) {
			times = append(times, s.Knots[k])
		}
	}
	return times
}

// arrives reports whether a node appears or leaves at a knot.
func (s Sample) arrives(k int) bool {
	return k < len(s.Present) && !slices.Equal(s.Present[k], s.Present[k-1])
}

func (s Sample) sameGraph(a, b int) bool {
	return a == b || min(a, b) >= 0 && max(a, b) < len(s.Snapshots) && slices.Equal(s.Snapshots[a], s.Snapshots[b])
}

// inForce returns the snapshot in force at a knot, -1 if the Index has no such knot.
func (s Sample) inForce(knot int) int {
	switch {
	case s.Index == nil:
		return knot
	case knot < len(s.Index):
		return s.Index[knot]
	}
	return -1
}

// agree returns an error if sample b differs from the first in a property that all samples of a batch share.
func (s Sample) agree(b int, first Sample) error {
	here := fmt.Sprintf("pengcde/field: sample %d", b)
	invalid := func(format string, args ...any) error {
		return errs.New(ErrInput, "%s: %s", here, fmt.Sprintf(format, args...))
	}
	if err := errors.Join(s.GraphPath.Check(), s.FeaturePath.Check()); err != nil {
		return errs.In(here, err, ErrInput)
	}
	switch {
	case s.GraphPath != first.GraphPath || s.FeaturePath != first.FeaturePath:
		return invalid("paths %v and %v, sample 0 has %v and %v", s.GraphPath, s.FeaturePath, first.GraphPath,
			first.FeaturePath)
	case s.Features != nil && s.GraphPath != s.FeaturePath &&
		(s.GraphPath == path.Rectilinear || s.FeaturePath == path.Rectilinear):
		return invalid("a %v path of graphs and a %v one of features, but a rectilinear path has a time axis of its own: "+
			"choose it for both", s.GraphPath, s.FeaturePath)
	case s.Present != nil && s.GraphPath == path.Rectilinear:
		return invalid("presence beside a rectilinear path, which has a time axis of its own: take Sample.Axis")
	case s.Present != nil && len(s.Present) != len(s.Knots):
		return invalid("presence at %d of %d knots, want it for each knot, or for none", len(s.Present), len(s.Knots))
	case s.Clock != nil && s.GraphPath == path.Rectilinear:
		return invalid("a clock beside a rectilinear path, which has a time channel of its own: leave one out")
	case len(s.Knots) != len(first.Knots) || len(s.Snapshots) != len(first.Snapshots),
		s.Index == nil && len(s.Snapshots) != len(s.Knots), s.Index != nil && len(s.Index) != len(s.Knots):
		err := errs.New(dyngraph.ErrInvalid, "%d knots, %d snapshots, %d indices, sample 0 has %d, %d and %d: want as "+
			"many in all samples, and an index for each knot, or as many snapshots as knots", len(s.Knots), len(s.Snapshots),
			len(s.Index),
			len(first.Knots), len(first.Snapshots), len(first.Index))
		return errs.In(here, err, ErrInput)
	case s.Features != nil && len(s.Features) != len(s.Knots), (s.Features == nil) != (first.Features == nil):
		return invalid("features at %d of %d knots, sample 0 has %d", len(s.Features), len(s.Knots), len(first.Features))
	case s.Clock != nil && len(s.Clock) != len(s.Knots), (s.Clock == nil) != (first.Clock == nil):
		return invalid("clock at %d of %d knots, sample 0 has %d: want a value for each knot, in all samples or in none",
			len(s.Clock), len(s.Knots), len(first.Clock))
	}
	return nil
}

func notFinite(x float64) bool { return x-x != 0 }

// check returns an error for an invalid clock, index or features of sample b, whose graphs and knots are already
// checked.
func (s Sample) check(b int, first Sample) error {
	here := fmt.Sprintf("pengcde/field: sample %d", b)
	if s.Clock != nil && s.GraphPath == path.Linear {
		if at := slices.IndexFunc(s.Clock, notFinite); at >= 0 || !slices.IsSorted(s.Clock) {
			return errs.New(ErrInput, "%s: clock %v, want finite values that do not fall", here, s.Clock)
		}
	} else if s.Clock != nil {
		if err := path.CheckKnots(s.Clock); err != nil {
			return errs.In(here+": clock", err, ErrInput)
		}
	}
	for k := range s.Knots {
		if j := s.inForce(k); j < 0 || j >= len(s.Snapshots) {
			return errs.In(here, errs.New(dyngraph.ErrInvalid, "knot %d names snapshot %d of %d", k, j, len(s.Snapshots)),
				ErrInput)
		}
	}
	for k, row := range s.Present {
		if len(row) != s.Pattern.Nodes {
			return errs.New(ErrInput, "%s: presence of %d nodes at knot %d, want it for each of %d", here, len(row), k,
				s.Pattern.Nodes)
		}
	}
	for k, row := range s.Features {
		if len(row) != len(first.Features[0]) || len(row) == 0 || len(row)%s.Pattern.Nodes != 0 {
			return errs.New(ErrInput, "%s: knot %d has %d feature entries, want the number of sample 0, %d, a multiple of "+
				"%d nodes", here, k, len(row), len(first.Features[0]), s.Pattern.Nodes)
		}
		for i, x := range row {
			if !notFinite(x) {
				continue
			}
			p := len(row) / s.Pattern.Nodes
			return errs.In(here, errs.New(path.ErrValues, "feature %d of node %d is %g at knot %d, want a finite value: "+
				"fill in missing ones by path.Fill", i%p, i/p, x, k), ErrInput)
		}
	}
	return nil
}
