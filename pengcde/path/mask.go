package path

import (
	"cmp"
	"math"
)

// Mask selects the channels that [Fill] adds to tell a model where values were observed: the fact of an observation may
// carry information (Kidger et al. 2020). "" is [NoMask].
type Mask string

const (
	// NoMask adds no channels.
	NoMask Mask = "none"
	// Counted adds for each feature the number of observations up to and including the knot, as in torchcde's
	// documentation. Its derivative along the path is the rate of observation.
	Counted Mask = "counted"
	// Observed adds, for each feature, 1 where it was observed and 0 where it was not.
	Observed Mask = "observed"
)

// Check returns an error for an unknown mask; "" is [NoMask].
func (m Mask) Check() error { return check("mask", m, []Mask{NoMask, Counted, Observed}) }

// Width returns the number of features per node with the mask, given p features without it.
func (m Mask) Width(p int) int {
	if cmp.Or(m, NoMask) == NoMask {
		return p
	}
	return 2 * p
}

// channels returns the mask [T] of values, where NaN is a missing value.
func (m Mask) channels(values []float64) []float64 {
	mask, count := make([]float64, len(values)), 0.0
	for k, x := range values {
		seen := !math.IsNaN(x)
		if seen {
			count++
		}
		if m == Counted {
			mask[k] = count
		} else if seen {
			mask[k] = 1
		}
	}
	return mask
}
