package ode

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// trail is what the backward replay needs: for each sample its accepted steps, each with the state of the batch in
// which the sample stood at the step's start.
type trail struct {
	steps [][]stepTaken
	final *tensors.Tensor
	owned xla.Buffers
}

type stepTaken struct {
	t, end float64
	start  *tensors.Tensor // [batch, ...]; only the sample's own row is meant
}

// add takes over state z and records the step that the samples marked in by took from it.
func (r *trail) add(z *tensors.Tensor, samples []sample, by []bool) {
	r.owned.Own(z)
	if r.steps == nil {
		r.steps = make([][]stepTaken, len(samples))
	}
	for b, sm := range samples {
		if by[b] {
			r.steps[b] = append(r.steps[b], stepTaken{t: sm.t, end: sm.end, start: z})
		}
	}
}

// rounds is the largest number of steps of a sample.
func (r *trail) rounds() int {
	most := 0
	for _, steps := range r.steps {
		most = max(most, len(steps))
	}
	return most
}

func (r *trail) free() { r.owned.Free() }

// stepsOf returns the steps of a sample.
func (r *trail) stepsOf(b int) []stepTaken {
	if r.steps == nil {
		return nil
	}
	return r.steps[b]
}
