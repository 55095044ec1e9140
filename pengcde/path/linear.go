package path

import . "github.com/gomlx/gomlx/core/graph"

// linear returns the path of straight lines,
//
//	X(t) = x_k + (u/h) (x_k+1 - x_k)
//
// with a kink at each knot, where a solver with adaptive steps should end steps. Source: Morrill et al. 2021, section
// 3; torchcde's LinearInterpolation.
func linear(at span) Interval { return at.pair(Div(at.u, at.h), Inverse(at.h)) }
