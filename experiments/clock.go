package experiments

import "math"

// clock estimates how much of the work is done, from how long runs of the same setting took.
type clock struct {
	missing []job
	done    float64 // seconds of the missing runs that were made
	known   map[string]*duration
}

type duration struct{ seconds, runs float64 }

// learn takes note of a run that took some seconds.
func (c *clock) learn(j job, seconds float64) {
	if j.Model.Untrained {
		return
	}
	if c.known == nil {
		c.known = make(map[string]*duration)
	}
	if c.known[j.kind()] == nil {
		c.known[j.kind()] = &duration{}
	}
	d := c.known[j.kind()]
	d.seconds += seconds
	d.runs++
}

// expected is the mean of what is known of the setting, else of all trained models; ok is false where nothing is
// known.
func (c *clock) expected(j job) (seconds float64, ok bool) {
	if j.Model.Untrained {
		return 0, true
	}
	if d := c.known[j.kind()]; d != nil {
		return d.seconds / d.runs, true
	}
	var all duration
	for _, d := range c.known {
		all.seconds += d.seconds
		all.runs += d.runs
	}
	return all.seconds / max(all.runs, 1), all.seconds > 0
}

// finish takes a run off the list.
func (c *clock) finish(j job, seconds float64) {
	for i, m := range c.missing {
		if m.slot.name == j.slot.name {
			c.missing = append(c.missing[:i:i], c.missing[i+1:]...)
			break
		}
	}
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
		seconds, ok := c.expected(m)
		if !ok {
			return math.NaN(), len(c.missing)
		}
		if m.slot.name == j.slot.name {
			under += seconds * fraction
		}
		rest += seconds
	}
	if rest+c.done == 0 {
		return math.NaN(), len(c.missing)
	}
	return (c.done + under) / (c.done + rest), len(c.missing)
}
