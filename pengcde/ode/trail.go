package ode

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// trail is the [history] of every step: for each sample and accepted step, the state of the batch in which the sample
// stood at the step's start.
type trail struct {
	from  [][]*tensors.Tensor // [batch, ...]; only the sample's own row is meant
	owned xla.Buffers
	count int
}

func (r *trail) add(z *tensors.Tensor, samples []sample, by []bool) error {
	r.owned.Own(z)
	r.count++
	if r.from == nil {
		r.from = make([][]*tensors.Tensor, len(samples))
	}
	for b := range samples {
		if by[b] {
			r.from[b] = append(r.from[b], z)
		}
	}
	return nil
}

func (r *trail) starts(_ *replay, round int) ([]*tensors.Tensor, error) { return r.at(round), nil }

func (r *trail) first(*replay) []*tensors.Tensor { return r.at(0) }

func (r *trail) at(round int) []*tensors.Tensor {
	from := make([]*tensors.Tensor, len(r.from))
	for b, states := range r.from {
		if round < len(states) {
			from[b] = states[round]
		}
	}
	return from
}

func (r *trail) states() int { return r.count }

func (r *trail) free() {
	r.owned.Free()
	r.from, r.count = nil, 0
}
