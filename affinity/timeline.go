package affinity

import (
	"math"
	"slices"
)

// timeline holds the times of a stream: each distinct time, with the number of events up to it.
type timeline struct {
	times []float64
	upTo  []int
}

// add appends the time of the next event.
func (l *timeline) add(t float64) {
	if last := len(l.times) - 1; last < 0 || l.times[last] != t {
		l.times, l.upTo = append(l.times, t), append(l.upTo, l.count())
	}
	l.upTo[len(l.upTo)-1]++
}

func (l *timeline) count() int {
	if len(l.upTo) == 0 {
		return 0
	}
	return l.upTo[len(l.upTo)-1]
}

// time returns the time of event i.
func (l *timeline) time(i int) float64 {
	k, _ := slices.BinarySearch(l.upTo, i+1)
	return l.times[k]
}

// before counts the events earlier than t.
func (l *timeline) before(t float64) int {
	k, _ := slices.BinarySearch(l.times, t)
	if k == 0 {
		return 0
	}
	return l.upTo[k-1]
}

// through counts the events no later than t.
func (l *timeline) through(t float64) int { return l.before(math.Nextafter(t, math.Inf(1))) }

// quantile interpolates between order statistics as NumPy does, to the last bit: a split must not lose an event to
// rounding.
func (l *timeline) quantile(q float64) float64 {
	at := q * float64(l.count()-1)
	below := math.Floor(at)
	fraction := at - below
	a, b := l.time(int(below)), l.time(min(int(below)+1, l.count()-1))
	if fraction >= 0.5 {
		return b - float64((b-a)*(1-fraction)) // not fused into one rounding
	}
	return a + float64((b-a)*fraction)
}
