package field

import (
	"slices"
	"sort"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Axis is a rectilinear path of a sample. Where nothing changes it runs along time. At each knot where the graph or the
// features change, time stands still for one unit of the axis, over which they move along a straight line to the
// observed values. The path never uses later observations, never leaves the range of observed values, and has no short
// interval that steps must resolve.
//
// It is the limit for h → 0 of paths that spread each change over an interval of length h before its knot, for fields
// that are affine in the derivative of their control, such as [Affine]. The published fields multiply A' by the rate of
// the time channel, so without node features they do not see A' on it, and with features only in the factor of the
// derivatives of features.
//
// Source: J. Morrill, P. Kidger, L. Yang, T. Lyons, Neural Controlled Differential Equations for Online Prediction
// Tasks, 2021, whose rectilinear interpolation moves at each knot.
type Axis struct {
	// Sample is the sample along the axis: a Linear path with a Clock.
	Sample Sample
	// Turns are the positions where time stops and where it goes on, and where nodes appear or leave: steps should end
	// there.
	Turns []float64

	knots, positions []float64 // of the observations: times, and positions on the axis after they are taken in
}

// Axis returns the axis of a sample whose knots are times.
func (s Sample) Axis() Axis {
	a := Axis{knots: s.Knots}
	along := s
	along.Knots, along.Index, along.Features, along.Clock, along.Present = nil, nil, nil, nil, nil
	along.GraphPath, along.FeaturePath = path.Linear, path.Linear
	put := func(position, time float64, knot int) {
		along.Knots, along.Clock = append(along.Knots, position), append(along.Clock, time)
		along.Index = append(along.Index, s.inForce(knot))
		if s.Features != nil {
			along.Features = append(along.Features, s.Features[knot])
		}
		if s.Present != nil {
			along.Present = append(along.Present, s.Present[knot])
		}
	}
	position := 0.0
	for k, t := range s.Knots {
		if k == 0 {
			position = t
		} else {
			position += t - s.Knots[k-1]
			if s.changes(k) {
				put(position, t, k-1)
				a.Turns = append(a.Turns, position, position+1)
				position++
			} else if s.arrives(k) {
				a.Turns = append(a.Turns, position)
			}
		}
		put(position, t, k)
		a.positions = append(a.positions, position)
	}
	a.Sample = along
	return a
}

// changes reports whether the graph or the features at a knot differ from the knot before.
func (s Sample) changes(k int) bool {
	return !s.sameGraph(s.inForce(k), s.inForce(k-1)) ||
		k < len(s.Features) && !slices.Equal(s.Features[k], s.Features[k-1])
}

// Positions returns the positions of times on the axis. The position of a knot is after its observation was taken in.
func (a Axis) Positions(times []float64) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		k := max(sort.Search(len(a.knots), func(k int) bool { return a.knots[k] > t })-1, 0)
		out[i] = a.positions[k] + (t - a.knots[k])
	}
	return out
}

// Lengthen returns the sample with knots appended, up to count knots, over which time goes on and nothing changes. The
// samples of a batch need equal numbers of knots. At least one knot is added, so that a held control goes on in time.
func (a Axis) Lengthen(count int) Sample {
	s := a.Sample
	s.Knots, s.Clock, s.Index = slices.Clone(s.Knots), slices.Clone(s.Clock), slices.Clone(s.Index)
	s.Features, s.Present = slices.Clone(s.Features), slices.Clone(s.Present)
	for last := len(s.Knots) - 1; len(s.Knots) < max(count, len(a.Sample.Knots)+1); last++ {
		s.Knots, s.Clock = append(s.Knots, s.Knots[last]+1), append(s.Clock, s.Clock[last]+1)
		s.Index = append(s.Index, s.Index[last])
		if s.Features != nil {
			s.Features = append(s.Features, s.Features[last])
		}
		if s.Present != nil {
			s.Present = append(s.Present, s.Present[last])
		}
	}
	return s
}
