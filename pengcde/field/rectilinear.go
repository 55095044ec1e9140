package field

import (
	"slices"
	"sort"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Axis is a rectilinear path of a sample: where nothing changes it runs along time, and at each knot where the graph or
// the features change time stands still for one unit of the axis, over which they move along a straight line to what
// was observed there. It never looks ahead, never leaves the observed values, and has no short interval to step through.
//
// It is the limit of paths that join each change over an interval of length h before its knot, as h goes to 0, for
// fields that are affine in the derivative of their control, such as [Affine]. A field that multiplies A' by the rate of
// the time channel, as the published ones do, does not see A' on it.
//
// Source: P. Kidger, J. Morrill, J. Foster, T. Lyons, Neural Controlled Differential Equations for Irregular Time
// Series, 2020, whose rectilinear interpolation moves at each knot.
type Axis struct {
	// Sample is the sample along the axis: a Linear path with a Clock.
	Sample Sample
	// Turns are the places where time stops and where it goes on: steps should end there.
	Turns []float64

	knots, places []float64 // of the observations in time, and on the axis once they have been taken in
}

// Axis lays a sample, whose knots are times, along its axis.
func (s Sample) Axis() Axis {
	a := Axis{knots: s.Knots}
	along := s
	along.Knots, along.Index, along.Features, along.Clock = nil, nil, nil, nil
	along.GraphPath, along.FeaturePath = path.Linear, path.Linear
	put := func(place, time float64, knot int) {
		along.Knots, along.Clock = append(along.Knots, place), append(along.Clock, time)
		along.Index = append(along.Index, s.inForce(knot))
		if s.Features != nil {
			along.Features = append(along.Features, s.Features[knot])
		}
	}
	place := 0.0
	for k, t := range s.Knots {
		if k == 0 {
			place = t
		} else {
			place += t - s.Knots[k-1]
			if s.changes(k) {
				put(place, t, k-1)
				a.Turns = append(a.Turns, place, place+1)
				place++
			}
		}
		put(place, t, k)
		a.places = append(a.places, place)
	}
	a.Sample = along
	return a
}

// changes says whether the graph or the features at a knot differ from the knot before.
func (s Sample) changes(k int) bool {
	return !s.sameGraph(s.inForce(k), s.inForce(k-1)) ||
		k < len(s.Features) && !slices.Equal(s.Features[k], s.Features[k-1])
}

// Place gives the places of times on the axis: at a knot, where its observation has been taken in.
func (a Axis) Place(times []float64) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		k := max(sort.Search(len(a.knots), func(k int) bool { return a.knots[k] > t })-1, 0)
		out[i] = a.places[k] + (t - a.knots[k])
	}
	return out
}

// Lengthen adds knots behind the last, where time goes on and nothing changes, to count of them: samples of a batch
// have equally many. At least one is added, so that a held control goes on in time.
func (a Axis) Lengthen(count int) Sample {
	s := a.Sample
	s.Knots, s.Clock, s.Index = slices.Clone(s.Knots), slices.Clone(s.Clock), slices.Clone(s.Index)
	s.Features = slices.Clone(s.Features)
	for last := len(s.Knots) - 1; len(s.Knots) < max(count, len(a.Sample.Knots)+1); last++ {
		s.Knots, s.Clock = append(s.Knots, s.Knots[last]+1), append(s.Clock, s.Clock[last]+1)
		s.Index = append(s.Index, s.Index[last])
		if s.Features != nil {
			s.Features = append(s.Features, s.Features[last])
		}
	}
	return s
}
