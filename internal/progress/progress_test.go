package progress

import (
	"fmt"
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
