// Package meter counts the device memory that a test holds, buffer by buffer, to compare with plans. It does not count
// the memory that compiled programs need while they run.
package meter

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// Backend is a backend that counts its buffers. It may be used from one goroutine at a time.
type Backend struct {
	compute.Backend
	// Small is the smallest size in bytes of a counted buffer.
	Small int64
	// Live is the total size in bytes of the existing buffers, Peak the largest total since Peak was last set.
	Live, Peak int64
}

func (m *Backend) wrap(b compute.Buffer) *buffer {
	shape, err := b.Shape()
	if err != nil {
		panic(err)
	}
	one := &buffer{Buffer: b, meter: m, bytes: int64(shape.ByteSize())}
	if one.bytes < m.Small {
		one.bytes = 0
	}
	m.Live += one.bytes
	m.Peak = max(m.Peak, m.Live)
	return one
}

func (m *Backend) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	b, err := m.Backend.BufferFromFlatData(device, flat, shape)
	if err != nil {
		return nil, err
	}
	return m.wrap(b), nil
}

func (m *Backend) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	b, flat, err := m.Backend.NewSharedBuffer(device, shape)
	if err != nil {
		return nil, nil, err
	}
	return m.wrap(b), flat, nil
}

func (m *Backend) Builder(name string) compute.Builder {
	return builder{m.Backend.Builder(name), m}
}

type buffer struct {
	compute.Buffer
	meter *Backend
	bytes int64
}

func (b *buffer) Backend() compute.Backend { return b.meter }

// gone stops counting the buffer.
func (b *buffer) gone() {
	b.meter.Live -= b.bytes
	b.bytes = 0
}

func (b *buffer) Finalize() error {
	b.gone()
	return b.Buffer.Finalize()
}

type builder struct {
	compute.Builder
	meter *Backend
}

func (b builder) Compile() (compute.Executable, error) {
	e, err := b.Builder.Compile()
	return executable{e, b.meter}, err
}

type executable struct {
	compute.Executable
	meter *Backend
}

func (e executable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) (
	[]compute.Buffer, error) {
	plain := make([]compute.Buffer, len(inputs))
	for i, input := range inputs {
		plain[i] = input.(*buffer).Buffer
	}
	out, err := e.Executable.Execute(plain, donate, device)
	for i := range out {
		out[i] = e.meter.wrap(out[i])
	}
	for i, input := range inputs { // after the outputs, which may not be where the donated were
		if donate != nil && donate[i] {
			input.(*buffer).gone()
		}
	}
	return out, err
}
