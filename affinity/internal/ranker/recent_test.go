package ranker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// The newest events match a list that keeps all events, and so do those before a time.
func TestRecent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for most := 1; most < 5; most++ {
		recent, history, all := NewRecent(4, most), NewHistory(4), make([][]Contact, 4)
		for at := range 50 {
			e := dyngraph.Event{Time: float64(at), Source: random.Int32N(4), Destination: random.Int32N(4),
				Weight: random.Float64()}
			recent.Insert(e)
			history.Insert(e)
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
				want := all[u][max(0, len(all[u])-most):]
				if !slices.Equal(got, want) || !slices.Equal(history.Newest(u, most), want) || recent.Count(u) != len(want) {
					t.Fatalf("node %d keeps %v, want %v", u, got, want)
				}
				before := all[u][:len(all[u])-len(slices.DeleteFunc(slices.Clone(all[u]), func(c Contact) bool {
					return c.Time < float64(at/2)
				}))]
				want = before[max(0, len(before)-most):]
				if got := history.Before(u, float64(at/2), most); !slices.Equal(got, want) {
					t.Fatalf("node %d before %d: %v, want %v", u, at/2, got, want)
				}
			}
		}
	}
}
