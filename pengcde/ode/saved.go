package ode

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// saved gathers states at save times on the host, [batch, saves, ...]. It works on bytes, so that it serves all float
// types.
type saved struct {
	shape shapes.Shape
	data  []byte
	start []byte // the initial states
	size  int    // bytes of a state of one sample
}

func newSaved(z0 *tensors.Tensor, count int) (*saved, error) {
	dims := z0.Shape().Dimensions
	shape := shapes.Make(z0.DType(), append([]int{dims[0], count}, dims[1:]...)...)
	s := &saved{shape: shape, data: make([]byte, shape.ByteSize()), size: int(z0.Shape().ByteSize()) / dims[0]}
	err := z0.ConstFlatData(func(flat any) { s.start = append(s.start, dtypes.UnsafeByteSliceFromAny(flat)...) })
	if err != nil {
		return nil, fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	return s, nil
}

// copyRow copies a state, number row of source, to save time i of sample b.
func (s *saved) copyRow(b, i int, source []byte, row int) {
	at := (b*s.shape.Dimensions[1] + i) * s.size
	copy(s.data[at:at+s.size], source[row*s.size:])
}

// take copies the rows of t [batch, rows, ...] to the save times places[b].
func (s *saved) take(t *tensors.Tensor, places [][]int) error {
	return t.ConstFlatData(func(flat any) {
		source := dtypes.UnsafeByteSliceFromAny(flat)
		for b := range places {
			for row, i := range places[b] {
				s.copyRow(b, i, source, b*rows+row)
			}
		}
	})
}

func (s *saved) tensor() *tensors.Tensor {
	t := tensors.FromShape(s.shape)
	t.MustMutableFlatData(func(flat any) { copy(dtypes.UnsafeByteSliceFromAny(flat), s.data) })
	return t
}
