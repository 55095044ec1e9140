package experiments

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// clock estimates how much of the work is done, from how long runs of the same setting took.
type clock struct {
	missing []job
	done    float64              // seconds of the missing runs that were made
	known   map[string][]float64 // seconds of runs by setting
}

// learn takes note of a run that took some seconds.
func (c *clock) learn(j job, seconds float64) {
	if !j.Model.Untrained {
		c.known[j.kind()] = append(c.known[j.kind()], seconds)
	}
}

// expected is the mean of what is known of the setting, else of all trained models, else NaN.
func (c *clock) expected(j job) (seconds float64) {
	if j.Model.Untrained {
		return 0
	}
	known := c.known[j.kind()]
	if known == nil {
		known = slices.Concat(slices.Collect(maps.Values(c.known))...)
	}
	return stat.Mean(known, nil)
}

// finish takes a run off the list.
func (c *clock) finish(j job, seconds float64) {
	c.missing = slices.DeleteFunc(c.missing, func(m job) bool { return m.slot.name == j.slot.name })
	c.done += seconds
	if seconds > 0 {
		c.learn(j, seconds)
	}
}

// state is the fraction of the work that is done while fraction of j is, NaN where nothing is known of a missing run,
// and the number of runs to do.
func (c *clock) state(j job, fraction float64) (whole float64, left int) {
	rest, under := 0.0, 0.0 // of missing runs, and of the one under way what is done
	for _, m := range c.missing {
		seconds := c.expected(m)
		if m.slot.name == j.slot.name {
			under += seconds * fraction
		}
		rest += seconds
	}
	if rest == 0 && len(c.missing) > 0 { // untrained ones alone
		return math.NaN(), len(c.missing)
	}
	return (c.done + under) / (c.done + rest), len(c.missing)
}
