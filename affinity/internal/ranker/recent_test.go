package ranker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// The newest events match a list that keeps all events.
func TestRecent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for most := 1; most < 5; most++ {
		recent, all := NewRecent(4, most), make([][]Contact, 4)
		for at := range 50 {
			e := dyngraph.Event{Time: float64(at), Source: random.Int32N(4), Destination: random.Int32N(4),
				Weight: random.Float64()}
			recent.Insert(e)
			all[e.Source] = append(all[e.Source], Contact{e.Destination, e.Time, e.Weight})
			all[e.Destination] = append(all[e.Destination], Contact{e.Source, e.Time, e.Weight})
			for u := range int32(4) {
				var got []Contact
				recent.Each(u, func(i int, c Contact) {
					if i != len(got) {
						t.Fatalf("index %d after %d events", i, len(got))
					}
					got = append(got, c)
				})
				if want := all[u][max(0, len(all[u])-most):]; !slices.Equal(got, want) {
					t.Fatalf("node %d keeps %v, want %v", u, got, want)
				}
			}
		}
	}
}
