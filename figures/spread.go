package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Band says what a band over seeds shows.
type Band int

const (
	MinMax Band = iota // from the lowest to the highest seed
	TwoSD              // mean - 2 to mean + 2 sample standard deviations
)

// String returns the words for the key.
func (b Band) String() string {
	if b == TwoSD {
		return "mean ± 2 sd"
	}
	return "min–max"
}

// Spread makes a series of the mean over seeds with a band. A place where any seed is missing is missing.
//
//	x     [n], nil is 0, 1, 2, ...
//	seeds [seeds][n]
func Spread(name string, x []float64, seeds [][]float64, band Band) (Series, error) {
	if len(seeds) == 0 || len(seeds[0]) == 0 {
		return Series{}, invalid("figures: Spread of %q got no values, wanted [seeds][n]", name)
	}
	if band == TwoSD && len(seeds) < 2 {
		return Series{}, invalid("figures: Spread of %q: one seed has no standard deviation, use MinMax or more seeds", name)
	}
	n := len(seeds[0])
	s := Series{Name: name, X: x, Y: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
	values := make([]float64, len(seeds))
	for i := range n {
		for k, seed := range seeds {
			if len(seed) != n {
				return Series{}, invalid("figures: Spread of %q: seeds with %d and %d values, wanted as many of each",
					name, n, len(seed))
			}
			values[k] = seed[i]
		}
		mean, sd := stat.MeanStdDev(values, nil) // NaN if any is
		s.Y[i], s.Lower[i], s.Upper[i] = mean, slices.Min(values), slices.Max(values)
		if band == TwoSD {
			s.Lower[i], s.Upper[i] = mean-2*sd, mean+2*sd
		}
	}
	if len(seeds) == 1 {
		s.Lower, s.Upper = nil, nil
		return s, nil
	}
	s.Name, s.Band = s.Name+", mean", fmt.Sprintf("%v of %d seeds", band, len(seeds))
	return s, nil
}
