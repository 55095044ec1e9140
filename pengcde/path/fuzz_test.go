package path_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// numbers reads content as float64, NaN and infinities among them.
func numbers(content []byte) []float64 {
	var out []float64
	for bytes := range slices.Chunk(content, 8) {
		if len(bytes) == 8 {
			out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(bytes)))
		}
	}
	return out
}

func content(numbers ...float64) []byte {
	var out []byte
	for _, x := range numbers {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// FuzzKnots checks that any knots give a typed error, or finite weights whose sums are 0 and times that Lengthen keeps
// in order.
func FuzzKnots(f *testing.F) {
	for _, knots := range [][]float64{irregular, {0, 1}, {0, 1, 1}, {nan, 1}, {-1e300, 1e300}, {0, 1e-300, 1},
		{0, 1e-40, 1e40}, {}} {
		f.Add(content(knots...))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		knots := numbers(bytes[:min(len(bytes), 8*32)])
		tables, err := path.Knots(path.Natural, [][]float64{knots})
		if checked := path.CheckKnots(knots); (err == nil) != (checked == nil) || err != nil &&
			!errors.Is(err, path.ErrKnots) {
			t.Fatalf("Knots says %v, CheckKnots %v", err, checked)
		}
		if err != nil {
			return
		}
		if times := tensors.MustCopyFlatData[float64](tables[0]); !slices.Equal(times, knots) {
			t.Fatalf("knots %g became %g", knots, times)
		}
		for k, row := range slices.Collect(slices.Chunk(tensors.MustCopyFlatData[float64](tables[1]), len(knots))) {
			sum, largest := 0.0, 0.0
			for _, w := range row {
				sum, largest = sum+w, max(largest, math.Abs(w))
			}
			if !(math.Abs(sum) <= 1e-12*largest) {
				t.Fatalf("knot %d of %g: row %g with sum %g", k, knots, row, sum)
			}
		}
		if along := path.Lengthen(knots, knots); !slices.IsSorted(along) {
			t.Fatalf("%g becomes %g", knots, along)
		}
	})
}

// FuzzFill checks that any values give a typed error, or rows without gaps that keep the observed values, and lie
// between them for all kinds except splines.
func FuzzFill(f *testing.F) {
	for _, values := range [][]float64{{1, nan, 3, nan}, {nan, nan}, {1, 2}, {nan, 1, nan, nan, 5, nan},
		{math.MaxFloat64, nan, -math.MaxFloat64, 1}, {math.Inf(1), 1}, {}} {
		for kind := range kinds {
			f.Add(content(values...), byte(kind), byte(kind%3), byte(1+kind%2))
		}
	}
	f.Fuzz(func(t *testing.T, bytes []byte, kind, mask, width byte) {
		values, nodes := numbers(bytes[:min(len(bytes), 8*64)]), int(width%3)
		var features [][]float64
		var knots []float64
		for row := range slices.Chunk(values, 2*nodes+1-nodes%2) {
			features, knots = append(features, row), append(knots, float64(len(knots))*1.5)
		}
		k, m := append(kinds, "cubic")[kind%6], []path.Mask{path.NoMask, path.Counted, path.Observed, "seen"}[mask%4]
		full, err := path.Fill(k, m, knots, features, nodes)
		if err != nil {
			if !errors.Is(err, path.ErrKnots) && !errors.Is(err, path.ErrValues) && !errors.Is(err, path.ErrKind) {
				t.Fatal(err)
			}
			return
		}
		p := len(features[0]) / nodes
		for node := range nodes {
			for feature := range p {
				low, high := math.Inf(1), math.Inf(-1)
				for _, row := range features {
					if x := row[node*p+feature]; !math.IsNaN(x) {
						low, high = min(low, x), max(high, x)
					}
				}
				for i, row := range features {
					x, got := row[node*p+feature], full[i][node*m.Width(p)+feature]
					rounding := 1e-15 * max(math.Abs(low), math.Abs(high))
					if math.IsNaN(got) || math.IsInf(got, 0) || !math.IsNaN(x) && got != x ||
						k != path.Natural && (got < low-rounding || got > high+rounding) {
						t.Fatalf("%v: %g at knot %d becomes %g, observed are %g to %g", k, x, i, got, low, high)
					}
				}
			}
		}
	})
}
