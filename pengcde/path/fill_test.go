package path_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

var nan = math.NaN()

func TestFill(t *testing.T) {
	knots, column := []float64{0, 1, 2, 4, 5, 6}, []float64{nan, 2, nan, 8, nan, nan}
	for kind, want := range map[path.Kind][]float64{
		path.Linear:      {2, 2, 4, 8, 8, 8},
		path.Hermite:     {2, 2, 4, 8, 8, 8},
		path.Rectilinear: {2, 2, 2, 8, 8, 8},
		path.Ramp:        {2, 2, 2, 8, 8, 8},
	} {
		fixture.Close(t, string(kind), filled(t, kind, knots, column), want, 1e-15)
	}
	// The spline goes through 2 at 0 and 8 at 6 as well.
	got := filled(t, path.Natural, knots, column)
	for k, time := range knots {
		want, _ := definition(path.Natural, []float64{0, 1, 4, 6}, []float64{2, 2, 8, 8}, time)
		if !(math.Abs(got[k]-want) <= 1e-13) {
			t.Errorf("natural: %g at %g, want %g", got[k], time, want)
		}
	}
	if !math.IsNaN(column[0]) {
		t.Error("the input has changed")
	}
}

// filled fills one channel.
func filled(t testing.TB, kind path.Kind, knots, column []float64) []float64 {
	t.Helper()
	full, err := path.Fill(kind, path.NoMask, knots, rowsOf(column), 1)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(full))
	for k, row := range full {
		out[k] = row[0]
	}
	return out
}

func rowsOf(column []float64) [][]float64 { return slices.Collect(slices.Chunk(column, 1)) }

// Nodes, features and mask channels keep their indices; each channel has gaps of its own.
func TestFillWithMask(t *testing.T) {
	knots := []float64{0, 1, 2}
	features := [][]float64{{1, nan, 3, 4}, {nan, 20, 30, nan}, {5, nan, nan, 8}} // 2 nodes with 2 features
	for mask, want := range map[path.Mask][][]float64{
		path.NoMask:   {{1, 20, 3, 4}, {3, 20, 30, 6}, {5, 20, 30, 8}},
		path.Observed: {{1, 20, 1, 0, 3, 4, 1, 1}, {3, 20, 0, 1, 30, 6, 1, 0}, {5, 20, 1, 0, 30, 8, 0, 1}},
		path.Counted:  {{1, 20, 1, 0, 3, 4, 1, 1}, {3, 20, 1, 1, 30, 6, 2, 1}, {5, 20, 2, 1, 30, 8, 2, 2}},
	} {
		got, err := path.Fill(path.Linear, mask, knots, features, 2)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			fixture.Close(t, string(mask), got[k], want[k], 1e-15)
		}
		if len(got[0]) != 2*mask.Width(2) {
			t.Errorf("%v: rows of %d, Width says %d of each of 2 nodes", mask, len(got[0]), mask.Width(2))
		}
	}
	whole := [][]float64{{1}, {2}, {3}}
	if got, err := path.Fill(path.Hermite, path.NoMask, knots, whole, 1); err != nil || &got[0][0] != &whole[0][0] {
		t.Errorf("rows without gaps were copied (%v)", err)
	}
}

