package path_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

func TestCheckKnots(t *testing.T) {
	for name, knots := range map[string][]float64{
		"none": nil, "one": {1}, "equal": {0, 1, 1}, "decreasing": {0, 2, 1}, "NaN": {0, math.NaN()},
		"infinite": {0, math.Inf(1)},
		"too near": {0, 1e-200}, "too far": {-1e200, 1e200},
	} {
		if _, err := path.Knots(path.Natural, [][]float64{{0, 1}, knots}); !errors.Is(err, path.ErrKnots) {
			t.Errorf("%s: %v, want ErrKnots", name, err)
		}
		if err := path.CheckKnots(knots); !errors.Is(err, path.ErrKnots) {
			t.Errorf("%s: %v, want ErrKnots", name, err)
		}
	}
	if err := path.CheckKnots([]float64{0, 1e-9, 5}); err != nil {
		t.Error(err)
	}
}

// An error names the sample, the knot and its time, and suggests a remedy.
func TestKnotErrorsNameTheEntry(t *testing.T) {
	for name, c := range map[string]struct {
		knots []float64
		says  []string
	}{
		"duplicate":  {[]float64{0, 1, 1}, []string{"knot 2 is 1 after 1", "merge equal times"}},
		"decreasing": {[]float64{0, 2, 1}, []string{"knot 2 is 1 after 2", "sort observations"}},
		"NaN":        {[]float64{0, math.NaN(), 2}, []string{"knot 1 is NaN"}},
		"infinite":   {[]float64{math.Inf(-1), 1, 2}, []string{"knot 0 is -Inf"}},
		"too near":   {[]float64{0, 1e-200, 1}, []string{"knot 1", "unit of time"}},
	} {
		_, err := path.Knots(path.Hermite, [][]float64{{0, 1, 2}, c.knots})
		for _, word := range append(c.says, "sample 1") {
			if err == nil || !strings.Contains(err.Error(), word) || strings.Count(err.Error(), "pengcde/path") != 1 {
				t.Errorf("%s: %v, want an error that says %q, and of which package once", name, err, word)
			}
		}
	}
}

// Float32 values at knots near 1e6, where neighbouring float32 are 1/16 apart, give the same path as near 0.
func TestFloat32ValuesAtAMillion(t *testing.T) {
	const far = 1e6
	at := func(kind path.Kind, shift float64) [][]float32 {
		knots := make([]float64, len(irregular))
		for k, time := range irregular {
			knots[k] = shift + 0.01*time
		}
		tables, err := path.Knots(kind, [][]float64{knots})
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float32, len(uneven))
		for k, x := range uneven {
			values[k] = float32(x)
		}
		query := knots[2] + 0.3*(knots[3]-knots[2])
		if kind == path.Rectilinear {
			query = knots[0] + 0.05*0.43
		}
		args := []any{tensors.FromFlatDataAndDimensions(values, 1, len(values), 1), tensors.FromValue([]float64{query})}
		for _, table := range tables {
			args = append(args, table)
		}
		out, err := program(t, xlatest.Go(t), kind, false).Call(args...)
		if err != nil {
			t.Fatal(err)
		}
		defer xla.Free(out...)
		return [][]float32{tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])}
	}
	for _, kind := range kinds {
		near, away := at(kind, 0), at(kind, far)
		for i, what := range []string{"X", "X'"} {
			a, b := float64(near[i][0]), float64(away[i][0])
			if !(math.Abs(a-b) <= 1e-6*math.Max(1, math.Abs(a))) {
				t.Errorf("%v: %s is %g near 0, %g near 1e6", kind, what, near[i][0], away[i][0])
			}
		}
	}
}

func TestKnotsOfBatches(t *testing.T) {
	for name, knots := range map[string][][]float64{"no samples": nil, "other lengths": {{0, 1}, {0, 1, 2}}} {
		if _, err := path.Knots(path.Linear, knots); !errors.Is(err, path.ErrKnots) {
			t.Errorf("%s: %v, want ErrKnots", name, err)
		}
	}
	for kind, want := range map[path.Kind][][]int{path.Hermite: {{2, 3}}, path.Natural: {{2, 3}, {2, 3, 3}}} {
		made, err := path.Knots(kind, [][]float64{{0, 1, 2}, {5, 7, 8}})
		var got [][]int
		for _, x := range made {
			got = append(got, x.Shape().Dimensions)
		}
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v: %v, %v, want %v", kind, got, err, want)
		}
	}
}

