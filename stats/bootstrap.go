package stats

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Bootstrap makes 95% intervals for any statistic by drawing from the values again: the percentile interval. The zero
// value is for independent values. Equal settings give equal intervals.
//
// B. Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7 (1979), 1-26. With few values, say
// below 20, the interval is too narrow.
type Bootstrap struct {
	// Samples is the number of draws; 0 is 10,000.
	Samples int
	// Block is for values in order of time, each of which depends on those up to so many places before it: blocks of so
	// many neighbours are drawn, the first value following on the last. 0 and 1 draw single values. A block should be
	// longer than the dependence and short against the number of values.
	//
	// D. N. Politis, J. P. Romano, A circular block-resampling procedure for stationary data, in: Exploring the Limits of
	// Bootstrap (1992), 263-270.
	Block int
	// Seed sets the draws.
	Seed uint64
}

// CI is the 95% interval of a statistic of the values; nil is the mean.
func (b Bootstrap) CI(values []float64, statistic func([]float64) float64) (low, high float64, err error) {
	samples, block := cmp.Or(b.Samples, 10_000), cmp.Or(b.Block, 1)
	k := len(values)
	switch {
	case k < 2:
		return 0, 0, invalid(ErrBlocks, "%d values to draw from, want 2 or more", k)
	case samples < 2:
		return 0, 0, invalid(nil, "Samples is %d, want 2 or more, or 0 for 10,000", b.Samples)
	case block < 1 || block > k:
		return 0, 0, invalid(nil, "Block is %d, want 1 to the number of values, %d", b.Block, k)
	}
	for i, v := range values {
		if !finite(v) {
			return 0, 0, invalid(ErrNotFinite, "value %d is %g, want a finite number", i, v)
		}
	}
	if statistic == nil {
		statistic = func(values []float64) float64 { return stat.Mean(values, nil) }
	}
	rng := rand.New(rand.NewPCG(b.Seed, 0))
	found, drawn := make([]float64, samples), make([]float64, k)
	for s := range found {
		first := 0
		for i := range drawn {
			if i%block == 0 {
				first = rng.IntN(k)
			}
			drawn[i] = values[(first+i%block)%k]
		}
		if found[s] = statistic(drawn); !finite(found[s]) {
			return 0, 0, invalid(ErrNotFinite, "the statistic of sample %d is %g, want a finite number", s, found[s])
		}
	}
	slices.Sort(found)
	return stat.Quantile(.025, stat.Empirical, found, nil), stat.Quantile(.975, stat.Empirical, found, nil), nil
}
