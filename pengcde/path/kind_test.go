package path_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// irregular knots and values that rise, fall and stay.
var (
	irregular = []float64{-1, 0, 0.4, 2, 2.1, 3}
	uneven    = []float64{1, -2, 0.5, 3, 3, 2}
)

// times on knots, inside each interval and outside both ends; for Rectilinear along its longer axis.
func times(kind path.Kind, knots []float64) []float64 {
	if kind == path.Rectilinear {
		knots, _, _ = stairs(knots, knots)
	}
	first, last := knots[0], knots[len(knots)-1]
	out := append([]float64{first - 0.7, first - 1e-3, last + 1e-3, last + 0.9}, knots...)
	for k := range len(knots) - 1 {
		for _, r := range []float64{0.1, 0.5, 0.77} {
			out = append(out, knots[k]+r*(knots[k+1]-knots[k]))
		}
	}
	return out
}

func TestPathsAreAsDefined(t *testing.T) {
	for _, kind := range kinds {
		backend := xlatest.Go(t)
		if kind == path.Natural {
			backend = xlatest.Backend(t)
		}
		for _, count := range []int{2, len(irregular)} {
			knots, xs := irregular[:count], uneven[:count]
			at := times(kind, knots)
			got := evalOn(t, backend, kind, knots, xs, nil, at)
			for i, time := range at {
				x, dx := definition(kind, knots, xs, time)
				kink := kind == path.Rectilinear && onStair(knots, time) // where rounding decides which side it is
				if !(math.Abs(got.x[i]-x) <= 1e-12) || !(math.Abs(got.dx[i]-dx) <= 1e-11) && !kink {
					t.Errorf("%v of %d knots at %g: X, X' = %.15g, %.15g, want %.15g, %.15g", kind, count, time, got.x[i], got.dx[i],
						x, dx)
				}
				if kind != path.Rectilinear && (got.time[i] != time || got.clock[i] != 1) {
					t.Errorf("%v at %g: time %g, clock %g, want the time itself and 1", kind, time, got.time[i], got.clock[i])
				}
			}
		}
	}
}

// The derivative is the slope of the value between knots. Values and, where documented, derivatives are continuous at
// knots.
func TestPathsAreSmooth(t *testing.T) {
	shifted := func(at []float64, by float64) []float64 {
		out := slices.Clone(at)
		for i := range out {
			out[i] += by
		}
		return out
	}
	for _, kind := range kinds {
		knots, inside := irregular, []float64{-0.6, 0.1, 0.3, 1.1, 2.05, 2.9, -1.4, 3.3}
		if kind == path.Rectilinear {
			knots, _, _ = stairs(irregular, irregular)
			inside = append(shifted(knots[:len(knots)-1], 0.03), -1.4, 8)
		}
		const h = 1e-5
		up, down := eval(t, kind, irregular, uneven, nil, shifted(inside, h)),
			eval(t, kind, irregular, uneven, nil, shifted(inside, -h))
		here := eval(t, kind, irregular, uneven, nil, inside)
		slopes, clocks := make([]float64, len(inside)), make([]float64, len(inside))
		for i := range slopes {
			slopes[i], clocks[i] = (up.x[i]-down.x[i])/(2*h), (up.time[i]-down.time[i])/(2*h)
		}
		fixture.Close(t, string(kind)+": X' inside intervals", here.dx, slopes, 1e-7)
		fixture.Close(t, string(kind)+": clock inside intervals", here.clock, clocks, 1e-7)

		const tiny = 1e-9
		left, right := eval(t, kind, irregular, uneven, nil, shifted(knots, -tiny)),
			eval(t, kind, irregular, uneven, nil, shifted(knots, tiny))
		on := eval(t, kind, irregular, uneven, nil, knots)
		fixture.Close(t, string(kind)+": X after knots", right.x, on.x, 1e-7)
		fixture.Close(t, string(kind)+": X before knots", left.x, on.x, 1e-7)
		fixture.Close(t, string(kind)+": time after knots", right.time, on.time, 1e-7)
		if kind == path.Linear || kind == path.Rectilinear {
			if math.Abs(left.dx[1]-right.dx[1]) < 1 {
				t.Errorf("%v: X' is %g before a knot and %g after, want a kink", kind, left.dx[1], right.dx[1])
			}
			continue
		}
		for i, knot := range knots {
			if d := max(math.Abs(left.dx[i]-on.dx[i]), math.Abs(right.dx[i]-on.dx[i])); !(d <= 1e-5) {
				t.Errorf("%v: X' jumps by %g at knot %g", kind, d, knot)
			}
		}
		if kind != path.Natural {
			continue
		}
		inner := knots[1 : len(knots)-1]
		here = eval(t, kind, irregular, uneven, nil, inner)
		up, down = eval(t, kind, irregular, uneven, nil, shifted(inner, h)),
			eval(t, kind, irregular, uneven, nil, shifted(inner, -h))
		for i := range inner {
			if before, after := (here.dx[i]-down.dx[i])/h, (up.dx[i]-here.dx[i])/h; !(math.Abs(before-after) <= 1e-2) {
				t.Errorf("natural: X'' is %g before the knot %g and %g after", before, inner[i], after)
			}
		}
	}
}

