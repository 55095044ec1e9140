package ode

import (
	"context"
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// meter is a backend that counts the bytes of its large buffers, those of states and gradients, that are there at once.
type meter struct {
	compute.Backend
	small      int64 // buffers of fewer bytes do not count
	live, peak int64
}

func (m *meter) wrap(b compute.Buffer) *metered {
	shape, err := b.Shape()
	if err != nil {
		panic(err)
	}
	one := &metered{Buffer: b, meter: m, bytes: int64(shape.ByteSize())}
	if one.bytes < m.small {
		one.bytes = 0
	}
	m.live += one.bytes
	m.peak = max(m.peak, m.live)
	return one
}

func (m *meter) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	b, err := m.Backend.BufferFromFlatData(device, flat, shape)
	if err != nil {
		return nil, err
	}
	return m.wrap(b), nil
}

func (m *meter) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	b, flat, err := m.Backend.NewSharedBuffer(device, shape)
	if err != nil {
		return nil, nil, err
	}
	return m.wrap(b), flat, nil
}

func (m *meter) Builder(name string) compute.Builder {
	return meteredBuilder{m.Backend.Builder(name), m}
}

type metered struct {
	compute.Buffer
	meter *meter
	bytes int64
}

func (b *metered) Backend() compute.Backend { return b.meter }

// gone stops counting the buffer.
func (b *metered) gone() {
	b.meter.live -= b.bytes
	b.bytes = 0
}

func (b *metered) Finalize() error {
	b.gone()
	return b.Buffer.Finalize()
}

type meteredBuilder struct {
	compute.Builder
	meter *meter
}

func (b meteredBuilder) Compile() (compute.Executable, error) {
	e, err := b.Builder.Compile()
	return meteredExecutable{e, b.meter}, err
}

type meteredExecutable struct {
	compute.Executable
	meter *meter
}

func (e meteredExecutable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	plain := make([]compute.Buffer, len(inputs))
	for i, input := range inputs {
		plain[i] = input.(*metered).Buffer
	}
	out, err := e.Executable.Execute(plain, donate, device)
	for i := range out {
		out[i] = e.meter.wrap(out[i])
	}
	for i, input := range inputs { // after the outputs, which may not be where the donated were
		if donate != nil && donate[i] {
			input.(*metered).gone()
		}
	}
	return out, err
}

// twisted is a field with a large arg.
func twisted(_, z *Node, args []*Node) *Node {
	return Mul(Sin(z), ExpandLeftToRank(args[0], z.Rank()))
}

// evenly are so many times from 0 to t1.
func evenly(t1 float64, count int) []float64 {
	times := make([]float64, count)
	for i := range times {
		times[i] = t1 * float64(i) / float64(count-1)
	}
	return times
}

// What a solve and its pullback hold on the device and on the host, counted buffer by buffer, is never more than the plan, and
// equal to it where the steps are known.
func TestPlanAgainstWhatIsHeld(t *testing.T) {
	const width = 300
	plain, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plain.Close)
	for _, c := range []struct{ batch, saves int }{{1, 2}, {3, 40}} {
		batch := c.batch
		for name, control := range map[string]Control{"constant": Constant{0.05}, "few long steps": Constant{0.7}, "adaptive": PID{RTol: 1e-7, ATol: 1e-9}} {
			m := &meter{Backend: plain.Compute, small: width * 8}
			backend := xla.Wrap(m)
			s, err := New(backend, twisted, Config{Control: control, MaxSteps: 200})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p := Problem{Z0: tensors.FromFlatDataAndDimensions(cosines(batch*width), batch, width),
				Args: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(cosines(width), width)}}
			for b := range batch {
				p.Times = append(p.Times, evenly(2+float64(b), c.saves))
			}
			if err := p.Args[0].MaterializeOnDevice(m, true, 0); err != nil {
				t.Fatal(err)
			}
			for _, choice := range append(memories[:len(memories):len(memories)], Memory{Checkpoints: 12, Host: true}, Memory{Checkpoints: -1}, Memory{Checkpoints: -2}) {
				p.Memory, p.Dense, p.Forget = choice, choice.Checkpoints == -1, choice.Checkpoints == -2
				if choice.Checkpoints < 0 {
					p.Memory = Memory{}
				}
				if p.Memory.Bytes > 0 && p.Memory.Checkpoints > 0 {
					p.Memory.Bytes *= int64(batch) * width / 6
				}
				plan, err := s.Plan(p)
				if err != nil {
					t.Fatal(err)
				}
				before := m.live
				m.peak = m.live
				sol, err := s.Run(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				held, onHost := m.peak-before, hostBytes(sol)
				if !p.Forget {
					cotangent := tensors.FromFlatDataAndDimensions(cosines(sol.Z.Size()), sol.Z.Shape().Dimensions...)
					own := int64(cotangent.Shape().ByteSize())
					if err := cotangent.MaterializeOnDevice(m, true, 0); err != nil {
						t.Fatal(err)
					}
					m.peak = m.live
					g, err := sol.Pullback(context.Background(), cotangent)
					if err != nil {
						t.Fatal(err)
					}
					held = max(held, m.peak-before-own)
					g.Free()
					xla.Free(cotangent)
				}
				onHost = max(onHost, hostBytes(sol))
				sol.Close()
				if m.live != before {
					t.Errorf("%d bytes were left on the device", m.live-before)
				}
				label := fmt.Sprintf("batch %d, %s, %+v, dense %t, forget %t", batch, name, p.Memory, p.Dense, p.Forget)
				if held > plan.DeviceBytes || onHost > plan.HostBytes {
					t.Errorf("%s: held %d bytes on the device and %d on the host, plan %d and %d", label, held, onHost, plan.DeviceBytes, plan.HostBytes)
				}
				if plan.Exact && (held != plan.DeviceBytes || onHost != plan.HostBytes) {
					t.Errorf("%s: held %d bytes on the device and %d on the host, plan exactly %d and %d", label, held, onHost, plan.DeviceBytes, plan.HostBytes)
				}
			}
		}
	}
}

// hostBytes is what is kept for the pullback on the host now.
func hostBytes(sol *Solution) (bytes int64) {
	if c, ok := sol.history.(*checkpoints); ok {
		for _, k := range c.kept {
			bytes += int64(cap(k.bytes))
		}
	}
	return bytes
}
