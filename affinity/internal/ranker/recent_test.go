package ranker

import (
	"math"
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

// Events are drawn as often as exp(decay t) says, and in order of time. Of a node without events none are drawn.
func TestDraw(t *testing.T) {
	const draws, decay = 20000, 0.5
	history, random, total := NewHistory(3), rand.New(rand.NewPCG(5, 5)), 0.0
	times := []float64{1, 2, 2, 5, 6.5}
	for _, at := range times {
		history.Insert(dyngraph.Event{Time: at, Source: 0, Destination: 1, Weight: at})
		total += math.Exp(decay * at)
	}
	drawn, counts := history.Draw(0, draws, decay, random), make(map[float64]float64)
	for i, c := range drawn {
		counts[c.Time]++
		if c.Other != 1 || c.Weight != c.Time || i > 0 && c.Time < drawn[i-1].Time {
			t.Fatalf("event %d is %+v after %+v", i, c, drawn[max(i-1, 0)])
		}
	}
	for _, at := range times {
		share := math.Exp(decay*at) / total
		if at == 2 { // twice
			share *= 2
		}
		if apart := math.Abs(counts[at]/draws - share); !(apart <= 4*math.Sqrt(share/draws)) {
			t.Errorf("time %g: share %g, want %g", at, counts[at]/draws, share)
		}
	}
	if far := history.Draw(0, 9, 1e6, random); len(far) != 9 || far[0].Time != 6.5 {
		t.Errorf("with a fast decay %+v, want the newest alone", far)
	}
	if none := history.Draw(2, 9, decay, random); none != nil {
		t.Errorf("events of a node without any: %+v", none)
	}
}
