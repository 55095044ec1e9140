package ode

import (
	"bytes"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// saved collects states at save times on the host, in the layout of the result. It works on bytes, so that it serves
// all float types.
type saved struct {
	state shapes.Shape    // [batch, ...]
	z     *tensors.Tensor // [batch, capacity, ...]: NaN where no state is saved yet
	saves int             // used entries of capacity
	start []byte          // the initial states
	blank []byte          // a state of one sample, all NaN
}

// newSaved allocates count states per sample, and grows when more are saved.
func newSaved(z0 *tensors.Tensor, count int) (*saved, error) {
	s := &saved{state: z0.Shape()}
	nan := dtypes.UnsafeByteSliceFromAny(shapes.CastAsDType([]float64{math.NaN()}, z0.DType()))
	s.blank = bytes.Repeat(nan, z0.Size()/s.state.Dimensions[0])
	if err := z0.ConstBytes(func(data []byte) { s.start = bytes.Clone(data) }); err != nil {
		return nil, fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	return s.like(count), nil
}

// like allocates count states per sample with the same initial states.
func (s *saved) like(count int) *saved {
	return &saved{state: s.state, z: s.blanks(count), saves: count, start: s.start, blank: s.blank}
}

// blanks returns a tensor [batch, capacity, ...] of NaN.
func (s *saved) blanks(capacity int) *tensors.Tensor {
	dims := s.state.Dimensions
	z := tensors.FromShape(shapes.Make(s.state.DType, append([]int{dims[0], capacity}, dims[1:]...)...))
	bytesOf(z, func(data []byte) {
		for at := 0; at < len(data); at += len(s.blank) {
			copy(data[at:], s.blank)
		}
	})
	return z
}

func (s *saved) capacity() int { return s.z.Shape().Dimensions[1] }

// lay moves the saved states to a tensor of another capacity.
func (s *saved) lay(capacity int) {
	z, size := s.blanks(capacity), len(s.blank)
	bytesOf(z, func(data []byte) {
		bytesOf(s.z, func(old []byte) {
			for b := range s.state.Dimensions[0] {
				copy(data[b*capacity*size:], old[b*s.capacity()*size:][:s.saves*size])
			}
		})
	})
	s.z = z
}

// bytesOf calls show with the bytes of a host tensor.
func bytesOf(t *tensors.Tensor, show func([]byte)) {
	t.MustMutableFlatData(func(flat any) { show(dtypes.UnsafeByteSliceFromAny(flat)) })
}

// copyRow copies row number row of source to save time i of sample b.
func (s *saved) copyRow(b, i int, source []byte, row int) {
	if i >= s.capacity() {
		s.lay(max(i+1, 2*s.capacity()))
	}
	s.saves = max(s.saves, i+1)
	size := len(s.blank)
	bytesOf(s.z, func(data []byte) { copy(data[(b*s.capacity()+i)*size:], source[row*size:(row+1)*size]) })
}

// take copies the rows of t [batch, rows, ...] to the save times indices[b].
func (s *saved) take(t *tensors.Tensor, indices [][]int) error {
	rows := t.Shape().Dimensions[1]
	return t.ConstBytes(func(source []byte) {
		for b := range indices {
			for row, i := range indices[b] {
				s.copyRow(b, i, source, b*rows+row)
			}
		}
	})
}

// tensor returns [batch, saves, ...], with NaN where a sample has fewer saves than another. It must be the last call.
func (s *saved) tensor() *tensors.Tensor {
	if s.saves < s.capacity() {
		s.lay(s.saves)
	}
	return s.z
}

// save is a save inside a step: its index among the save times, its try in a loop (0 for a step by the host), and the
// weights of z and of the stages k_1 .. k_s.
type save struct {
	index   int
	try     int32
	weights []float64
}

// saves moves past the save times that the sample's step reaches, and returns their indices.
func (sm *sample) saves(times []float64) (indices []int) {
	for ; sm.next < len(times) && within(times[sm.next], sm.t, sm.end); sm.next++ {
		indices = append(indices, sm.next)
	}
	return indices
}

// store saves the states at the save times inside accepted steps.
func (m *integration) store(at spans, parts []*tensors.Tensor, a acceptance) error {
	indices := make([][]int, len(m.samples))
	for b, row := range m.times {
		if a.by[b] {
			indices[b] = m.samples[b].saves(row)
		}
	}
	return m.solver.saveInside(m.saved, at, parts, m.times, indices)
}

// saveInside saves the states at the times indices[b] of each sample, which lie inside its step. parts are z and k_1 ..
// k_s of the step.
func (s *Solver) saveInside(saved *saved, at spans, parts []*tensors.Tensor, times [][]float64, indices [][]int) error {
	saves := make([][]save, len(indices))
	for b, row := range indices {
		for _, i := range row {
			saves[b] = append(saves[b], save{index: i, weights: s.method.inside(at.t[b], at.end[b], times[b][i])})
		}
	}
	return s.saveEach(saved, saves, func(_ []int32, _ int, weights any) ([]*tensors.Tensor, error) {
		return call(s.save, parts, weights)
	})
}

// saveEach saves the states of all samples, some rows in each call. states returns [batch, rows, ...] for the tries and
// the weights of the rows, both of the batch.
func (s *Solver) saveEach(saved *saved, saves [][]save,
	states func(tries []int32, rows int, weights any) ([]*tensors.Tensor, error)) error {
	width := 1 + s.method.stages()
	for left := most(saves); left > 0; left = most(saves) {
		rows := rowsFor(left, saved.state)
		tries, weights := make([]int32, len(saves)*rows), make([]float64, len(saves)*rows*width)
		indices := make([][]int, len(saves))
		for b, all := range saves {
			now := all[:min(rows, len(all))]
			saves[b] = all[len(now):]
			for row, save := range now {
				indices[b] = append(indices[b], save.index)
				tries[b*rows+row] = save.try
				copy(weights[(b*rows+row)*width:], save.weights)
			}
		}
		out, err := states(tries, rows, xla.Donate(tensors.FromFlatDataAndDimensions(weights, len(saves), rows, width)))
		if err != nil {
			return err
		}
		err = saved.take(out[0], indices)
		xla.Free(out...)
		if err != nil {
			return err
		}
	}
	return nil
}

// within reports whether the step from t to end reaches time, which is not before t.
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
