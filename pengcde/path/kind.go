package path

import (
	"errors"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrKind is wrapped by errors about an unknown [Kind] or [Mask].
var ErrKind = errors.New("unknown kind")

// Kind says how observations are joined to a path; "" is [Hermite]. The package documentation compares the kinds.
type Kind string

const (
	// Hermite joins by cubics whose derivative at a knot is the slope of the interval before it. It is the default, as
	// in the published code.
	Hermite Kind = "hermite"
	// Linear joins by straight lines.
	Linear Kind = "linear"
	// Rectilinear moves time first, then the value, along an axis twice as long (see [Lengthen]), and never looks
	// ahead.
	Rectilinear Kind = "rectilinear"
	// Natural joins by the cubic spline with continuous second derivatives that are 0 at both ends.
	//
	// It weights all T knots at each evaluation. With J distinct rows of E entries this costs O(J E) instead of O(E),
	// and T² numbers per sample on the device.
	Natural Kind = "natural"
	// Ramp joins by cubics that start and end with derivative 0. The path is smooth and stays within the values that it
	// joins.
	Ramp Kind = "ramp"
)

var kinds = []Kind{Hermite, Linear, Rectilinear, Natural, Ramp}

// Check returns an error for an unknown kind; "" is [Hermite].
func (k Kind) Check() error { return check("kind", k, kinds) }

func check[T ~string](what string, got T, known []T) error {
	if got != "" && !slices.Contains(known, got) {
		return errs.New(ErrKind, "pengcde/path: %s %q, want one of %q", what, got, known)
	}
	return nil
}
