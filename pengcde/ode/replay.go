package ode

import (
	"context"
	"fmt"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// replay goes backwards through the accepted steps. Round r takes the r-th step of every sample; a sample with fewer
// steps stands still at its final state. Since the last stage of a step is the first of the next, the cotangent that
// saves put on it is given to the first stage of round r+1.
type replay struct {
	*Solution
	ctx       context.Context
	cotangent *tensors.Tensor
	scratch   xla.Buffers
}

// pulled is a save seen from a round: the save time's index, and the weights of z and k_1 .. k_(s-1).
type pulled struct {
	place   int
	weights []float64
}

func (r *replay) run() (*Gradients, error) {
	s := r.solver
	pulls := r.plan()
	stateShape := r.trail.final.Shape()
	dz := tensors.FromShape(stateShape)
	sums := make([]*tensors.Tensor, len(s.wrt))
	for i, arg := range s.wrt {
		sums[i] = tensors.FromShape(r.args[arg].Shape())
	}
	dims := append([]int{stateShape.Dimensions[0], s.method.stages()}, stateShape.Dimensions[1:]...)
	none := tensors.FromShape(shapes.Make(stateShape.DType, dims...))
	r.scratch.Own(none)

	for round := len(pulls) - 1; round >= 0; round-- {
		if err := r.ctx.Err(); err != nil {
			xla.Free(append(sums, dz)...)
			return nil, &Failure{Code: Cancelled, Cause: err}
		}
		out, err := r.step(round, pulls[round], none, dz, sums)
		if err != nil {
			xla.Free(append(sums, dz)...)
			return nil, fmt.Errorf("pengcde/ode: pullback: %w", err)
		}
		dz, sums = out[0], out[1:]
	}
	g := &Gradients{Z0: dz, Args: make([]*tensors.Tensor, len(r.args))}
	for i, arg := range s.wrt {
		g.Args[arg] = sums[i]
	}
	return g, nil
}

// step replays one round; it takes over dz and sums.
func (r *replay) step(round int, pulls [][]pulled, none, dz *tensors.Tensor, sums []*tensors.Tensor) ([]*tensors.Tensor, error) {
	var owned xla.Buffers
	defer owned.Free()
	t, end, z, err := r.start(round, pulls, &owned)
	if err != nil {
		return nil, err
	}
	parts, err := r.pull(pulls, none, &owned)
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
	return r.solver.vectorJacob.Call(inputs...)
}

// start returns the times and the state from which each sample takes its step of this round.
func (r *replay) start(round int, pulls [][]pulled, owned *xla.Buffers) (t, end []float64, z *tensors.Tensor, err error) {
	batch := len(r.times)
	t, end = make([]float64, batch), make([]float64, batch)
	from := make([]*tensors.Tensor, batch)
	for b := range batch {
		last := r.end(b)
		t[b], end[b], from[b] = last, last, r.trail.final
		steps := r.trail.stepsOf(b)
		switch {
		case round < len(steps):
			t[b], end[b], from[b] = steps[round].t, steps[round].end, steps[round].start
		case r.Failures[b] != nil && len(steps) > 0 && len(pulls[b]) == 0:
			// The field may not be finite where the sample failed, but it is where an accepted step began.
			started := steps[len(steps)-1]
			t[b], end[b], from[b] = started.t, started.t, started.start
		}
	}
	z = from[0]
	done := map[*tensors.Tensor]bool{z: true}
	for _, other := range from {
		if done[other] {
			continue
		}
		done[other] = true
		choose := make([]bool, batch)
		for b := range choose {
			choose[b] = from[b] == other
		}
		out, err := r.solver.choose.Call(choose, other, z)
		if err != nil {
			return nil, nil, nil, err
		}
		z = owned.Own(out...)[0]
	}
	return t, end, z, nil
}

// pull turns the cotangents of a round's saves into cotangents of z and of the stages.
func (r *replay) pull(pulls [][]pulled, none *tensors.Tensor, owned *xla.Buffers) (*tensors.Tensor, error) {
	parts := none
	for chunk := 0; ; chunk += rows {
		found := false
		coefficients, places := make([][][]float64, len(pulls)), make([][]int32, len(pulls))
		for b := range pulls {
			coefficients[b], places[b] = zeros(rows, r.solver.method.stages()), make([]int32, rows)
			for row := 0; row < rows && chunk+row < len(pulls[b]); row++ {
				found = true
				coefficients[b][row] = pulls[b][chunk+row].weights
				places[b][row] = int32(b*len(r.times[b]) + pulls[b][chunk+row].place)
			}
		}
		if !found {
			return parts, nil
		}
		out, err := r.solver.pull.Call(coefficients, places, r.cotangent, parts)
		if err != nil {
			return nil, err
		}
		parts = owned.Own(out...)[0]
	}
}

// plan lists the saves that each round and sample has to pull back.
func (r *replay) plan() [][][]pulled {
	n := r.solver.method.stages()
	rounds := max(r.trail.rounds(), 1)
	plan := make([][][]pulled, rounds+1)
	for round := range plan {
		plan[round] = make([][]pulled, len(r.times))
	}
	extra := false
	for b, row := range r.times {
		next := 0
		for ; next < len(row) && row[next] == row[0]; next++ {
			plan[0][b] = append(plan[0][b], pulled{next, append([]float64{1}, make([]float64, n-1)...)})
		}
		for round, step := range r.trail.stepsOf(b) {
			for ; next < len(row) && within(row[next], step.t, step.end); next++ {
				weights := r.solver.method.inside(step.t, step.end, row[next])
				plan[round][b] = append(plan[round][b], pulled{next, weights[:n]})
				if last := weights[n]; last != 0 {
					carried := make([]float64, n)
					carried[1] = last
					plan[round+1][b] = append(plan[round+1][b], pulled{next, carried})
					extra = extra || round+1 == rounds
				}
			}
		}
	}
	if !extra {
		plan = plan[:rounds]
	}
	return plan
}
