package pengcde

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/humanize"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Plan estimates the cost of training, in bytes of memory and evaluations of the field.
type Plan struct {
	// Solve is the plan of the batch that takes most memory, not counting Data: evaluations of the field, steps and
	// kept states. It is nil for a network in discrete steps, which has no solve. With adaptive steps it counts the
	// evaluations of the planned steps; each rejected step takes Solve.StepEvaluations more.
	Solve *ode.Plan
	// Data is the size of the batches, which stay on the device. Saves is the size of the states at the save times,
	// which their cotangents replace after the loss, or of the states between the blocks of a recurrent network.
	// Parameters is the size of the parameters with their gradients and AdamW's two moments. All three are computed
	// from shapes.
	Data, Saves, Parameters int64
	// Temporary estimates the memory that the largest compiled program needs while it runs, see
	// [xla.Program.Temporary]. For the loss it includes the cotangents of the states at the save times.
	Temporary int64
	// DeviceBytes is the sum of these and Solve.DeviceBytes, the largest amount on the device at once. HostBytes is the
	// memory of the host in addition: the states at the save times, and Solve.HostBytes. On a CPU both are memory of
	// the process. Not counted are the process itself, the compiler and its output, memory that the allocators keep or
	// that Go's collector has not freed yet, and the batches of validation, whose Data stays on the device as well.
	DeviceBytes, HostBytes int64
}

// String returns the plan as one line of text.
func (p *Plan) String() string {
	if p.Solve == nil {
		return fmt.Sprintf("%s on the device: data %s, parameters %s, programs about %s", humanize.Bytes(p.DeviceBytes),
			humanize.Bytes(p.Data), humanize.Bytes(p.Parameters), humanize.Bytes(p.Temporary))
	}
	evaluations, steps := 0, 0
	for b, one := range p.Solve.Evaluations {
		evaluations += one
		steps = max(steps, p.Solve.Steps[b])
	}
	planned := "" // with adaptive steps
	if !p.Solve.Exact {
		planned = " accepted"
	}
	return fmt.Sprintf("%s on the device: data %s, states at save times %s, states of the solve %s, parameters %s, "+
		"programs about %s; %s on the host; with %d steps%s %d evaluations of the field forward, in %d samples, and %d "+
		"of the batch in the pullback",
		humanize.Bytes(p.DeviceBytes), humanize.Bytes(p.Data), humanize.Bytes(p.Saves), humanize.Bytes(p.Solve.DeviceBytes),
		humanize.Bytes(p.Parameters), humanize.Bytes(p.Temporary), humanize.Bytes(p.HostBytes),
		steps, planned, evaluations, len(p.Solve.Evaluations), p.Solve.PullbackEvaluations)
}

// Plan estimates the cost of [Model.Fit] on these windows in batches of the given size (0 means 1), without solving or
// compiling. The number of adaptive steps is not known in advance: the plan assumes that each sample accepts the given
// number of steps, such as the number in a shorter run; 0 means the bound, Config.MaxSteps. For constant steps the
// argument is ignored.
//
// It makes every batch once, one after the other, and builds the graphs of a step, which takes seconds, not minutes.
func (m *Model) Plan(training []dyngraph.Window, batchSize, steps int) (*Plan, error) {
	switch {
	case m.params == nil:
		return nil, ErrClosed
	case len(training) == 0 || batchSize < 0 || steps < 0:
		return nil, invalid("plan for %d windows in batches of %d with %d steps, want at least one window, and no negative "+
			"numbers", len(training), batchSize, steps)
	}
	config := m.config
	if config.Adaptive != nil && steps > 0 {
		config.MaxSteps = steps
	}
	n, _, err := config.network(m.backend)
	if err != nil {
		return nil, err
	}
	defer n.close()
	size := min(max(batchSize, 1), len(training))
	temporary := make(measured)
	largest, data, host := &Plan{}, int64(0), int64(0)
	for part := range slices.Chunk(training, size) {
		p, err := m.planBatch(n, part, size, temporary)
		if err != nil {
			return nil, err
		}
		data += p.Data
		host = max(host, p.HostBytes)
		if p.DeviceBytes-p.Data > largest.DeviceBytes-largest.Data {
			largest = p
		}
	}
	largest.DeviceBytes += data - largest.Data
	largest.Data, largest.HostBytes = data, host
	return largest, nil
}

// planBatch plans one batch.
func (m *Model) planBatch(n network, part []dyngraph.Window, size int, temporary measured) (*Plan, error) {
	made, err := batches(nil, size, source{m, part, nil})
	for _, b := range made {
		defer b.free()
	}
	if err != nil {
		return nil, err
	}
	return n.plan(m.params, made[0], temporary)
}

// trained returns the bytes of parameters with their gradients and AdamW's two moments.
func trained(params []*tensors.Tensor) (bytes int64) {
	for _, shape := range shapesOf(params...) {
		bytes += 4 * int64(shape.ByteSize())
	}
	return bytes
}

func (e *equation) plan(params []*tensors.Tensor, b *batch, temporary measured) (*Plan, error) {
	c, err := e.compile(b.form)
	if err != nil {
		return nil, err
	}
	x0, p := b.x0.Shape(), &Plan{}
	z0 := tensors.FromShape(shapes.Make(x0.DType, x0.Dim(0), x0.Dim(1), e.hidden))
	problem := ode.Problem{Z0: z0, Times: b.times, StepTo: b.stops, Continuous: e.smooth(b), Memory: e.memory,
		Args: slices.Concat(e.sections(params).field, b.control)}
	if p.Solve, err = c.solver.Plan(problem); err != nil {
		return nil, errs.In("pengcde", err, ErrInput)
	}
	state, dims := z0.Shape(), z0.Shape().Dimensions
	saved := shapes.Make(state.DType, dims[0], len(b.times[0]), dims[1], dims[2])
	p.Data = b.owned.Bytes()
	p.Saves = int64(saved.ByteSize())
	p.Parameters = trained(params)
	p.HostBytes = p.Saves + p.Solve.HostBytes
	p.Temporary, err = temporary.find(func() (int64, error) {
		solve, err := c.solver.Temporary(problem)
		if err != nil {
			return 0, errs.In("pengcde", err, ErrInput)
		}
		objective, err := c.temporary("loss", values{"states": saved, "seen": b.seen, "targets": b.targets,
			"params": e.sections(params).head})
		return max(solve, p.Saves+objective), err
	}, b.form, saved, shapesOf(slices.Concat(b.seen, b.targets, b.control)...))
	if err != nil {
		return nil, err
	}
	p.DeviceBytes = p.Data + p.Saves + p.Parameters + p.Solve.DeviceBytes + int64(state.ByteSize()) + p.Temporary
	return p, nil
}

func shapesOf(ts ...*tensors.Tensor) (all []shapes.Shape) {
	for _, t := range ts {
		all = append(all, t.Shape())
	}
	return all
}
