package equivariant

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
)

// Each snapshot has its own row, also where graphs have their edges at different indices.
func TestRows(t *testing.T) {
	var patterns []*dyngraph.Pattern
	for _, ends := range [][2][]int{{{0, 1, 1}, {1, 0, 3}}, {{2, 3}, {3, 3}}} {
		p, _, err := dyngraph.NewPattern(4, ends[0], ends[1])
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	_, _, _, err := Auto.Snapshots(dtypes.Float32, NeighbourCapacity{}, nil, nil)
	if !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("no graphs: %v, want dyngraph.ErrInvalid", err)
	}
	snapshots := [][][]float64{{{2, 3, 5}, {7, 11, 13}}, {{17, 19}, {23, 29}}}
	for _, product := range []Product{Dense, Sparse} {
		layout, err := product.layout(NeighbourCapacity{}, patterns)
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for b, sample := range snapshots {
			for _, weights := range sample {
				want = append(want, rowOf(layout, b, weights)...)
			}
		}
		for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
			form, rows, tables, err := product.Snapshots(dtype, NeighbourCapacity{}, patterns, snapshots)
			if err != nil {
				t.Fatal(err)
			}
			if form != layout.Form || len(tables) != len(layout.tables()) {
				t.Errorf("%v: %+v with %d tables", product, form, len(tables))
			}
			if dims := rows.Shape().Dimensions; rows.DType() != dtype || !slices.Equal(dims, []int{2, 2, layout.width()}) {
				t.Errorf("%v: rows are %s", product, rows.Shape())
			}
			if got := host.Floats(rows); !slices.Equal(got, want) {
				t.Errorf("%v: rows %v, want %v", product, got, want)
			}
		}
		for name, bad := range map[string][][][]float64{
			"one sample":     snapshots[:1],
			"none":           {{}, {}},
			"fewer":          {snapshots[0], snapshots[1][:1]},
			"more":           {snapshots[0][:1], snapshots[1]},
			"a weight short": {snapshots[0], {{17, 19}, {23}}},
			"beyond float32": {snapshots[0], {{17, 1e39}, {23, 29}}},
			"a sum beyond":   {{{2, 3e38, 3e38}, {7, 11, 13}}, snapshots[1]},
			"infinite":       {snapshots[0], {{17, math.Inf(1)}, {23, 29}}},
		} {
			_, _, _, err := product.Snapshots(dtypes.Float32, NeighbourCapacity{}, patterns, bad)
			if !errors.Is(err, dyngraph.ErrInvalid) {
				t.Errorf("%v, %s: %v, want dyngraph.ErrInvalid", product, name, err)
			}
		}
	}
}

// A pattern that NewPattern would not make has no layout: its edges would be summed twice, or be at other indices.
func TestLayoutErrors(t *testing.T) {
	sound := &dyngraph.Pattern{Nodes: 3, From: []int32{0, 1}, To: []int32{1, 1}}
	for name, p := range map[string]*dyngraph.Pattern{
		"nil": nil, "no nodes": {}, "beyond": {Nodes: 3, From: []int32{0, 9}, To: []int32{1, 1}},
		"negative": {Nodes: 3, From: []int32{-1}, To: []int32{1}}, "ragged": {Nodes: 3, From: []int32{0, 1}, To: []int32{1}},
		"twice":    {Nodes: 3, From: []int32{0, 0}, To: []int32{1, 1}},
		"unsorted": {Nodes: 3, From: []int32{1, 0}, To: []int32{1, 1}},
	} {
		for _, product := range []Product{Auto, Dense, Sparse} {
			for _, patterns := range [][]*dyngraph.Pattern{{p}, {sound, p}} {
				if _, err := product.layout(NeighbourCapacity{}, patterns); !errors.Is(err, dyngraph.ErrInvalid) {
					t.Errorf("%s, %v: %v, want dyngraph.ErrInvalid", name, product, err)
				}
			}
		}
	}
}
