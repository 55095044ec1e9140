package figures

import (
	"fmt"
	"math"
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
		return Series{}, fmt.Errorf("figures: Spread of %q got no values, wanted [seeds][n]: %w", name, ErrInput)
	}
	if band == TwoSD && len(seeds) < 2 {
		return Series{}, fmt.Errorf("figures: Spread of %q: one seed has no standard deviation, use MinMax or more seeds: %w", name, ErrInput)
	}
	n := len(seeds[0])
	s := Series{Name: name, X: x, Y: make([]float64, n)}
	lower, upper := make([]float64, n), make([]float64, n)
	for _, seed := range seeds {
		if len(seed) != n {
			return Series{}, fmt.Errorf("figures: Spread of %q: seeds with %d and %d values, wanted as many of each: %w", name, n, len(seed), ErrInput)
		}
	}
	for i := range n {
		low, high, sum := math.Inf(1), math.Inf(-1), 0.0
		for _, seed := range seeds {
			low, high, sum = math.Min(low, seed[i]), math.Max(high, seed[i]), sum+seed[i]
		}
		mean := sum / float64(len(seeds)) // NaN if any is
		if band == TwoSD {
			squares := 0.0
			for _, seed := range seeds {
				squares += (seed[i] - mean) * (seed[i] - mean)
			}
			sd := math.Sqrt(squares / float64(len(seeds)-1))
			low, high = mean-2*sd, mean+2*sd
		}
		s.Y[i], lower[i], upper[i] = mean, low, high
	}
	if len(seeds) > 1 {
		s.Lower, s.Upper = lower, upper
		s.Band = fmt.Sprintf("%v of %d seeds", band, len(seeds))
		s.Name += ", mean"
	}
	return s, nil
}
