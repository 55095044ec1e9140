package path

import "math"

// Mask says which channels [Fill] adds that tell a model where values were observed: that a value was taken at all may
// carry information (Kidger et al. 2020).
type Mask int

const (
	// NoMask adds no channels.
	NoMask Mask = iota
	// Counted adds, for each feature, how often it was observed up to and including the knot, as torchcde's
	// documentation has it. Its derivative along the path is the rate of observation.
	Counted
	// Observed adds, for each feature, 1 where it was observed and 0 where it was not.
	Observed
)

var masks = []string{NoMask: "none", Counted: "counted", Observed: "observed"}

// String is "none", "counted" or "observed".
func (m Mask) String() string { return nameOf("Mask", masks, int(m)) }

// MarshalText writes the name.
func (m Mask) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a name.
func (m *Mask) UnmarshalText(text []byte) error {
	i, err := named("mask", masks, string(text))
	*m = Mask(i)
	return err
}

// Check finds a mask that does not exist.
func (m Mask) Check() error {
	_, err := named("mask", masks, m.String())
	return err
}

// Width is the number of features that a node has with the mask, of p without.
func (m Mask) Width(p int) int {
	if m == NoMask {
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