// Paths interpolate their knots. Hermite, Linear and Natural reproduce linear functions inside and outside the knots;
// the others do not.
func TestPathsOfLinearFunctions(t *testing.T) {
	xs := make([]float64, len(irregular))
	for k, time := range irregular {
		xs[k] = 2 - 3*time
	}
	for _, kind := range kinds {
		through := irregular
		if kind == path.Rectilinear {
			through = path.Lengthen(irregular, irregular)
		}
		fixture.Close(t, string(kind)+": X at the knots", eval(t, kind, irregular, uneven, nil, through).x, uneven, 1e-14)

		at := times(kind, irregular)
		got := eval(t, kind, irregular, xs, nil, at)
		worst := 0.0
		for i := range at {
			worst = max(worst, math.Abs(got.x[i]-(2-3*got.time[i])), math.Abs(got.dx[i]+3*got.clock[i]))
		}
		if meets := kind == path.Hermite || kind == path.Linear || kind == path.Natural; meets != (worst < 1e-12) {
			t.Errorf("%v: a linear function is missed by %g", kind, worst)
		}
	}
}

// The value never leaves the range of the two values it joins, for any knots and values, inside and outside.
func TestNoOvershoot(t *testing.T) {
	const count, queries = 5, 16
	for _, kind := range []path.Kind{path.Linear, path.Rectilinear, path.Ramp} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				knots, xs := draw(r, count)
				until := knots[count-1]
				if kind == path.Rectilinear {
					until = path.Lengthen(knots, []float64{until})[0]
				}
				at := make([]float64, queries)
				for i := range at {
					at[i] = knots[0] + rapid.Float64Range(0, 1).Draw(r, "query")*(until-knots[0])
				}
				got := eval(t, kind, knots, xs, nil, at)
				for i, x := range got.x {
					// At a knot rounding decides which interval it is.
					k, next := interval(knots, got.time[i]-1e-12), interval(knots, got.time[i]+1e-12)
					low, high := slices.Min(xs[k:next+2]), slices.Max(xs[k:next+2])
					// The time is rounded too, and an interval may be short.
					rounding := 1e-12 * (math.Abs(low) + math.Abs(high))
					gap := min(knots[k+1]-knots[k], knots[next+1]-knots[next])
					rounding += 4 * 0x1p-52 * math.Abs(got.time[i]) * (high - low) / gap
					if x < low-rounding || x > high+rounding {
						r.Fatalf("X(%g) = %g, want between %g and %g", at[i], x, low, high)
					}
				}
			})
		})
	}
}

