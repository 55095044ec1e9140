package path

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// Slicing and gathering pick the same rows in large batches.
func TestRowsOfLargeBatches(t *testing.T) {
	for _, batch := range []int{3, maxSliced + 1} {
		const count, width = 4, 2
		rows, at := make([]float64, batch*count*width), make([]int32, batch)
		for i := range rows {
			rows[i] = float64(i)
		}
		for b := range at {
			at[b] = int32(b * 7 % count)
		}
		out, err := CallOnce(xlatest.Backend(t).Compute, func(rows, at *Node) *Node { return rowOf(rows, at, 0, batch) },
			tensors.FromFlatDataAndDimensions(rows, batch, count, width), tensors.FromFlatDataAndDimensions(at, batch, 1))
		if err != nil {
			t.Fatal(err)
		}
		got := tensors.MustCopyFlatData[float64](out)
		for b := range at {
			for i := range width {
				if want := float64((b*count+int(at[b]))*width + i); got[b*width+i] != want {
					t.Errorf("batch %d: entry %d of sample %d is %g, want %g", batch, i, b, got[b*width+i], want)
				}
			}
		}
	}
}
