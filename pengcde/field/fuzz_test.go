package field_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

func bits(numbers ...float64) []byte {
	var out []byte
	for _, x := range numbers {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// FuzzControl checks that every sample gives a typed error or control tensors that are finite, except for the end of a
// path without an end.
func FuzzControl(f *testing.F) {
	nan, inf := math.NaN(), math.Inf(1)
	three, weights, features := bits(0, 1, 2.5), bits(1, 2, 3, 4), bits(1, nan, 3, 4, 5, nan)
	const clocked, held, otherEdges = 1, 2, 4
	kinds := []path.Kind{path.Hermite, path.Linear, path.Rectilinear, path.Natural, path.Ramp, "cubic"}
	masks := []path.Mask{path.NoMask, path.Counted, path.Observed, "seen"}
	const linear, rectilinear, natural = 1, 2, 3
	for kind := range byte(len(kinds)) {
		f.Add(three, weights, features, []byte{0, 1, 1}, kind, kind, byte(0), byte(held))
	}
	f.Add(three, weights, features, []byte{0, 0, 1}, byte(linear), byte(natural), byte(1), byte(clocked))
	f.Add(three, weights, features, []byte{0, 0, 1}, byte(linear), byte(rectilinear), byte(0), byte(0))
	f.Add(three, bits(1, nan, 3, 4), features, []byte{0, 1, 1}, byte(0), byte(0), byte(0), byte(0))
	f.Add(three, bits(1, 2, inf, 4), []byte{}, []byte{0, 1, 1}, byte(0), byte(0), byte(0), byte(0))
	f.Add(three, weights, []byte{}, []byte{0, 9, 1}, byte(0), byte(0), byte(0), byte(0))
	f.Add(bits(0, nan, 2), weights, []byte{}, []byte{0, 1, 1}, byte(0), byte(0), byte(0), byte(0))
	f.Add(bits(0, 1, 1), weights, []byte{}, []byte{0, 1, 1}, byte(1), byte(1), byte(0), byte(clocked))
	f.Add(bits(-1e308, 1e308), weights, []byte{}, []byte{0, 1}, byte(rectilinear), byte(rectilinear), byte(0),
		byte(held))
	f.Add([]byte{}, weights, []byte{}, []byte{}, byte(0), byte(0), byte(0), byte(0))
	f.Add(three, weights, features, []byte{0, 1, 1, 0}, byte(0), byte(0), byte(0), byte(otherEdges))
	f.Add(three, weights, features, []byte{1, 1, 1, 0}, byte(0), byte(0), byte(0), byte(otherEdges))
	f.Add(three, weights, features, []byte{0, 1, 0, 1}, byte(0), byte(0), byte(0), byte(otherEdges))
	f.Add(three, weights, features, []byte{0, 2, 255, 1}, byte(0), byte(0), byte(0), byte(otherEdges))
	f.Add(three, bits(1e308, 1e308, 3, 4), []byte{}, []byte{0, 0, 0, 1}, byte(0), byte(0), byte(0), byte(otherEdges))
	pattern, _, err := dyngraph.NewPattern(2, []int{0, 1}, []int{1, 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, knots, weights, features, index []byte, graphPath, featurePath, mask, options byte) {
		pattern := pattern
		if options&otherEdges != 0 { // any that the indices name, sound or not
			pattern = &dyngraph.Pattern{Nodes: 2}
			for k := 0; k+1 < min(len(index), 16); k += 2 {
				pattern.From, pattern.To = append(pattern.From, int32(int8(index[k]))), append(pattern.To, int32(int8(index[k+1])))
			}
		}
		s := field.Sample{Knots: numbers(knots), Pattern: pattern, Hold: options&held != 0,
			GraphPath: kinds[int(graphPath)%len(kinds)], FeaturePath: kinds[int(featurePath)%len(kinds)]}
		if options&clocked != 0 {
			s.Clock = s.Knots
		}
		for _, j := range index[:min(len(index), 16)] {
			s.Index = append(s.Index, int(j))
		}
		s.Snapshots, s.Features = inRows(numbers(weights), max(1, pattern.Edges())), inRows(numbers(features), pattern.Nodes)
		if m := masks[int(mask)%len(masks)]; m != path.NoMask {
			if filled, err := path.Fill(s.FeaturePath, m, s.Knots, s.Features, s.Pattern.Nodes); err == nil {
				s.Features = filled
			}
		}
		for _, product := range bothProducts {
			control, _, err := field.NewControl(dtypes.Float64, product, []field.Sample{s})
			if err != nil {
				if !errors.Is(err, field.ErrInput) {
					t.Fatal(err)
				}
				return
			}
			for i, c := range control {
				if !c.DType().IsFloat() {
					continue
				}
				for _, v := range host.Floats(c) {
					if math.IsNaN(v) || math.IsInf(v, 0) && i != 1 {
						t.Fatalf("%+v: tensor %d holds %g", s, i, v)
					}
				}
			}
			xla.Free(control...)
		}
	})
}

// numbers reads at most 16 float64, NaN and infinities among them.
func numbers(content []byte) []float64 {
	var out []float64
	for ; len(content) >= 8 && len(out) < 16; content = content[8:] {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(content)))
	}
	return out
}

func inRows(values []float64, width int) (rows [][]float64) {
	for ; len(values) > 0; values = values[min(width, len(values)):] {
		rows = append(rows, values[:min(width, len(values))])
	}
	return rows
}
