package ode

import (
	"bytes"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// saved gathers states at save times on the host, where they lie as they are returned. It works on bytes, so that it
// serves all float types.
type saved struct {
	state shapes.Shape    // [batch, ...]
	z     *tensors.Tensor // [batch, capacity, ...]: NaN where none is saved yet
	saves int             // of capacity in use
	start []byte          // the initial states
	size  int             // bytes of a state of one sample
	blank []byte          // a state of NaN
}

// newSaved makes room for count states a sample; it grows when more come.
func newSaved(z0 *tensors.Tensor, count int) (*saved, error) {
	s := &saved{state: z0.Shape(), size: int(z0.Shape().ByteSize()) / z0.Shape().Dimensions[0]}
	nan := dtypes.UnsafeByteSliceFromAny(shapes.CastAsDType([]float64{math.NaN()}, z0.DType()))
	s.blank = bytes.Repeat(nan, s.size/len(nan))
	if err := z0.ConstBytes(func(data []byte) { s.start = bytes.Clone(data) }); err != nil {
		return nil, fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	return s.like(count), nil
}

// like makes room for count states a sample of the same initial states.
func (s *saved) like(count int) *saved {
	other := &saved{state: s.state, start: s.start, size: s.size, blank: s.blank}
	other.grow(count)
	return other
}

func (s *saved) capacity() int {
	if s.z == nil {
		return 0
	}
	return s.z.Shape().Dimensions[1]
}

// grow gives every sample at least count states.
func (s *saved) grow(count int) {
	if count > s.capacity() {
		s.lay(max(count, 2*s.capacity()))
	}
	s.saves = max(s.saves, count)
}

// lay moves what is saved to where there is room for other many states.
func (s *saved) lay(capacity int) {
	dims := s.state.Dimensions
	z := tensors.FromShape(shapes.Make(s.state.DType, append([]int{dims[0], capacity}, dims[1:]...)...))
	bytesOf(z, func(data []byte) {
		for at := 0; at < len(data); at += s.size {
			copy(data[at:], s.blank)
		}
		if s.z == nil {
			return
		}
		bytesOf(s.z, func(old []byte) {
			for b := range dims[0] {
				copy(data[b*capacity*s.size:(b+1)*capacity*s.size], old[b*s.capacity()*s.size:][:s.saves*s.size])
			}
		})
	})
	s.z = z
}

// bytesOf shows those of a tensor on the host.
func bytesOf(t *tensors.Tensor, show func([]byte)) {
	t.MustMutableFlatData(func(flat any) { show(dtypes.UnsafeByteSliceFromAny(flat)) })
}

// copyRow copies a state, number row of source, to save time i of sample b.
func (s *saved) copyRow(b, i int, source []byte, row int) {
	s.grow(i + 1)
	bytesOf(s.z, func(data []byte) {
		copy(data[(b*s.capacity()+i)*s.size:], source[row*s.size:(row+1)*s.size])
	})
}

// take copies the rows of t [batch, rows, ...] to the save times places[b].
func (s *saved) take(t *tensors.Tensor, places [][]int) error {
	return t.ConstBytes(func(source []byte) {
		for b := range places {
			for row, i := range places[b] {
				s.copyRow(b, i, source, b*rows+row)
			}
		}
	})
}

// tensor returns [batch, saves, ...], with NaN where a sample has fewer saves than another. Nothing may be saved after
// that.
func (s *saved) tensor() *tensors.Tensor {
	if s.saves < s.capacity() {
		s.lay(s.saves)
	}
	return s.z
}
