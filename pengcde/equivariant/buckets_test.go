package equivariant

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rounded returns the number of entries if every list is padded to the next width, plus the cost of the buckets.
func rounded(counts map[int]int, widths []int, cost int) (entries int, fits bool) {
	for length, count := range counts {
		k, _ := slices.BinarySearch(widths, length)
		if k == len(widths) {
			return 0, false
		}
		entries += count * widths[k]
	}
	return entries + cost*len(widths), true
}

// No other choice of widths takes fewer entries.
func TestWidthsAreTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := make(map[int]int)
		for range rapid.IntRange(1, 12).Draw(t, "lengths") {
			counts[rapid.IntRange(1, 40).Draw(t, "length")] = rapid.IntRange(1, 9).Draw(t, "nodes")
		}
		cost := rapid.IntRange(0, 60).Draw(t, "cost")
		chosen := widths(counts, cost)
		best, fits := rounded(counts, chosen, cost)
		if !fits || len(chosen) > maxBuckets || !slices.IsSorted(chosen) {
			t.Fatalf("widths %v for %v", chosen, counts)
		}
		var lengths []int
		for length := range counts {
			lengths = append(lengths, length)
		}
		for set := range 1 << len(lengths) {
			var other []int
			for i, length := range lengths {
				if set>>i&1 == 1 {
					other = append(other, length)
				}
			}
			slices.Sort(other)
			if entries, fits := rounded(counts, other, cost); fits && len(other) <= maxBuckets && entries < best {
				t.Fatalf("widths %v take %d entries for %v, but %v take %d", chosen, best, counts, other, entries)
			}
		}
	})
}
