package learned

import (
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// On few nodes all pairs are edges from the start. On more nodes the pattern is the union of the edges seen, and
// results from before it grew stay the same.
func TestPattern(t *testing.T) {
	first := &dyngraph.Snapshot{From: []int32{1, 7}, To: []int32{2, 3}, Weights: []float64{5, 6}}
	later := &dyngraph.Snapshot{From: []int32{1, 2}, To: []int32{2, 9}, Weights: []float64{8, 9}}
	few := patternOf(10)
	pattern := few.Pattern
	few.grow([]*dyngraph.Snapshot{first, later})
	if few.Pattern != pattern || few.Edges() != 100 || few.weights(later)[29] != 9 {
		t.Errorf("%d edges, weights %v", few.Edges(), few.weights(later))
	}
	many := patternOf(allPairs + 1)
	many.grow([]*dyngraph.Snapshot{first})
	pattern = many.Pattern
	if got := many.weights(first); !slices.Equal(got, []float64{0, 5, 6}) {
		t.Errorf("weights %v on %v to %v", got, many.From, many.To)
	}
	many.grow([]*dyngraph.Snapshot{later, first})
	if !slices.Equal(pattern.To, []int32{0, 2, 3}) || !slices.Equal(many.From, []int32{0, 1, 2, 7}) ||
		!slices.Equal(many.To, []int32{0, 2, 9, 3}) {
		t.Errorf("before %v, after %v to %v", pattern.To, many.From, many.To)
	}
	for s, want := range map[*dyngraph.Snapshot][]float64{first: {0, 5, 0, 6}, later: {0, 8, 9, 0}} {
		if got := many.weights(s); !slices.Equal(got, want) {
			t.Errorf("weights %v, want %v", got, want)
		}
	}
	if many.keep([]*dyngraph.Snapshot{later}); len(many.rows) != 1 || many.rows[later] == nil {
		t.Errorf("%d rows after all but one were dropped", len(many.rows))
	}
}
