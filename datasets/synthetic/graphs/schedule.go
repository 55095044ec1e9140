package graphs

import (
	"math/rand/v2"
	"slices"
)

// Schedule says when events happen, as indices into T times: with n = floor(0.8 T), Early of them are drawn without
// replacement from 2..n-1 and Late from n..T-1. The published experiments train on times before n, so the Late events
// are in the extrapolation.
type Schedule struct {
	// The zero Schedule has 10 and 2. Where one is set both are taken as they are.
	Early, Late int
}

// Draw draws the indices [Early+Late], in increasing order.
func (s Schedule) Draw(times int, rng *rand.Rand) ([]int, error) {
	if s == (Schedule{}) {
		s = Schedule{Early: 10, Late: 2}
	}
	n := 4 * times / 5
	early, late := max(n-2, 0), times-n // indices to draw from
	if s.Early < 0 || s.Late < 0 || s.Early > early || s.Late > late {
		return nil, invalid("%d early and %d late events at %d times, want at most %d early (indices 2..%d) and %d "+
			"late: take more times or fewer events", s.Early, s.Late, times, early, n-1, late)
	}
	var at []int
	for _, index := range rng.Perm(early)[:s.Early] {
		at = append(at, 2+index)
	}
	for _, index := range rng.Perm(late)[:s.Late] {
		at = append(at, n+index)
	}
	slices.Sort(at)
	return at, nil
}

// InForce returns, for each of T times, the number of events (increasing indices) up to and including its index: the
// index of the snapshot of [Events.Apply] in force.
func InForce(events []int, times int) []int {
	index := make([]int, times)
	for k := range index {
		index[k], _ = slices.BinarySearch(events, k+1)
	}
	return index
}
