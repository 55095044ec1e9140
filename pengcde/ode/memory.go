package ode

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Memory says which states a solve keeps for [Solution.Pullback]. The zero value keeps the state at the start of every
// accepted step, on the device; in loops ([Loop]) of every try, up to the next power of two in each.
//
// With fewer states, the pullback takes the steps between them again, exactly as before. The gradient is the same, to
// the last bit if [LoopHost] drives the solve and the backend computes the field alike in all programs. With c states
// and N steps each step is taken again at most ρ - 1 times, where N < (c + ρ choose c): 32 states serve 6544 steps,
// each taken again at most twice. If the steps are known in advance ([Constant] and [Given]), the choice of states
// minimises the total work. Otherwise states are thinned out during the solve, which takes up to 1.3 times as many
// steps in all. [Solver.Plan] predicts the counts.
type Memory struct {
	// Checkpoints is the maximum number of states [batch, ...] kept, z0 included; 0 sets no limit.
	Checkpoints int
	// Bytes limits the total size of the states kept. It must be at least the size of one state; 0 sets no limit. If
	// Checkpoints is set too, the smaller limit holds. The states that a step works on, and Z, are not counted here but
	// in [Plan].
	Bytes int64
	// Host keeps the states in host memory instead of device memory.
	Host bool
}

// limit returns the maximum number of states of a problem, 0 for no limit.
func (p Problem) limit() (int, error) {
	m := p.Memory
	if m.Checkpoints < 0 || m.Bytes < 0 {
		return 0, errs.New(ErrInput, "pengcde/ode: Memory with %d checkpoints and %d bytes, want 0 (no limit) or more",
			m.Checkpoints, m.Bytes)
	}
	if m != (Memory{}) && (p.Interpolant || p.Forget) {
		return 0, errs.New(ErrInput, "pengcde/ode: Memory beside Interpolant, which keeps all states, or Forget, which "+
			"keeps none: leave one out")
	}
	limit := m.Checkpoints
	if m.Bytes > 0 {
		size := stateBytes(p.Z0)
		if m.Bytes < size {
			return 0, errs.New(ErrInput, "pengcde/ode: Memory of %d bytes, want at least the %d of one state", m.Bytes, size)
		}
		if fit := int(m.Bytes / size); limit == 0 || fit < limit {
			limit = fit
		}
	}
	return min(limit, enough), nil
}

func stateBytes(z *tensors.Tensor) int64 { return int64(z.Shape().ByteSize()) }

// history stores states of a solve for the replay.
type history interface {
	// add takes ownership of state z of the batch. The samples marked in by took their latest step from it.
	add(z *tensors.Tensor, samples []sample, by []bool) error
	// starts returns for each sample a state of the batch in which it starts a round. Only the sample's own row is
	// meaningful, and no row if the sample has no such round. States that are not kept are freed with the replay's
	// scratch. Rounds must come in descending order.
	starts(r *replay, round int) ([]*tensors.Tensor, error)
	// first returns the same as starts for round 0, and may be called at any time.
	first(r *replay) ([]*tensors.Tensor, error)
	// states returns the number of states kept.
	states() int
	free()
}

// newHistory returns the history that fits the options of a run.
func (m *integration) newHistory(p Problem, stepTo [][]float64) (history, error) {
	limit, err := p.limit()
	if err != nil || p.Forget {
		return nil, err
	}
	if m.capacity > 0 {
		return &loopHistory{solver: m.solver, rows: make([][]loopRow, len(m.times))}, nil
	}
	if limit == 0 && !p.Memory.Host {
		return &trail{}, nil
	}
	c := &checkpoints{solver: m.solver, host: p.Memory.Host, limit: limit, policy: everything}
	if limit > 0 {
		ends, _, known, err := m.solver.knownSteps(m.control, m.times, stepTo, p.Continuous)
		if err != nil {
			return nil, err
		}
		c.policy = newCheckpointPolicy(limit, most(ends), known)
	}
	return c, nil
}

// most returns the length of the longest row.
func most[T any](rows [][]T) int {
	n := 0
	for _, row := range rows {
		n = max(n, len(row))
	}
	return n
}

// trail is a [history] that stores every step: for each sample and accepted step, the state of the batch at the start
// of the sample's step.
type trail struct {
	from  [][]*tensors.Tensor // [batch, ...]; only the sample's own row is meaningful
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

func (r *trail) starts(_ *replay, round int) ([]*tensors.Tensor, error) {
	from := make([]*tensors.Tensor, len(r.from))
	for b, states := range r.from {
		if round < len(states) {
			from[b] = states[round]
		}
	}
	return from, nil
}

func (r *trail) first(*replay) ([]*tensors.Tensor, error) { return r.starts(nil, 0) }

func (r *trail) states() int { return r.count }

func (r *trail) free() {
	r.owned.Free()
	r.from, r.count = nil, 0
}
