package ode

import (
	"context"
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/meter"
	"github.com/peng-cde/pengcde-go/xla"
)

// twisted is a field with a large arg.
func twisted(_, z *Node, args []*Node) *Node {
	return Mul(Sin(z), ExpandLeftToRank(args[0], z.Rank()))
}

// evenly returns count times from 0 to t1 with equal spacing.
func evenly(t1 float64, count int) []float64 {
	times := make([]float64, count)
	for i := range times {
		times[i] = t1 * float64(i) / float64(count-1)
	}
	return times
}

// The device and host memory of a solve and its pullback, counted buffer by buffer, is never more than the plan, and
// equals it if the steps are known, except in loops on the device.
func TestPlanAgainstWhatIsHeld(t *testing.T) {
	const width = 1000
	plain, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plain.Close)
	for _, c := range []struct{ batch, saves int }{{1, 2}, {3, 40}} {
		batch := c.batch
		for name, config := range map[string]Config{"constant": {StepSize: Constant{0.05}},
			"few long steps": {StepSize: Constant{0.7}}, "adaptive": {StepSize: PID{RTol: 1e-7, ATol: 1e-9}},
			"constant, in loops": {StepSize: Constant{0.05}, Loop: LoopDevice},
			"adaptive, in loops": {StepSize: PID{RTol: 1e-7, ATol: 1e-9}, Loop: LoopDevice}} {
			config.MaxSteps = 200
			m := &meter.Backend{Backend: plain.Compute, Small: width * 8}
			backend := xla.Wrap(m)
			s, err := New(backend, twisted, config)
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
			for _, choice := range append(memories[:len(memories):len(memories)], Memory{Checkpoints: 12, Host: true},
				Memory{Checkpoints: -1}, Memory{Checkpoints: -2}) {
				p.Memory, p.Interpolant, p.Forget = choice, choice.Checkpoints == -1, choice.Checkpoints == -2
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
				before := m.Live
				m.Peak = m.Live
				sol, err := s.Run(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				held, onHost := m.Peak-before, hostBytes(sol)
				if !p.Forget {
					cotangent := tensors.FromFlatDataAndDimensions(cosines(sol.Z.Size()), sol.Z.Shape().Dimensions...)
					own := int64(cotangent.Shape().ByteSize())
					if err := cotangent.MaterializeOnDevice(m, true, 0); err != nil {
						t.Fatal(err)
					}
					m.Peak = m.Live
					g, err := sol.Pullback(context.Background(), cotangent)
					if err != nil {
						t.Fatal(err)
					}
					held = max(held, m.Peak-before-own)
					g.Free()
					xla.Free(cotangent)
				}
				onHost = max(onHost, hostBytes(sol))
				sol.Close()
				if m.Live != before {
					t.Errorf("%d bytes were left on the device", m.Live-before)
				}
				label := fmt.Sprintf("batch %d, %s, %+v, dense %t, forget %t", batch, name, p.Memory, p.Interpolant, p.Forget)
				if held > plan.DeviceBytes || onHost > plan.HostBytes {
					t.Errorf("%s: held %d bytes on the device and %d on the host, plan %d and %d", label, held, onHost,
						plan.DeviceBytes, plan.HostBytes)
				}
				if plan.Exact && s.loopCapacity(s.control, p, nil) == 0 && (held != plan.DeviceBytes || onHost != plan.HostBytes) {
					t.Errorf("%s: held %d bytes on the device and %d on the host, plan exactly %d and %d", label, held, onHost,
						plan.DeviceBytes, plan.HostBytes)
				}
			}
		}
	}
}

// hostBytes returns the bytes currently kept for the pullback on the host.
func hostBytes(sol *Solution) (bytes int64) {
	if c, ok := sol.history.(*checkpoints); ok {
		for _, k := range c.kept {
			bytes += int64(cap(k.bytes))
		}
	}
	return bytes
}
