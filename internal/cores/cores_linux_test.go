package cores

import (
	"os"
	"slices"
	"testing"
)

// Two commands that reserve some of the cores get others, as long as there are any; what one leaves the next may have.
func TestReserve(t *testing.T) {
	first := 1_000_000 * os.Getpid() // no machine's, nor another test's
	all := []int{first, first + 1, first + 2}
	check := func(what string, got []int, want ...int) {
		t.Helper()
		for i := range want {
			want[i] += first
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	one, end := Reserve(all, 1)
	check("the first command", one, 0, 1, 2)
	two, endTwo := Reserve(all, 1)
	check("another, meanwhile", two, 1, 0, 2)
	three, endThree := Reserve(all, 2)
	check("one that wants more than are left", three, 2, 0, 1)
	end()
	endThree()
	four, endFour := Reserve(all, 3)
	check("after two have ended", four, 0, 2, 1)
	endTwo()
	endFour()
	none, endNone := Reserve(nil, 2)
	check("no cores to choose from", none)
	endNone()
}
