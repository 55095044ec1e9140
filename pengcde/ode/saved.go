package ode

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
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

// store saves the states at the save times that lie in accepted steps.
func (m *march) store(at spans, parts []*tensors.Tensor, a acceptance) error {
	places := make([][]int, len(m.samples))
	for b, row := range m.times {
		sm := &m.samples[b]
		for ; a.by[b] && sm.next < len(row) && within(row[sm.next], sm.t, sm.end); sm.next++ {
			places[b] = append(places[b], sm.next)
		}
	}
	return m.solver.saveInside(m.saved, at, parts, m.times, places)
}

// saveInside saves the states at the times places[b] of each sample, which lie in its step; parts are z and k_1 ..
// k_s of the step.
func (s *Solver) saveInside(saved *saved, at spans, parts []*tensors.Tensor, times [][]float64, places [][]int) error {
	width := 1 + s.method.stages()
	for slices.ContainsFunc(places, func(left []int) bool { return len(left) > 0 }) {
		coefficients, now := make([][][]float64, len(places)), make([][]int, len(places))
		for b, left := range places {
			coefficients[b] = zeros(rows, width)
			now[b], places[b] = left[:min(rows, len(left))], left[min(rows, len(left)):]
			for row, i := range now[b] {
				coefficients[b][row] = s.method.inside(at.t[b], at.end[b], times[b][i])
			}
		}
		out, err := call(s.save, parts, coefficients)
		if err != nil {
			return err
		}
		err = saved.take(out[0], now)
		xla.Free(out...)
		if err != nil {
			return err
		}
	}
	return nil
}

// within says whether a time not before the step from t to end is reached by it.
func within(time, t, end float64) bool { return direction(t, end)*(end-time) >= 0 }

// inside returns the weights of z and of the stages k_1 .. k_s in the state at a time of the step from t to end.
func (m *Method) inside(t, end, time float64) []float64 {
	h := end - t
	weights := append([]float64{1}, m.Interpolant((time-t)/h)...)
	for i := range weights[1:] {
		weights[1+i] *= h
	}
	return weights
}

func zeros(n, m int) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, m)
	}
	return z
}
