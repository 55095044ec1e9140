package path_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// reach returns the last of count observations that the path on interval k may depend on, by the package documentation.
// For Rectilinear it is for the part of the interval in which the value is constant; the path uses k+1 once time is
// there.
func reach(kind path.Kind, k, count int) int {
	switch kind {
	case path.Rectilinear:
		return k
	case path.Natural:
		return count - 1
	}
	return k + 1
}

// Later observations, both values and times, leave the path unchanged to the last bit up to the interval that the
// package documentation names, and change it there.
func TestLookAhead(t *testing.T) {
	count := len(irregular)
	for _, kind := range kinds {
		for j := 1; j < count; j++ {
			var at []float64
			var of []int
			for k := range count - 1 {
				h := irregular[k+1] - irregular[k]
				start := irregular[k]
				if kind == path.Rectilinear {
					start = 2*irregular[k] - irregular[0]
				}
				for _, r := range []float64{0.2, 0.5, 0.9} {
					at, of = append(at, start+r*h), append(of, k)
				}
			}
			later, values := slices.Clone(irregular), slices.Clone(uneven)
			for i := j; i < count; i++ {
				values[i] = 7 - 3*float64(i)
				if i > j { // knot j itself bounds the interval before it
					later[i] += 0.3 * float64(i)
				}
			}
			was, is := eval(t, kind, irregular, uneven, nil, at), eval(t, kind, later, values, nil, at)
			for i, k := range of {
				if k >= j { // after the first observation that differs
					continue
				}
				changed := was.x[i] != is.x[i] || was.dx[i] != is.dx[i]
				if want := reach(kind, k, count) >= j; changed != want {
					t.Errorf("%v: observations from %d on changed interval %d at %g: %t, want %t", kind, j, k, at[i], changed, want)
				}
			}
		}
	}
}

// A rectilinear path depends on observations up to its own time, wherever along the axis and with gaps filled.
func TestRectilinearNeverLooksAhead(t *testing.T) {
	at := times(path.Rectilinear, irregular)
	was := eval(t, path.Rectilinear, irregular, uneven, nil, at)
	for j := 1; j < len(irregular); j++ {
		values := slices.Clone(uneven)
		for i := j; i < len(values); i++ {
			values[i] += 5
		}
		is := eval(t, path.Rectilinear, irregular, values, nil, at)
		taken := 0
		for i := range at {
			if was.time[i] < irregular[j] && (was.x[i] != is.x[i] || was.dx[i] != is.dx[i]) {
				t.Errorf("at time %g the path depends on an observation at %g", was.time[i], irregular[j])
			}
			if was.x[i] != is.x[i] {
				taken++
			}
		}
		if taken == 0 {
			t.Errorf("observation %d changes nothing", j)
		}
	}
}

// Hermite depends on one observation before its interval, Linear and Ramp on none, all on both ends.
func TestReachBack(t *testing.T) {
	for kind, back := range map[path.Kind]int{path.Hermite: 1, path.Linear: 0, path.Ramp: 0} {
		for k := range len(irregular) - 1 {
			at := []float64{0.3*irregular[k] + 0.7*irregular[k+1]}
			was := eval(t, kind, irregular, uneven, nil, at)
			for j := range irregular {
				values := slices.Clone(uneven)
				values[j]++
				is := eval(t, kind, irregular, values, nil, at)
				if changed, want := was.x[0] != is.x[0], j >= k-back && j <= k+1; changed != want {
					t.Errorf("%v: observation %d changes interval %d: %t, want %t", kind, j, k, changed, want)
				}
			}
		}
	}
}

// Time along a rectilinear path: between knots it is where Lengthen says, and at knots the observation is complete.
func TestLengthen(t *testing.T) {
	at := []float64{-1.5, -1, -0.2, 0, 0.1, 0.4, 1, 2, 2.05, 2.1, 3, 3.5}
	lengthened := path.Lengthen(irregular, at)
	fixture.Close(t, "time", eval(t, path.Rectilinear, irregular, uneven, nil, lengthened).time, at, 1e-14)
	stair, _, _ := stairs(irregular, uneven)
	var knots []float64
	for k := 0; k < len(stair); k += 2 {
		knots = append(knots, stair[k])
	}
	fixture.Close(t, "positions of knots", path.Lengthen(irregular, irregular), knots, 1e-14)
	if !slices.IsSorted(lengthened) {
		t.Errorf("%g is not sorted", lengthened)
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, path.ErrKnots) {
			t.Errorf("without knots: %v, want ErrKnots", err)
		}
	}()
	path.Lengthen(nil, at)
}
