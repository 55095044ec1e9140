// Package host moves entries between Go slices and tensors of float32 or float64, row-major.
package host

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// Tensor makes a tensor on the host. It panics if the number of entries does not fit the dimensions.
func Tensor(dtype dtypes.DType, entries []float64, dims ...int) *tensors.Tensor {
	shape := shapes.Make(dtype, dims...)
	if shape.Size() != len(entries) {
		panic(fmt.Sprintf("host: %d entries for shape %s", len(entries), shape))
	}
	t := tensors.FromShape(shape)
	Set(t, 0, entries)
	return t
}

// Set writes entries of a tensor on the host, from an index on.
func Set(t *tensors.Tensor, first int, entries []float64) {
	t.MustMutableFlatData(func(flat any) {
		switch data := flat.(type) {
		case []float64:
			copy(data[first:first+len(entries)], entries)
		case []float32:
			for i, v := range entries {
				data[first+i] = float32(v)
			}
		default:
			panic(fmt.Sprintf("host: tensors are float32 or float64, not %s", t.DType()))
		}
	})
}

// Bits returns an entry for each truth value: 1 for true, 0 for false.
func Bits(row []bool) []float64 {
	bits := make([]float64, len(row))
	for i, set := range row {
		if set {
			bits[i] = 1
		}
	}
	return bits
}

// Floats copies the entries of a tensor, fetching them from the device if need be.
func Floats(t *tensors.Tensor) []float64 { return Part(t, 0, t.Size()) }

// Part is Floats for a range of entries.
func Part(t *tensors.Tensor, from, to int) []float64 {
	entries := make([]float64, to-from)
	t.MustConstFlatData(func(flat any) {
		switch data := flat.(type) {
		case []float64:
			copy(entries, data[from:to])
		case []float32:
			for i, v := range data[from:to] {
				entries[i] = float64(v)
			}
		default:
			panic(fmt.Sprintf("host: tensors are float32 or float64, not %s", t.DType()))
		}
	})
	return entries
}
