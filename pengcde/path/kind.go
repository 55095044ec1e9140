package path

import (
	"errors"
	"fmt"
	"slices"
)

// ErrKind is wrapped by errors about a [Kind] or a [Mask] that does not exist.
var ErrKind = errors.New("unknown kind")

// Kind says how observations are joined to a path; see the package documentation for a comparison.
type Kind int

const (
	// Hermite joins by cubics whose derivative at a knot is the slope of the interval before it. It is the default, and
	// what the published code does.
	Hermite Kind = iota
	// Linear joins by straight lines.
	Linear
	// Rectilinear moves time first, then the value, along an axis twice as long (see [Lengthen]), and never looks
	// ahead.
	Rectilinear
	// Natural joins by the cubic spline with continuous second derivatives that are 0 at both ends.
	//
	// It weighs all T knots at each evaluation: with J distinct rows of E entries that is O(J E) in place of O(E), and
	// T² numbers of each sample on the device.
	Natural
	// Ramp joins by cubics that start and end with derivative 0: smooth, and within the values that they join.
	Ramp
)

var kinds = []string{Hermite: "hermite", Linear: "linear", Rectilinear: "rectilinear", Natural: "natural", Ramp: "ramp"}

// String is "hermite", "linear", "rectilinear", "natural" or "ramp".
func (k Kind) String() string { return nameOf("Kind", kinds, int(k)) }

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name.
func (k *Kind) UnmarshalText(text []byte) error {
	i, err := named("kind", kinds, string(text))
	*k = Kind(i)
	return err
}

// Check finds a kind that does not exist.
func (k Kind) Check() error {
	_, err := named("kind", kinds, k.String())
	return err
}

func nameOf(what string, names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", what, i)
	}
	return names[i]
}

func named(what string, names []string, name string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("pengcde/path: %s %q, want one of %q: %w", what, name, names, ErrKind)
	}
	return i, nil
}
