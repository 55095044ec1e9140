package ode

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// loopHistory is a [history] of a solve by loops: all states that a loop returned are one tensor.
type loopHistory struct {
	solver *Solver
	held   []*tensors.Tensor // [capacity, batch, ...] of a loop, or [batch, ...] of a try by the host
	rows   [][]loopRow       // for each sample and accepted step
	byHost bool              // some states are from tries by the host
	count  int
}

// loopRow says where a state is: its tensor, and its try in the tensor (0 for a try by the host).
type loopRow struct {
	tensor int
	try    int32
}

// extend takes ownership of the states of a loop. tries lists for each sample the tries that it accepted.
func (c *loopHistory) extend(states *tensors.Tensor, tries [][]int32) {
	c.held = append(c.held, states)
	c.count += states.Shape().Dimensions[0]
	for b, accepted := range tries {
		for _, try := range accepted {
			c.rows[b] = append(c.rows[b], loopRow{len(c.held) - 1, try})
		}
	}
}

func (c *loopHistory) add(z *tensors.Tensor, samples []sample, by []bool) error {
	c.byHost = true
	c.held = append(c.held, z)
	c.count++
	for b := range samples {
		if by[b] {
			c.rows[b] = append(c.rows[b], loopRow{tensor: len(c.held) - 1})
		}
	}
	return nil
}

func (c *loopHistory) starts(r *replay, round int) ([]*tensors.Tensor, error) {
	from, found := make([]*tensors.Tensor, len(c.rows)), map[loopRow]*tensors.Tensor{}
	for b, rows := range c.rows {
		if round >= len(rows) {
			continue
		}
		row := rows[round]
		if states := c.held[row.tensor]; states.Rank() == r.final.Rank() {
			from[b] = states
			continue
		}
		if found[row] == nil {
			out, err := c.solver.loopRow.Call(c.held[row.tensor], row.try)
			if err != nil {
				return nil, err
			}
			found[row] = r.scratch.Own(out...)[0]
		}
		from[b] = found[row]
	}
	return from, nil
}

func (c *loopHistory) first(r *replay) ([]*tensors.Tensor, error) { return c.starts(r, 0) }

func (c *loopHistory) states() int { return c.count }

func (c *loopHistory) free() {
	xla.Free(c.held...)
	c.held, c.rows, c.count = nil, nil, 0
}
