package ode

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// inLoops returns the history if loops on the device can replay the rounds: the host took no try, every sample took a
// step, and the saves of a step fit into one call.
func (r *replay) inLoops(plan []pulls) *loopHistory {
	c, ok := r.history.(*loopHistory)
	if !ok || c.byHost || slices.ContainsFunc(r.taken, func(taken []float64) bool { return len(taken) == 0 }) ||
		slices.ContainsFunc(plan, func(p pulls) bool {
			saves := most(p.step)
			return saves > rowsFor(saves, r.final.Shape())
		}) {
		return nil
	}
	return c
}

// unwind replays all rounds by loops, a piece of rounds in each. It takes ownership of sums.
func (r *replay) unwind(c *loopHistory, plan []pulls, sums []*tensors.Tensor) ([]*tensors.Tensor, error) {
	for last := len(plan); last > 0; last -= min(last, loopLength) {
		err := r.cancelled()
		if err == nil {
			sums, err = r.piece(c, plan, max(0, last-loopLength), last, sums)
			r.scratch.Free()
		}
		if err != nil {
			xla.Free(sums...)
			return nil, err
		}
	}
	return sums, nil
}

// piece replays the rounds first .. last-1, last first.
func (r *replay) piece(c *loopHistory, plan []pulls, first, last int, sums []*tensors.Tensor) (
	[]*tensors.Tensor, error) {
	const length = loopLength
	s, batch, rounds := r.solver, len(r.taken), last-first
	spans := make([]float64, length*4*batch)
	from := make([]loopRow, length*batch) // tensor -1 is the final state
	for i := range from {
		from[i].tensor = -1
	}
	for i := range rounds {
		at := r.spans(first + i)
		for b, taken := range r.taken {
			row := &from[i*batch+b]
			switch {
			case first+i < len(taken):
				*row = c.rows[b][first+i]
			case plan[first+i].none(b): // see start
				at.t[b], at.end[b], at.from[b], *row = r.times[b][0], r.times[b][0], r.offsets[b][0], c.rows[b][0]
			}
			for j, v := range []float64{at.t[b], at.from[b], at.end[b], at.to[b]} {
				spans[(4*i+j)*batch+b] = v
			}
		}
	}
	starts, err := r.loopStarts(c, from)
	if err != nil {
		return sums, err
	}
	rows := smallChunk // for the whole plan: other shapes would be compiled again
	for _, pulls := range plan {
		for rows < most(pulls.step) {
			rows *= 2
		}
	}
	stages := s.method.stages()
	coefficients, indices := make([]float64, length*batch*rows*stages), make([]int32, length*batch*rows)
	for i := range rounds {
		for b, saves := range plan[first+i].step {
			for j, save := range saves {
				row := (i*batch+b)*rows + j
				copy(coefficients[row*stages:], save.weights)
				indices[row] = int32(b*len(r.times[b]) + save.index)
			}
		}
	}
	inputs := []any{true, int32(rounds)}
	for _, sum := range sums {
		inputs = append(inputs, xla.Donate(sum))
	}
	fixed := r.scratch.Own(tensors.FromFlatDataAndDimensions(spans, length, 4, batch),
		tensors.FromFlatDataAndDimensions(coefficients, length, batch, rows, stages),
		tensors.FromFlatDataAndDimensions(indices, length, batch, rows))
	inputs = append(inputs, starts, fixed[0], fixed[1], fixed[2], r.cotangent)
	for _, arg := range r.args {
		inputs = append(inputs, arg)
	}
	out, err := s.loopPullback.Call(inputs...)
	if err != nil {
		return nil, err
	}
	xla.Free(out[:2]...)
	r.evaluations += rounds * (stages - 1)
	return out[2:], nil
}

// loopStarts assembles the states in which the samples start the rounds of a piece, [rounds, batch, ...].
func (r *replay) loopStarts(c *loopHistory, from []loopRow) (*tensors.Tensor, error) {
	starts := r.final
	for tensor := range c.held {
		tries := make([]int32, len(from))
		used := false
		for i, row := range from {
			if tries[i] = -1; row.tensor == tensor {
				tries[i], used = row.try, true
			}
		}
		if !used && tensor > 0 {
			continue
		}
		out, err := r.solver.loopStarts.Call(c.held[tensor],
			xla.Donate(tensors.FromFlatDataAndDimensions(tries, loopLength, len(r.taken))), starts)
		if starts != r.final {
			xla.Free(starts)
		}
		if err != nil {
			return nil, err
		}
		starts = out[0]
	}
	r.scratch.Own(starts)
	return starts, nil
}
