package ode

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// saved gathers states at save times on the host. It works on bytes, so that it serves all float types.
type saved struct {
	state shapes.Shape // [batch, ...]
	rows  [][]byte     // for each sample its states; NaN where none is saved yet
	start []byte       // the initial states
	size  int          // bytes of a state of one sample
	blank []byte       // a state of NaN
}

// newSaved makes room for count states a sample; it grows when more come.
func newSaved(z0 *tensors.Tensor, count int) (*saved, error) {
	s := &saved{state: z0.Shape(), size: int(z0.Shape().ByteSize()) / z0.Shape().Dimensions[0]}
	nan := nanOf(z0.DType())
	for len(s.blank) < s.size {
		s.blank = append(s.blank, nan...)
	}
	err := z0.ConstFlatData(func(flat any) { s.start = append(s.start, dtypes.UnsafeByteSliceFromAny(flat)...) })
	if err != nil {
		return nil, fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	return s.like(count), nil
}

// like makes room for count states a sample of the same initial states.
func (s *saved) like(count int) *saved {
	other := &saved{state: s.state, rows: make([][]byte, s.state.Dimensions[0]), start: s.start, size: s.size, blank: s.blank}
	for b := range other.rows {
		other.rows[b] = make([]byte, 0, count*s.size)
		other.grow(b, count)
	}
	return other
}

// grow gives sample b at least count states.
func (s *saved) grow(b, count int) {
	for len(s.rows[b]) < count*s.size {
		s.rows[b] = append(s.rows[b], s.blank...)
	}
}

// copyRow copies a state, number row of source, to save time i of sample b.
func (s *saved) copyRow(b, i int, source []byte, row int) {
	s.grow(b, i+1)
	copy(s.rows[b][i*s.size:(i+1)*s.size], source[row*s.size:])
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

// tensor returns [batch, saves, ...], with NaN where a sample has fewer saves than another.
func (s *saved) tensor() *tensors.Tensor {
	most := 0
	for _, row := range s.rows {
		most = max(most, len(row)/s.size)
	}
	dims := s.state.Dimensions
	t := tensors.FromShape(shapes.Make(s.state.DType, append([]int{dims[0], most}, dims[1:]...)...))
	t.MustMutableFlatData(func(flat any) {
		data := dtypes.UnsafeByteSliceFromAny(flat)
		for b := range s.rows {
			s.grow(b, most)
			copy(data[b*most*s.size:], s.rows[b])
		}
	})
	return t
}
