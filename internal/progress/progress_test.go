package progress

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestBarFromGoroutines(t *testing.T) {
	var w strings.Builder
	b := New("Test", func(s State) { fmt.Fprintln(&w, s) }, Live, time.Now)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 100 {
				b.Update(float64(i)/100, fmt.Sprint(g))
			}
		})
	}
	group.Wait()
	b.Done("all")
	b.Done("all")
	if strings.Count(w.String(), "✓") != 1 {
		t.Errorf("wrote %q", w.String())
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                            "0.0 s",
		1234 * time.Millisecond:      "1.2 s",
		9960 * time.Millisecond:      "10 s",
		59600 * time.Millisecond:     "1 min 00 s",
		185 * time.Second:            "3 min 05 s",
		2*time.Hour + 65*time.Second: "2 h 01 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, wanted %q", d, got, want)
		}
	}
}

func ExampleDuration() {
	fmt.Println(Duration(95 * time.Second))
	// Output: 1 min 35 s
}

// The clock goes on while nothing is heard, and the time left with it.
func TestTimeLeft(t *testing.T) {
	at := time.Unix(1e9, 0)
	var lines []string
	b := New("Test", func(s State) { lines = append(lines, s.String()) }, Live, func() time.Time { return at })
	pass := func(d time.Duration) { at = at.Add(d) }
	b.Update(math.NaN(), "compiling")
	pass(8 * time.Second)
	b.redraw()
	pass(2 * time.Second)
	b.Show(0.25, 30*time.Second, "epoch 2")
	pass(10 * time.Second)
	b.redraw()
	pass(30 * time.Second)
	b.redraw()
	pass(time.Second)
	b.Update(0, "over again")
	want := []string{
		"Test · compiling · 0.0 s",
		"Test · compiling · 8.0 s",
		"Test · 25% · epoch 2 · 10 s, about 30 s left",
		"Test · 25% · epoch 2 · 20 s, about 20 s left",
		"Test · 25% · epoch 2 · 50 s",
		"Test · 0% · over again · 51 s",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("drew\n%s\nwanted\n%s", got, strings.Join(want, "\n"))
	}
}

func TestTickEndsWithTheBar(t *testing.T) {
	drawn := make(chan State, 100)
	b := New("Test", func(s State) { drawn <- s }, func(time.Duration, float64, float64) bool { return true }, time.Now)
	ended := make(chan struct{})
	go func() {
		b.Tick(time.Millisecond)
		close(ended)
	}()
	for range 3 {
		<-drawn
	}
	b.Done("")
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("ticks after its end")
	}
}
