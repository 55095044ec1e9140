package pengcde

import (
	"cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Recommended returns c with options that train well in place of the published defaults, where c leaves them at zero:
//
//   - Field is [field.Affine]: A' only in the last layer, a norm over the graph, SiLU. The published field is not
//     linear in A', and its gradients often explode.
//   - With GraphOnly, Field also has a linear part, and Normalise is [dyngraph.MeanDegree], which gives a Laplacian
//     weights of order 1. If features drive the state as well, a linear part can grow without bound on new data, so
//     there is none.
//   - Path is [path.Ramp], which stays within the observed snapshots; the published Hermite path overshoots after a
//     change.
//   - Adaptive is &ode.PID{}, steps whose error is controlled at the published tolerances, if Step is 0 too.
//
// Options that the caller has set are kept, so a configuration with its own Field gets only the path and the steps.
// Sizes, heads and times keep their meaning and units. Recommended returns a configuration unchanged if it has a
// Network, which has no use for these options, or Parity, which repeats the published code.
//
// Identities of nodes are not linear in A', so [field.Affine] refuses them. To use them, set Field to a field with
// DerivativeIn [field.NoLayer], or [field.EveryLayer] as published. [train.Recommended] is the counterpart for the
// training. docs/equation.md has the reasons, docs/which-settings.md the measurements.
func Recommended(c Config) Config {
	if c.Network != nil || c.Parity {
		return c
	}
	if c.Field == nil {
		f := field.Affine()
		if c.GraphOnly {
			f.Style.Linear = true
			c.Normalise = cmp.Or(c.Normalise, dyngraph.MeanDegree)
		}
		c.Field = f
	}
	c.Path = cmp.Or(c.Path, path.Ramp)
	if c.Step == 0 && c.Adaptive == nil {
		c.Adaptive = &ode.PID{}
	}
	return c
}
