package path

import (
	"errors"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrKind is wrapped by errors about a [Kind] or a [Mask] that does not exist.
var ErrKind = errors.New("unknown kind")

// Kind says how observations are joined to a path; "" is [Hermite]. See the package documentation for a comparison.
type Kind string

const (
	// Hermite joins by cubics whose derivative at a knot is the slope of the interval before it. It is the default, and
	// what the published code does.
	Hermite Kind = "hermite"
	// Linear joins by straight lines.
	Linear Kind = "linear"
	// Rectilinear moves time first, then the value, along an axis twice as long (see [Lengthen]), and never looks
	// ahead.
	Rectilinear Kind = "rectilinear"
	// Natural joins by the cubic spline with continuous second derivatives that are 0 at both ends.
	//
	// It weighs all T knots at each evaluation: with J distinct rows of E entries that is O(J E) in place of O(E), and
	// T² numbers of each sample on the device.
	Natural Kind = "natural"
	// Ramp joins by cubics that start and end with derivative 0: smooth, and within the values that they join.
	Ramp Kind = "ramp"
)

var kinds = []Kind{Hermite, Linear, Rectilinear, Natural, Ramp}

// Check finds a kind that does not exist; "" is [Hermite].
func (k Kind) Check() error { return check("kind", k, kinds) }

func check[T ~string](what string, got T, known []T) error {
	if got != "" && !slices.Contains(known, got) {
		return errs.New(ErrKind, "pengcde/path: %s %q, want one of %q", what, got, known)
	}
	return nil
}