// Samples with different knots give the same paths as separately; knots made for a spline serve the other kinds.
func TestSamplesWithKnotsOfTheirOwn(t *testing.T) {
	knots, rows, at := [][]float64{{0, 1, 2.5}, {-3, 4, 4.5}}, []float64{1, 5, 2, 0, -1, 7}, []float64{1.7, 0.3}
	made, err := path.Knots(path.Natural, knots)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		out, err := program(t, xlatest.Go(t), kind, false).Call(tensors.FromFlatDataAndDimensions(rows, 2, 3, 1),
			tensors.FromFlatDataAndDimensions(at, 2), made[0], made[1])
		if err != nil {
			t.Fatal(err)
		}
		for b := range knots {
			alone := eval(t, kind, knots[b], rows[3*b:3*b+3], nil, at[b:b+1])
			for i, want := range [][]float64{alone.x, alone.dx, alone.time, alone.clock} {
				if got := tensors.MustCopyFlatData[float64](out[i])[b]; !(math.Abs(got-want[0]) <= 1e-14) {
					t.Errorf("%v: output %d of sample %d is %g, alone %g", kind, i, b, got, want[0])
				}
			}
		}
		xla.Free(out...)
	}
}

// Invalid inputs of Locate are errors when the graph is built.
func TestLocateErrors(t *testing.T) {
	knots, at, values := tensors.FromValue([][]float64{{0, 1}}), tensors.FromValue([]float64{0.5}),
		tensors.FromValue([][][]float64{{{1}, {2}}})
	if _, err := program(t, xlatest.Go(t), path.Natural, false).Call(values, at, knots); !errors.Is(err, path.ErrKnots) {
		t.Errorf("knots without weights: %v, want ErrKnots", err)
	}
	_, err := program(t, xlatest.Go(t), path.Kind("cubic"), false).Call(values, at, knots)
	if !errors.Is(err, path.ErrKind) {
		t.Errorf("unknown kind: %v, want ErrKind", err)
	}
	three := [][]float64{{0, 1, 2}}
	for name, inputs := range map[string][]any{
		"fewer values than knots":    {three, [][][]float64{{{1}, {2}}}, []float64{0.5}},
		"more values than knots":     {three, [][][]float64{{{1}, {2}, {3}, {4}}}, []float64{0.5}},
		"values of more samples":     {three, [][][]float64{{{1}, {2}, {3}}, {{1}, {2}, {3}}}, []float64{0.5}},
		"values of fewer samples":    {[][]float64{{0, 1}, {0, 1}}, [][][]float64{{{1}, {2}}}, []float64{0.5, 0.5}},
		"integers":                   {three, [][][]int32{{{1}, {2}, {3}}}, []float64{0.5}},
		"index of fewer knots":       {three, [][][]float64{{{1}, {2}}}, []float64{0.5}, [][]int32{{0, 1}}},
		"index of more samples":      {three, [][][]float64{{{1}, {2}}}, []float64{0.5}, [][]int32{{0, 1, 1}, {0, 1, 1}}},
		"snapshots of more samples":  {three, [][][]float64{{{1}, {2}}, {{1}, {2}}}, []float64{0.5}, [][]int32{{0, 1, 1}}},
		"snapshots of integers":      {three, [][][]int32{{{1}, {2}}}, []float64{0.5}, [][]int32{{0, 1, 1}}},
		"times of more samples":      {three, [][][]float64{{{1}, {2}, {3}}}, []float64{0.5, 0.6}},
		"times of another type":      {three, [][][]float64{{{1}, {2}, {3}}}, []float32{0.5}},
		"knots of another type":      {[][]float32{{0, 1, 2}}, [][][]float64{{{1}, {2}, {3}}}, []float64{0.5}},
		"a row of knots for samples": {[]float64{0, 1, 2}, [][][]float64{{{1}, {2}, {3}}}, []float64{0.5}},
	} {
		if _, err := program(t, xlatest.Go(t), path.Hermite, len(inputs) == 4).Call(append(inputs[1:],
			inputs[0])...); !errors.Is(err, path.ErrKnots) && !errors.Is(err, path.ErrValues) {
			t.Errorf("%s: %v, want ErrKnots or ErrValues", name, err)
		}
	}
}
