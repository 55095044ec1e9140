package ode

import (
	"context"
	"errors"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// replay goes backwards through the accepted steps. Round r takes the r-th step of every sample; a sample with fewer
// steps stands still at its final state. Since the last stage of a step is the first of the next, the cotangent that
// saves put on it is given to the first stage of round r+1.
type replay struct {
	*Solution
	ctx       context.Context
	cotangent *tensors.Tensor
	scratch   xla.Buffers // of a round
	ones      *tensors.Tensor

	replayed, evaluations int
}

// pulled is a save seen from a round: the save time's index, and the weights of z and k_1 .. k_(s-1).
type pulled struct {
	place   int
	weights []float64
}

func (r *replay) run() (*Gradients, error) {
	s := r.solver
	pulls := s.method.plan(r.times, r.taken)
	stateShape := r.final.Shape()
	dz := tensors.FromShape(stateShape)
	sums := make([]*tensors.Tensor, len(s.wrt))
	for i, arg := range s.wrt {
		sums[i] = tensors.FromShape(r.args[arg].Shape())
	}
	dims := append([]int{stateShape.Dimensions[0], s.method.stages()}, stateShape.Dimensions[1:]...)
	none := tensors.FromShape(shapes.Make(stateShape.DType, dims...))
	r.ones = tensors.FromValue(slices.Repeat([]float64{1}, len(r.times))) // tolerances of steps whose error is not used
	defer xla.Free(none, r.ones)

	for round := len(pulls) - 1; round >= 0; round-- {
		if err := r.ctx.Err(); err != nil {
			xla.Free(append(sums, dz)...)
			return nil, &Failure{Code: Cancelled, Cause: err, Pullback: true}
		}
		out, err := r.step(round, pulls[round], none, dz, sums)
		if err != nil {
			xla.Free(append(sums, dz)...)
			if errors.Is(err, Cancelled) {
				return nil, err
			}
			return nil, errs.In("pengcde/ode: pullback", err)
		}
		dz, sums = out[0], out[1:]
	}
	g := &Gradients{Z0: dz, Args: make([]*tensors.Tensor, len(r.args)), Replayed: r.replayed, Evaluations: r.evaluations}
	for i, arg := range s.wrt {
		g.Args[arg] = sums[i]
	}
	return g, nil
}

// step replays one round; it takes over dz and sums.
func (r *replay) step(round int, pulls [][]pulled, none, dz *tensors.Tensor, sums []*tensors.Tensor) ([]*tensors.Tensor, error) {
	defer r.scratch.Free()
	t, end, z, err := r.start(round, pulls)
	if err != nil {
		return nil, err
	}
	parts, err := r.pull(pulls, none)
	if err != nil {
		return nil, err
	}
	inputs := []any{t, end, z, xla.Donate(dz), parts}
	for _, arg := range r.args {
		inputs = append(inputs, arg)
	}
	for _, sum := range sums {
		inputs = append(inputs, xla.Donate(sum))
	}
	r.evaluations += r.solver.method.stages() - 1
	return r.solver.vectorJacob.Call(inputs...)
}

// start returns the times and the state from which each sample takes its step of this round.
func (r *replay) start(round int, pulls [][]pulled) (t, end []float64, z *tensors.Tensor, err error) {
	t, end = r.span(round)
	from := slices.Repeat([]*tensors.Tensor{r.final}, len(t))
	var started, first []*tensors.Tensor
	if round < most(r.taken) {
		if started, err = r.history.starts(r, round); err != nil {
			return nil, nil, nil, err
		}
	}
	for b, taken := range r.taken {
		switch {
		case round < len(taken):
			from[b] = started[b]
		case r.Failures[b] != nil && len(taken) > 0 && len(pulls[b]) == 0:
			// The field may not be finite where the sample failed, but it is where it began. Nothing is pulled back there.
			if first == nil {
				first = r.history.first(r)
			}
			t[b], end[b], from[b] = r.times[b][0], r.times[b][0], first[b]
		}
	}
	z = from[0]
	if slices.ContainsFunc(from, func(other *tensors.Tensor) bool { return other != z }) {
		out, err := r.solver.together(from)
		if err != nil {
			return nil, nil, nil, err
		}
		z = r.scratch.Own(out...)[0]
	}
	return t, end, z, nil
}

// pull turns the cotangents of a round's saves into cotangents of z and of the stages.
func (r *replay) pull(pulls [][]pulled, none *tensors.Tensor) (*tensors.Tensor, error) {
	parts := none
	most := 0
	for _, saves := range pulls {
		most = max(most, len(saves))
	}
	for chunk := 0; chunk < most; chunk += rows {
		coefficients, places := make([][][]float64, len(pulls)), make([][]int32, len(pulls))
		for b := range pulls {
			coefficients[b], places[b] = zeros(rows, r.solver.method.stages()), make([]int32, rows)
			for row := 0; row < rows && chunk+row < len(pulls[b]); row++ {
				coefficients[b][row] = pulls[b][chunk+row].weights
				places[b][row] = int32(b*len(r.times[b]) + pulls[b][chunk+row].place)
			}
		}
		out, err := r.solver.pull.Call(coefficients, places, r.cotangent, parts)
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

// span returns the start and the end of each sample's step of a round, both its last time where it has none.
func (s *Solution) span(round int) (t, end []float64) {
	for b, taken := range s.taken {
		switch {
		case round >= len(taken):
			t, end = append(t, s.end(b)), append(end, s.end(b))
		case round == 0:
			t, end = append(t, s.times[b][0]), append(end, taken[0])
		default:
			t, end = append(t, taken[round-1]), append(end, taken[round])
		}
	}
	return t, end
}

// again takes rounds again from the state at the start of one and returns that at the start of another.
func (r *replay) again(z *tensors.Tensor, from, to int) (*tensors.Tensor, error) {
	s := r.solver
	t, end := r.span(from)
	out, err := call(s.first, r.args, t, z)
	if err != nil {
		return nil, err
	}
	r.evaluations++
	slope := out[0]
	for round := from; round < to; round++ {
		if round > from {
			if err := r.ctx.Err(); err != nil {
				xla.Free(z, slope)
				return nil, &Failure{Code: Cancelled, Cause: err, Pullback: true}
			}
			t, end = r.span(round)
		}
		out, err := call(s.step, r.args, t, end, z, slope, r.ones, r.ones)
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

// plan lists the saves that each round and sample has to pull back, for save times and the ends of steps. There is one
// round more than steps where a save inside the last step weighs its last stage.
func (m *Method) plan(times, taken [][]float64) [][][]pulled {
	n := m.stages()
	rounds := max(most(taken), 1)
	plan := make([][][]pulled, rounds+1)
	for round := range plan {
		plan[round] = make([][]pulled, len(times))
	}
	extra := false
	for b, row := range times {
		next, t := 0, row[0]
		for ; next < len(row) && row[next] == row[0]; next++ {
			plan[0][b] = append(plan[0][b], pulled{next, append([]float64{1}, make([]float64, n-1)...)})
		}
		for round, end := range taken[b] {
			for ; next < len(row) && within(row[next], t, end); next++ {
				weights := m.inside(t, end, row[next])
				plan[round][b] = append(plan[round][b], pulled{next, weights[:n]})
				if last := weights[n]; last != 0 {
					carried := make([]float64, n)
					carried[1] = last
					plan[round+1][b] = append(plan[round+1][b], pulled{next, carried})
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
