package affinity

import (
	"math"
	"sort"
)

// clock holds the times of a stream: each once, with the number of events up to it.
type clock struct {
	times []float64
	upTo  []int
}

// add takes the time of the next event.
func (c *clock) add(t float64) {
	if last := len(c.times) - 1; last < 0 || c.times[last] != t {
		c.times, c.upTo = append(c.times, t), append(c.upTo, c.count())
	}
	c.upTo[len(c.upTo)-1]++
}

func (c *clock) count() int {
	if len(c.upTo) == 0 {
		return 0
	}
	return c.upTo[len(c.upTo)-1]
}

// time is that of event i.
func (c *clock) time(i int) float64 {
	return c.times[sort.Search(len(c.upTo), func(k int) bool { return c.upTo[k] > i })]
}

// before counts the events earlier than t.
func (c *clock) before(t float64) int {
	k := sort.SearchFloat64s(c.times, t)
	if k == 0 {
		return 0
	}
	return c.upTo[k-1]
}

// through counts the events no later than t.
func (c *clock) through(t float64) int { return c.before(math.Nextafter(t, math.Inf(1))) }

// quantile interpolates between order statistics as NumPy does, to the last bit: a split must not lose an event to
// rounding.
func (c *clock) quantile(q float64) float64 {
	at := q * float64(c.count()-1)
	below := math.Floor(at)
	fraction := at - below
	a, b := c.time(int(below)), c.time(min(int(below)+1, c.count()-1))
	if fraction >= 0.5 {
		return b - (b-a)*(1-fraction)
	}
	return a + (b-a)*fraction
}
