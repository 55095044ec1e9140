package equivariant_test

import (
	"encoding/json"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/xla"
)

// Maps are named in JSON.
func ExampleMap() {
	text, err := json.Marshal([]equivariant.Map{equivariant.IdentityMap, equivariant.RowsOnColumns})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	// Output:
	// ["identity","row sums on columns"]
}

// M Z for M = A + A^T, without forming M: A has the edges of a path 0 -> 1 -> 2, A' is 0.
func ExampleFusion() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	pattern, _, err := dyngraph.NewPattern(3, []int{0, 1}, []int{1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	snapshots := [][][]float64{{{2, 3}, {0, 0}}} // of one sample: A and A'
	form, rows, tables, err := equivariant.Sparse.Snapshots(dtypes.Float64, equivariant.NeighbourCapacity{},
		[]*dyngraph.Pattern{pattern}, snapshots)
	if err != nil {
		fmt.Println(err)
		return
	}
	fusion := equivariant.Fusion{Maps: []equivariant.Map{equivariant.IdentityMap, equivariant.TransposeMap}}
	inputs := []any{
		rows,
		[][]float64{{0, 0}, {1, 0}},    // weights of both maps on A and A', beside the 1 of the identity
		[][][]float64{{{1}, {2}, {3}}}, // Z
	}
	for _, table := range tables {
		inputs = append(inputs, table)
	}
	out, err := CallOnce(backend.Compute, func(in []*Node) *Node {
		matrix := func(snapshot int) *equivariant.Matrix {
			return form.Matrix(Squeeze(Slice(in[0], AxisRange(), AxisElem(snapshot)), 1), in[3:])
		}
		return fusion.Apply(equivariant.NewPair(matrix(0), matrix(1)), 0, in[1], in[2])
	}, inputs...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tensors.MustCopyFlatData[float64](out))
	// Output: [4 11 6]
}