// With gaps filled, the path of Linear and of Natural is the same as on only the observed knots, anywhere between the
// first and the last of them.
func TestFilledPathsAreThoseOfTheObservedKnots(t *testing.T) {
	const count, queries = 7, 8
	for _, kind := range []path.Kind{path.Linear, path.Natural} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				knots, xs := draw(r, count)
				seen, values, gaps := knots[:1:1], xs[:1:1], slices.Clone(xs)
				for k := 1; k < count-1; k++ {
					if rapid.Bool().Draw(r, "observed") {
						seen, values = append(seen, knots[k]), append(values, xs[k])
					} else {
						gaps[k] = nan
					}
				}
				seen, values = append(seen, knots[count-1]), append(values, xs[count-1])
				at := make([]float64, queries)
				for i := range at {
					at[i] = knots[0] + rapid.Float64Range(0, 1).Draw(r, "query")*(knots[count-1]-knots[0])
				}
				got := eval(t, kind, knots, filled(t, kind, knots, gaps), nil, at)
				want := eval(t, kind, seen, values, nil, at)
				for i := range at {
					// Between knots that nearly coincide, rounding is divided by their distance, 1e-3 or more.
					scale := 1e-8 * (200 + math.Abs(want.x[i]) + math.Abs(want.dx[i]))
					if !(math.Abs(got.x[i]-want.x[i]) <= scale) ||
						kind == path.Natural && !(math.Abs(got.dx[i]-want.dx[i]) <= 1e4*scale) {
						r.Fatalf("X, X'(%g) = %g, %g with gaps filled, %g, %g without those knots", at[i], got.x[i], got.dx[i], want.x[i],
							want.dx[i])
					}
				}
			})
		})
	}
}

// Filled by the last observation, Rectilinear and Ramp look ahead no further than without gaps; the first gap is the
// one exception.
func TestFillLooksAhead(t *testing.T) {
	knots := []float64{0, 1, 2, 3, 4}
	gaps := []float64{1, nan, nan, 5, nan}
	other := []float64{1, nan, nan, 9, 2}
	for kind, ahead := range map[path.Kind]bool{path.Rectilinear: false, path.Ramp: false, path.Linear: true,
		path.Hermite: true, path.Natural: true} {
		a, b := filled(t, kind, knots, gaps), filled(t, kind, knots, other)
		if changed := !slices.Equal(a[:3], b[:3]); changed != ahead {
			t.Errorf("%v: values before observation 3 depend on it: %t, want %t", kind, changed, ahead)
		}
	}
}

func TestFillErrors(t *testing.T) {
	knots := []float64{0, 1}
	for name, c := range map[string]struct {
		features [][]float64
		nodes    int
		says     string
	}{
		"never observed": {[][]float64{{1, 2, 3, nan}, {1, nan, 3, nan}}, 2, "feature 1 of node 1"},
		"infinite":       {[][]float64{{1, 2}, {math.Inf(-1), 2}}, 2, "feature 0 of node 0 is -Inf at knot 1"},
		"a row short":    {[][]float64{{1}}, 1, "1 of 2 knots"},
		"ragged":         {[][]float64{{1, 2}, {1}}, 1, "knot 1"},
		"empty":          {[][]float64{{}, {}}, 1, "0 features"},
		"no nodes":       {[][]float64{{1}, {1}}, 0, "0 nodes"},
		"3 for 2 nodes":  {[][]float64{{1, 2, 3}, {1, 2, 3}}, 2, "3 features"},
	} {
		if _, err := path.Fill(path.Hermite, path.NoMask, knots, c.features, c.nodes); !errors.Is(err, path.ErrValues) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want ErrValues that says %q", name, err, c.says)
		}
	}
	large := []float64{1e308, nan, -1e308, nan, 1e308}
	if _, err := path.Fill(path.Natural, path.NoMask, []float64{0, 1, 2, 3, 4}, rowsOf(large), 1); !errors.Is(err,
		path.ErrValues) {
		t.Errorf("values that overflow: %v, want ErrValues", err)
	}
	if _, err := path.Fill(path.Hermite, path.NoMask, []float64{1, 0}, rowsOf([]float64{1, 2}), 1); !errors.Is(err,
		path.ErrKnots) {
		t.Errorf("knots decrease: %v, want ErrKnots", err)
	}
	_, err := path.Fill(path.Kind("cubic"), path.Mask("seen"), knots, rowsOf([]float64{1, 2}), 1)
	if !errors.Is(err, path.ErrKind) {
		t.Errorf("unknown kind: %v, want ErrKind", err)
	}
}
