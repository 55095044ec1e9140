package ode

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// checkpoints is a [history] that stores the states of selected rounds. The state of round r holds each sample after r
// accepted steps. Samples get there at different tries, so the state is assembled row by row. Rows of samples with
// fewer steps are meaningless.
type checkpoints struct {
	solver *Solver
	limit  int // 0 means no limit
	host   bool
	policy checkpointPolicy
	begun  int // rounds that at least one sample has begun
	kept   []checkpoint
	shape  shapes.Shape
}

// checkpoint is the state at the start of a round, on the device or on the host.
type checkpoint struct {
	round int
	z     *tensors.Tensor
	bytes []byte
}

func (c *checkpoints) add(z *tensors.Tensor, samples []sample, by []bool) error {
	held := false
	defer func() {
		if !held {
			xla.Free(z)
		}
	}()
	c.shape = z.Shape()
	arrived := map[int][]bool{} // by round: the samples that reached its start
	for b := range by {
		if !by[b] {
			continue
		}
		round := len(samples[b].taken) - 1
		if arrived[round] == nil {
			arrived[round] = make([]bool, len(by))
		}
		arrived[round][b] = true
	}
	for round, rows := range arrived {
		if round == c.begun {
			c.begun++
			gone := c.policy(c.begun)
			if gone == round {
				continue
			}
			if i := c.find(gone); i >= 0 {
				xla.Free(c.kept[i].z)
				c.kept = slices.Delete(c.kept, i, i+1)
			}
			if err := c.keep(round, z); err != nil {
				return err
			}
			held = !c.host
		} else if i := c.find(round); i >= 0 {
			if err := c.merge(&c.kept[i], z, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checkpoints) find(round int) int {
	return slices.IndexFunc(c.kept, func(k checkpoint) bool { return k.round == round })
}

// keep stores z: it takes ownership on the device, or copies z to the host.
func (c *checkpoints) keep(round int, z *tensors.Tensor) error {
	k := checkpoint{round: round, z: z}
	if c.host {
		k.z, k.bytes = nil, make([]byte, z.Shape().ByteSize())
		if err := z.ConstBytes(func(data []byte) { copy(k.bytes, data) }); err != nil {
			return err
		}
	}
	c.kept = append(c.kept, k)
	return nil
}

// merge copies the given rows of z into a stored state.
func (c *checkpoints) merge(k *checkpoint, z *tensors.Tensor, rows []bool) error {
	if c.host {
		size := len(k.bytes) / len(rows)
		return z.ConstBytes(func(source []byte) {
			for b, chosen := range rows {
				if chosen {
					copy(k.bytes[b*size:(b+1)*size], source[b*size:])
				}
			}
		})
	}
	out, err := c.solver.together(rowsOf(rows, z, k.z))
	if err != nil {
		return err
	}
	xla.Free(k.z)
	k.z = out[0]
	return nil
}

// starts takes steps again from the last stored state before the round, and stores further states on the way if there
// is space. States after the round are freed, unless all states are stored. The first state always stays, so that a
// later replay can start from it.
func (c *checkpoints) starts(r *replay, round int) ([]*tensors.Tensor, error) {
	if len(c.kept) < c.begun {
		for last := len(c.kept) - 1; c.kept[last].round > round; last-- {
			xla.Free(c.kept[last].z)
			c.kept = c.kept[:last]
		}
	}
	i := len(c.kept) - 1
	for c.kept[i].round > round {
		i--
	}
	at := c.kept[i].round
	z := c.load(c.kept[i], &r.scratch)
	for at != round {
		to, keep := next(at, round, len(c.kept), c.limit)
		from := z
		var err error
		if z, err = r.again(from, at, to); err != nil {
			return nil, err
		}
		if c.host { // the stored state is a copy
			xla.Free(from)
		}
		if at = to; keep {
			if err := c.keep(to, z); err != nil {
				xla.Free(z)
				return nil, err
			}
		}
		if !keep || c.host {
			r.scratch.Own(z)
		}
	}
	return c.all(z), nil
}

func (c *checkpoints) first(r *replay) ([]*tensors.Tensor, error) {
	return c.all(c.load(c.kept[0], &r.scratch)), nil
}

func (c *checkpoints) all(z *tensors.Tensor) []*tensors.Tensor {
	return slices.Repeat([]*tensors.Tensor{z}, c.shape.Dimensions[0])
}

// load returns a stored state as a tensor on the device.
func (c *checkpoints) load(k checkpoint, scratch *xla.Buffers) *tensors.Tensor {
	if !c.host {
		return k.z
	}
	z := tensors.FromShape(c.shape)
	bytesOf(z, func(data []byte) { copy(data, k.bytes) })
	return scratch.Own(z)[0]
}

func (c *checkpoints) states() int { return len(c.kept) }

func (c *checkpoints) free() {
	for _, k := range c.kept {
		xla.Free(k.z)
	}
	c.kept = nil
}
