package pengcde

import (
	"cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Recommended returns c with what trains in place of the published defaults, where c leaves them at zero:
//
//   - Field is [field.Affine]: A' in the last layer alone, a norm over the graph, SiLU. The published field is of
//     second order in A' for two layers, and its gradients explode at changes of the graph.
//   - With GraphOnly, Field has a linear part too, and Normalise is [dyngraph.MeanDegree], which gives a Laplacian
//     weights of order 1. Where features drive the state as well, a linear part can grow without bound on new data, so
//     there is none.
//   - Path is [path.Ramp], which stays within the observed snapshots; the published Hermite path overshoots after a
//     change.
//   - Adaptive is &ode.PID{}, steps whose error is controlled at the published tolerances, where Step is 0 too.
//
// What the caller set stays, so a configuration with a Field of its own gets path and steps alone. Sizes, heads and
// times keep their meaning and units. A configuration with a Network, which takes none of the three, or with Parity,
// which repeats the published code, is returned as it is.
//
// Identities of nodes are not linear in A', so [field.Affine] refuses them: set Field to one with DerivativeIn
// [field.NoLayer], or [field.EveryLayer] as published. [train.Recommended] is its counterpart for the training.
// docs/equation.md has the reasons and what was measured.
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
