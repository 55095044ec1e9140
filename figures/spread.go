package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Spread returns a series of the mean over seeds, with a band from the lowest seed to the highest. A point is missing
// if any seed is missing there.
//
//	x     [n], nil is 0, 1, 2, ...
//	seeds [seeds][n]
func Spread(name string, x []float64, seeds [][]float64) (Series, error) {
	if len(seeds) == 0 || len(seeds[0]) == 0 {
		return Series{}, invalid("figures: Spread of %q got no values, wanted [seeds][n]", name)
	}
	s := Series{Name: name, X: x}
	for _, seed := range seeds {
		if len(seed) != len(seeds[0]) {
			return Series{}, invalid("figures: Spread of %q: seeds with %d and %d values, wanted as many of each", name,
				len(seeds[0]), len(seed))
		}
	}
	for i := range seeds[0] {
		var values []float64
		for _, seed := range seeds {
			values = append(values, seed[i])
		}
		s.Y = append(s.Y, stat.Mean(values, nil)) // these are NaN if any is
		s.Lower, s.Upper = append(s.Lower, slices.Min(values)), append(s.Upper, slices.Max(values))
	}
	if len(seeds) == 1 {
		s.Lower, s.Upper = nil, nil
		return s, nil
	}
	s.Name, s.Band = s.Name+", mean", fmt.Sprintf("min–max of %d seeds", len(seeds))
	return s, nil
}
