package ode

import (
	"context"
	"errors"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// replay goes backwards through the accepted steps. Round r takes the r-th step of every sample; a sample with fewer
// steps keeps its state. The last stage of a step is the first of the next, so the cotangent of this stage from saves
// goes to the first stage of round r+1. At a jump the two stages differ, and the cotangent has its own pullback.
type replay struct {
	*Solution
	ctx       context.Context
	cotangent *tensors.Tensor
	scratch   xla.Buffers // freed after each round
	ones      *tensors.Tensor
	wrt       []int // indices of the differentiated args

	replayed, evaluations int
}

// pulled is a save within a round: the index of the save time, and the weights of z and k_1 .. k_(s-1).
type pulled struct {
	index   int
	weights []float64
}

func (r *replay) run() (*Gradients, error) {
	s := r.solver
	pulls := s.method.plan(r.times, r.taken, r.offsets)
	state := r.final.Shape()
	sums := []*tensors.Tensor{tensors.FromShape(state)} // cotangents of the state and of the args so far
	for _, arg := range r.wrt {
		sums = append(sums, tensors.FromShape(r.args[arg].Shape()))
	}
	dims := append([]int{state.Dimensions[0], s.method.stages()}, state.Dimensions[1:]...)
	none := tensors.FromShape(shapes.Make(state.DType, dims...))
	r.ones = tensors.FromValue(slices.Repeat([]float64{1}, len(r.times))) // tolerances of steps whose error is not used
	defer xla.Free(none, r.ones)

	if c := r.inLoops(pulls); c != nil {
		return r.result(r.unwind(c, pulls, sums))
	}
	for round := len(pulls) - 1; round >= 0; round-- {
		out, err := r.round(round, pulls[round], none, sums)
		if err != nil {
			xla.Free(sums...)
			return r.result(nil, err)
		}
		sums = out
	}
	return r.result(sums, nil)
}

// result returns the cotangents of the state at the start and of the args.
func (r *replay) result(sums []*tensors.Tensor, err error) (*Gradients, error) {
	if err != nil {
		if !errors.Is(err, Cancelled) {
			err = errs.In("pengcde/ode: pullback", err)
		}
		return nil, err
	}
	g := &Gradients{Z0: sums[0], Args: make([]*tensors.Tensor, len(r.args)), Replayed: r.replayed,
		Evaluations: r.evaluations}
	for i, arg := range r.wrt {
		g.Args[arg] = sums[1+i]
	}
	return g, nil
}

// cancelled returns an error if the context has ended.
func (r *replay) cancelled() error {
	if err := r.ctx.Err(); err != nil {
		return &Failure{Code: Cancelled, Cause: err, Pullback: true}
	}
	return nil
}

// pickRows assembles a state [batch, ...] from rows of x on the host. row returns the index of each sample's row.
func pickRows(x *tensors.Tensor, state shapes.Shape, row func(sample int) int) (*tensors.Tensor, error) {
	picked := tensors.FromShape(state)
	batch := state.Dimensions[0]
	size := int(state.ByteSize()) / batch
	err := x.ConstBytes(func(source []byte) {
		bytesOf(picked, func(data []byte) {
			for b := range batch {
				copy(data[b*size:(b+1)*size], source[row(b)*size:])
			}
		})
	})
	return picked, err
}

// round replays one round. It takes ownership of sums.
func (r *replay) round(round int, pulls pulls, none *tensors.Tensor, sums []*tensors.Tensor) (
	[]*tensors.Tensor, error) {
	defer r.scratch.Free()
	if most(r.taken) == 0 { // all saves are z0, and the field was never evaluated
		parts, err := r.pull(pulls.step, none)
		if err != nil {
			return nil, err
		}
		xla.Free(sums[0])
		sums[0], err = pickRows(parts, r.final.Shape(), func(b int) int { return b * r.solver.method.stages() })
		return sums, err
	}
	if err := r.cancelled(); err != nil {
		return nil, err
	}
	at, z, err := r.start(round, pulls)
	if err != nil {
		return nil, err
	}
	parts, err := r.pull(pulls.step, none)
	if err != nil {
		return nil, err
	}
	r.evaluations += r.solver.method.stages() - 1
	inputs := r.inputs(sums[1:], at.t, at.from, at.end, at.to, z, xla.Donate(sums[0]), parts)
	out, err := r.solver.vectorJacob.Call(inputs...)
	if err != nil || pulls.before == nil {
		return out, err
	}
	if parts != none {
		xla.Free(parts)
	}
	if parts, err = r.pull(pulls.before, none); err != nil {
		xla.Free(out...)
		return nil, err
	}
	for b, saves := range pulls.before {
		if len(saves) > 0 { // the others stay where the field is known to be finite
			at.from[b] = -at.from[b]
		}
	}
	r.evaluations++
	return r.solver.slopeJacob.Call(r.inputs(out[1:], at.t, at.from, z, parts, xla.Donate(out[0]))...)
}

// inputs returns the inputs of a pullback: the given ones, then args and sums.
func (r *replay) inputs(sums []*tensors.Tensor, inputs ...any) []any {
	for _, arg := range r.args {
		inputs = append(inputs, arg)
	}
	for _, sum := range sums {
		inputs = append(inputs, xla.Donate(sum))
	}
	return inputs
}

// start returns the start and end of each sample's step in this round, and the state at its start.
func (r *replay) start(round int, pulls pulls) (at spans, z *tensors.Tensor, err error) {
	at = r.spans(round)
	from := slices.Repeat([]*tensors.Tensor{r.final}, len(at.t))
	var started, first []*tensors.Tensor
	var elsewhere *tensors.Tensor
	if round < most(r.taken) {
		if started, err = r.history.starts(r, round); err != nil {
			return at, nil, err
		}
	}
	for b, taken := range r.taken {
		switch {
		case round < len(taken):
			from[b] = started[b]
		case len(taken) > 0 && pulls.none(b):
			// No cotangent flows back to the end of the sample. Its field or slope need not be finite there, and 0
			// times infinity would be NaN. At its start both are finite, or its gradient is not finite anyway.
			if first == nil {
				if first, err = r.history.first(r); err != nil {
					return at, nil, err
				}
			}
			at.t[b], at.end[b], from[b] = r.times[b][0], r.times[b][0], first[b]
			at.from[b] = r.offsets[b][0]
		case len(taken) == 0:
			// The sample has no other start. The start of another sample serves, since only its own row gets a
			// cotangent.
			if elsewhere == nil {
				moved := slices.IndexFunc(r.taken, func(taken []float64) bool { return len(taken) > 0 })
				if first, err = r.history.first(r); err != nil {
					return at, nil, err
				}
				if elsewhere, err = pickRows(first[moved], r.final.Shape(), func(int) int { return moved }); err != nil {
					return at, nil, err
				}
				r.scratch.Own(elsewhere)
			}
			from[b] = elsewhere
		}
	}
	z = from[0]
	if slices.ContainsFunc(from, func(other *tensors.Tensor) bool { return other != z }) {
		out, err := r.solver.together(from)
		if err != nil {
			return at, nil, err
		}
		z = r.scratch.Own(out...)[0]
	}
	return at, z, nil
}

// pull converts the cotangents of a round's saves to cotangents of z and of the stages.
func (r *replay) pull(pulls [][]pulled, none *tensors.Tensor) (*tensors.Tensor, error) {
	parts := none
	rows, width := 0, r.solver.method.stages()
	for chunk, all := 0, most(pulls); chunk < all; chunk += rows {
		rows = rowsFor(all-chunk, r.final.Shape())
		coefficients, indices := make([]float64, len(pulls)*rows*width), make([]int32, len(pulls)*rows)
		for b := range pulls {
			for row := 0; row < rows && chunk+row < len(pulls[b]); row++ {
				copy(coefficients[(b*rows+row)*width:], pulls[b][chunk+row].weights)
				indices[b*rows+row] = int32(b*len(r.times[b]) + pulls[b][chunk+row].index)
			}
		}
		out, err := r.solver.pull.Call(xla.Donate(tensors.FromFlatDataAndDimensions(coefficients, len(pulls), rows, width)),
			xla.Donate(tensors.FromFlatDataAndDimensions(indices, len(pulls), rows)), r.cotangent, parts)
		if err != nil {
			return nil, err
		}
		if parts != none {
			xla.Free(parts)
		}
		parts = r.scratch.Own(out...)[0]
	}
	return parts, nil
}

// spans holds the steps of the samples in a round: from t to end, and the sides at both.
type spans struct{ t, end, from, to []float64 }

func newSpans(n int) spans {
	return spans{t: make([]float64, n), end: make([]float64, n), from: make([]float64, n), to: make([]float64, n)}
}

// spans returns the steps of a round. Where a sample has no step, t and end are its last time.
func (s *Solution) spans(round int) spans {
	at := newSpans(len(s.taken))
	for b, taken := range s.taken {
		begun := min(round, len(taken))
		at.t[b], at.from[b] = s.times[b][0], s.offsets[b][begun]
		if begun > 0 {
			at.t[b] = taken[begun-1]
		}
		if at.end[b] = at.t[b]; round < len(taken) {
			at.end[b], at.to[b] = taken[round], -s.offsets[b][round+1]
		}
	}
	return at
}

// again takes the rounds from..to again from the state at the start of round from. It returns the state at the start of
// round to.
func (r *replay) again(z *tensors.Tensor, from, to int) (*tensors.Tensor, error) {
	s := r.solver
	at := r.spans(from)
	out, err := call(s.first, r.args, at.t, at.from, z)
	if err != nil {
		return nil, err
	}
	r.evaluations++
	slope := out[0]
	for round := from; round < to; round++ {
		if round > from {
			at = r.spans(round)
			before := slope
			if err = r.cancelled(); err == nil {
				slope, err = r.renewSlope(round, at, z, slope)
			}
			if slope != before {
				xla.Free(before)
			}
		}
		if err == nil {
			out, err = call(s.step, r.args, at.t, at.end, at.to, z, slope, r.ones, r.ones)
		}
		xla.Free(slope)
		if round > from {
			xla.Free(z)
		}
		if err != nil {
			return nil, err
		}
		z, slope = out[0], out[len(out)-1]
		xla.Free(out[1 : len(out)-1]...)
		r.replayed++
		r.evaluations += s.method.stages() - 1
	}
	xla.Free(slope)
	return z, nil
}

// pulls holds the saves of each sample in a round: step holds saves that weight the state at the start of its step and
// its stages; before holds saves that weight the slope with which the previous step reached a jump (nil if no sample
// has any).
type pulls struct{ step, before [][]pulled }

// none reports whether a sample has no saves in the round.
func (p pulls) none(sample int) bool {
	return len(p.step[sample]) == 0 && (p.before == nil || len(p.before[sample]) == 0)
}

// plan lists the saves of each round, given save times, step ends and the offsets there. It has one round more than
// steps if a save inside the last step weights its last stage.
func (m *Method) plan(times, taken, offsets [][]float64) []pulls {
	n := m.stages()
	rounds := max(most(taken), 1)
	plan := make([]pulls, rounds+1)
	for round := range plan {
		plan[round].step = make([][]pulled, len(times))
	}
	extra := false
	for b, row := range times {
		next, t := 0, row[0]
		for ; next < len(row) && row[next] == row[0]; next++ {
			plan[0].step[b] = append(plan[0].step[b], pulled{next, append([]float64{1}, make([]float64, n-1)...)})
		}
		for round, end := range taken[b] {
			for ; next < len(row) && within(row[next], t, end); next++ {
				weights := m.inside(t, end, row[next])
				plan[round].step[b] = append(plan[round].step[b], pulled{next, weights[:n]})
				if last := weights[n]; last != 0 {
					carried := make([]float64, n)
					carried[1] = last
					after := &plan[round+1]
					if offsets[b][round+1] == 0 {
						after.step[b] = append(after.step[b], pulled{next, carried})
					} else {
						if after.before == nil {
							after.before = make([][]pulled, len(times))
						}
						after.before[b] = append(after.before[b], pulled{next, carried})
					}
					extra = extra || round+1 == rounds
				}
			}
			t = end
		}
	}
	if !extra {
		plan = plan[:rounds]
	}
	return plan
}
