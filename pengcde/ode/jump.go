package ode

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// jumper is implemented by [Steps] that adapt the next step to a jump of the field. growth is the norm of the slope
// after the jump divided by the norm before it, scaled by the tolerances.
type jumper interface{ Jumped(growth float64) }

// renewSlope replaces the slope of samples at a jump by the slope on the other side, where the next step starts. It
// returns the integration's own tensor if no sample is at a jump, else a new one.
func (m *integration) renewSlope() (*tensors.Tensor, error) {
	offsets := make([]float64, len(m.samples))
	any := false
	for b := range m.samples {
		if sm := &m.samples[b]; sm.atJump() {
			offsets[b], any = sm.offset, true
			sm.stats.Evaluations++
		}
	}
	if !any {
		return m.slope, nil
	}
	out, err := call(m.solver.afterJump, m.args, m.spans().t, offsets, m.z, m.slope, m.tolerances[0], m.tolerances[1])
	if err != nil {
		return m.slope, err
	}
	defer xla.Free(out[1:]...)
	before, after := tensors.MustCopyFlatData[float64](out[1]), tensors.MustCopyFlatData[float64](out[2])
	for b, offset := range offsets {
		if steps, ok := m.samples[b].steps.(jumper); ok && offset != 0 {
			steps.Jumped(after[b] / before[b])
		}
	}
	return out[0], nil
}

// renewSlope does the same for rounds that are taken again.
func (r *replay) renewSlope(round int, at spans, z, slope *tensors.Tensor) (*tensors.Tensor, error) {
	offsets := make([]float64, len(at.t))
	for b, offset := range at.from {
		if round < len(r.taken[b]) {
			offsets[b] = offset
		}
	}
	if !slices.ContainsFunc(offsets, func(offset float64) bool { return offset != 0 }) {
		return slope, nil
	}
	out, err := call(r.solver.afterJump, r.args, at.t, offsets, z, slope, r.ones, r.ones)
	if err != nil {
		return slope, err
	}
	r.evaluations++
	xla.Free(out[1:]...)
	return out[0], nil
}

// buildAfterJump builds the slopes after a jump: (t, offset [batch], z, slope, rtol, atol, args...) -> (the slope on
// the other side where the offset is not 0, else the given slope; the norms [batch] float64 of the slopes before and
// after).
func (s *Solver) buildAfterJump(in []*Node) []*Node {
	t, offset, z, slope, rtol, atol, args := in[0], in[1], in[2], in[3], in[4], in[5], in[6:]
	jumps := NotEqual(offset, ZerosLike(offset))
	for jumps.Rank() < z.Rank() {
		jumps = ExpandAxes(jumps, -1)
	}
	after := Where(BroadcastToDims(jumps, z.Shape().Dimensions...), s.field(t, offset, z, args), slope)
	scaled := func(k *Node) *Node { return buildScaled([]*Node{z, k, rtol, atol})[1] }
	return []*Node{after, scaled(slope), scaled(after)}
}