// draw draws knots and values of one channel.
func draw(r *rapid.T, count int) (knots, xs []float64) {
	time := rapid.Float64Range(-10, 10).Draw(r, "start")
	for range count {
		time += rapid.Float64Range(1e-3, 10).Draw(r, "gap")
		knots, xs = append(knots, time), append(xs, rapid.Float64Range(-100, 100).Draw(r, "value"))
	}
	return knots, xs
}

// Paths of any knots and values are as defined, and linear in the values.
func TestPathsOfAnyKnots(t *testing.T) {
	const count, queries = 4, 6
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				knots, xs := draw(r, count)
				at := make([]float64, queries)
				for i := range at {
					at[i] = knots[0] + rapid.Float64Range(0, 1).Draw(r, "query")*(knots[count-1]-knots[0])
				}
				got := eval(t, kind, knots, xs, nil, at)
				for i, time := range at {
					x, dx := definition(kind, knots, xs, time)
					// The spline's definition solves a system whose condition grows with the ratio of gaps, up to 1e4.
					scale := 1 + math.Abs(x) + math.Abs(dx)
					for k := range count - 1 {
						scale = max(scale, math.Abs((xs[k+1]-xs[k])/(knots[k+1]-knots[k])))
					}
					if kind == path.Rectilinear && math.Abs(dx-got.dx[i]) > 1 && onStair(knots, time) {
						continue
					}
					if !(math.Abs(got.x[i]-x) <= 1e-8*scale) || !(math.Abs(got.dx[i]-dx) <= 1e-8*scale) {
						r.Fatalf("X, X'(%g) = %g, %g, want %g, %g", time, got.x[i], got.dx[i], x, dx)
					}
				}
			})
		})
	}
}

// onStair reports whether time is at a kink up to rounding.
func onStair(knots []float64, time float64) bool {
	at, _, _ := stairs(knots, knots)
	return slices.ContainsFunc(at, func(s float64) bool { return math.Abs(s-time) < 1e-12*(1+math.Abs(s)) })
}

// Snapshots used at several knots give the path of their values at each knot, and X' is 0 to the last bit where they do
// not change.
func TestSnapshots(t *testing.T) {
	rows, index := []float64{1, 965153, -2, 965153, 0.3, 965153}, []int32{0, 0, 2, 1, 1, 1}
	values := make([]float64, 0, 2*len(index))
	for _, j := range index {
		values = append(values, rows[2*j:2*j+2]...)
	}
	for _, kind := range kinds {
		at := times(kind, irregular)
		got, want := eval(t, kind, irregular, rows, index, at), eval(t, kind, irregular, values, nil, at)
		fixture.Close(t, string(kind)+": X", got.x, want.x, 1e-12)
		fixture.Close(t, string(kind)+": X'", got.dx, want.dx, 1e-12)
		for i, time := range at {
			if got.dx[2*i+1] != 0 || want.dx[2*i+1] != 0 || got.x[2*i+1] != 965153 {
				t.Errorf("%v at %g: X, X' = %g, %g of what does not change", kind, time, got.x[2*i+1], got.dx[2*i+1])
			}
		}
	}
}

func TestUnknownKinds(t *testing.T) {
	_, knots := path.Knots("cubic", [][]float64{{0, 1}})
	for i, err := range []error{path.Kind("cubic").Check(), path.Mask("seen").Check(), knots} {
		if !errors.Is(err, path.ErrKind) {
			t.Errorf("%d: %v, want ErrKind", i, err)
		}
	}
}

// The zero value is the default.
func TestZeroKinds(t *testing.T) {
	values := [][]float64{{1}, {math.NaN()}, {4}}
	full, err := path.Fill("", "", []float64{0, 1, 2}, values, 1)
	if err != nil || len(full[0]) != path.Mask("").Width(1) {
		t.Fatalf("%v, %v, want rows of one value", full, err)
	}
	at := times("", irregular)
	got, want := eval(t, "", irregular, uneven, nil, at), eval(t, path.Hermite, irregular, uneven, nil, at)
	fixture.Close(t, "X", got.x, want.x, 0)
}
