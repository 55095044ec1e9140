package path

import (
	"cmp"
	"math"
)

// Mask says which channels [Fill] adds that tell a model where values were observed: that a value was taken at all may
// carry information (Kidger et al. 2020). "" is [NoMask].
type Mask string

const (
	// NoMask adds no channels.
	NoMask Mask = "none"
	// Counted adds, for each feature, how often it was observed up to and including the knot, as torchcde's
	// documentation has it. Its derivative along the path is the rate of observation.
	Counted Mask = "counted"
	// Observed adds, for each feature, 1 where it was observed and 0 where it was not.
	Observed Mask = "observed"
)

// Check finds a mask that does not exist; "" is [NoMask].
func (m Mask) Check() error { return check("mask", m, []Mask{NoMask, Counted, Observed}) }

// Width is the number of features that a node has with the mask, of p without.
func (m Mask) Width(p int) int {
	if cmp.Or(m, NoMask) == NoMask {
		return p
	}
	return 2 * p
}

// channels is the mask [T] of values in which NaN stands for what was not observed.
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
