package ode

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// checkpoints is the [history] of some rounds. Round r starts with each sample where it stands after r accepted steps,
// which samples reach at different tries; the round's state is put together as they do. Rows of samples with fewer
// steps mean nothing.
type checkpoints struct {
	solver *Solver
	limit  int // 0 for any number
	host   bool
	policy checkpointPolicy
	begun  int // rounds that some sample has begun
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
	arrived := map[int][]bool{} // by round, the samples that have come to its start
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

// keep keeps z, which it takes over on the device and copies to the host.
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

// merge takes rows of z into a state.
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

// starts takes steps again from the last state kept before the round, and keeps some on the way where there is room.
// A state that was passed makes room, unless all are kept. The first always stays, so that a later replay can start
// again.
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
		if c.host { // a copy is kept
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

func (c *checkpoints) first(r *replay) []*tensors.Tensor { return c.all(c.load(c.kept[0], &r.scratch)) }

func (c *checkpoints) all(z *tensors.Tensor) []*tensors.Tensor {
	return slices.Repeat([]*tensors.Tensor{z}, c.shape.Dimensions[0])
}

// load gives a state to compute with.
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
