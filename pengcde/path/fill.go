package path

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrValues is wrapped by errors about values that no path can interpolate.
var ErrValues = errors.New("invalid values")

// Fill replaces missing values, NaN, in the features [T][n*p] of n nodes, row-major by node, at the knots [T]. Each
// channel is filled from its own observations:
//
//	Linear       by the line between the observations around: the path is the same as on only the observed knots
//	Hermite      by that line too, as in torchcde
//	Natural      by the spline through the observed knots: the path is the same as on only the observed knots
//	Rectilinear  by the last observation, so that the path never looks ahead
//	Ramp         by the last observation: a change takes place in the interval that ends at its observation
//
// Before a channel's first observation its first value is used, and after the last its last value. For Natural these
// are imputed only at the first and the last knot, and the spline goes through them (as in torchcde). A leading gap is
// the only place where a Rectilinear path uses a later value.
//
// With a mask each node's p features are followed by its p mask channels: rows are [n*2p], see [Mask.Width]. The input
// is not changed. If no value is missing and there is no mask, Fill returns the input itself.
//
// Errors wrap [ErrValues] or [ErrKnots]: a channel without observations, an infinite value, rows of unequal length.
func Fill(kind Kind, mask Mask, knots []float64, features [][]float64, nodes int) ([][]float64, error) {
	if err := errors.Join(kind.Check(), mask.Check()); err != nil {
		return nil, err
	}
	mask = cmp.Or(mask, NoMask)
	if err := CheckKnots(knots); err != nil {
		return nil, err
	}
	p, missing, err := checkFeatures(knots, features, nodes)
	if err != nil || !missing && mask == NoMask {
		return features, err
	}
	width := mask.Width(p)
	filled := make([][]float64, len(knots))
	for k := range filled {
		filled[k] = make([]float64, nodes*width)
	}
	values := make([]float64, len(knots))
	for node := range nodes {
		for feature := range p {
			for k := range knots {
				values[k] = features[k][node*p+feature]
			}
			full, err := fillChannel(kind, knots, values)
			if err != nil {
				return nil, fmt.Errorf("pengcde/path: feature %d of node %d: %w", feature, node, err)
			}
			for k, x := range full {
				filled[k][node*width+feature] = x
			}
			if mask == NoMask {
				continue
			}
			for k, x := range mask.channels(values) {
				filled[k][node*width+p+feature] = x
			}
		}
	}
	return filled, nil
}

// checkFeatures returns an error for inconsistent shapes and infinite values. p is the number of features per node.
func checkFeatures(knots []float64, features [][]float64, nodes int) (p int, missing bool, err error) {
	if len(features) != len(knots) {
		return 0, false, errs.New(ErrValues, "pengcde/path: features at %d of %d knots, want a row for each", len(features),
			len(knots))
	}
	size := len(features[0])
	if nodes < 1 || size == 0 || size%nodes != 0 {
		return 0, false, errs.New(ErrValues, "pengcde/path: %d features at knot 0, want as many for each of %d nodes, at "+
			"least one", size, nodes)
	}
	p = size / nodes
	for k, row := range features {
		if len(row) != size {
			return 0, false, errs.New(ErrValues, "pengcde/path: %d features at knot %d, %d at knot 0", len(row), k, size)
		}
		for i, x := range row {
			if math.IsInf(x, 0) {
				return 0, false, errs.New(ErrValues, "pengcde/path: feature %d of node %d is %g at knot %d, want a finite "+
					"value, or NaN where it is missing", i%p, i/p, x, k)
			}
			missing = missing || math.IsNaN(x)
		}
	}
	return p, missing, nil
}

// fillChannel fills the gaps of one channel.
func fillChannel(kind Kind, knots, values []float64) ([]float64, error) {
	var seen []int
	for k, x := range values {
		if !math.IsNaN(x) {
			seen = append(seen, k)
		}
	}
	if len(seen) == 0 {
		return nil, errs.New(ErrValues, "never observed at %d knots, want one value at least: give it one (such as 0) or "+
			"leave the feature out", len(knots))
	}
	full := slices.Clone(values)
	full[0], full[len(full)-1] = values[seen[0]], values[seen[len(seen)-1]]
	if seen[0] != 0 {
		seen = append([]int{0}, seen...)
	}
	if last := len(full) - 1; seen[len(seen)-1] != last {
		seen = append(seen, last)
	}
	curvature := make([][]float64, len(seen))
	if kind == Natural && len(seen) < len(full) {
		times, column := make([]float64, len(seen)), make([][]float64, len(seen))
		for i, k := range seen {
			times[i], column[i] = knots[k], []float64{full[k]}
		}
		curvature = curvatures(times, column)
	}
	for i, left := range seen[:len(seen)-1] {
		right := seen[i+1]
		for k := left + 1; k < right; k++ {
			switch kind {
			case Rectilinear, Ramp:
				full[k] = full[left]
			case Natural:
				full[k] = spline(knots[k], knots[left], knots[right], full[left], full[right], curvature[i][0], curvature[i+1][0])
			default:
				full[k] = between(full[left], full[right], (knots[k]-knots[left])/(knots[right]-knots[left]))
			}
			if math.IsNaN(full[k]) || math.IsInf(full[k], 0) {
				return nil, errs.New(ErrValues, "filled by %g at knot %d: scale the values down", full[k], k)
			}
		}
	}
	return full, nil
}

// between returns the point at fraction r of the way from a to b, without overflow. It returns a if both are equal.
func between(a, b, r float64) float64 {
	if a == b {
		return a
	}
	return (1-r)*a + r*b
}
