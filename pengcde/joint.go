package pengcde

import (
	"context"
	"errors"
	"hash"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// request is a loss that one of several runs wants, and the answer.
type request struct {
	params []*tensors.Tensor
	batch  int // of training, with the gradient; validating for the mean over validation

	loss      float64
	gradients []*tensors.Tensor
	err       error
}

const validating = -1

// runner is a run as [train.Fit] sees it: it asks, and goes on when it has been answered.
type runner struct {
	count int
	ask   func(*request) bool // false when there will be no answer
}

func (r *runner) Batches() int { return r.count }

func (r *runner) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor, error) {
	q := &request{params: params, batch: batch}
	if !r.ask(q) {
		return 0, nil, ctx.Err()
	}
	return q.loss, q.gradients, q.err
}

func (r *runner) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	q := &request{params: params, batch: validating}
	if !r.ask(q) {
		return 0, ctx.Err()
	}
	return q.loss, q.err
}

// joint answers requests of several runs by one solve. Its batches have a slot for each of them; where a run asks for
// nothing, or has ended, its samples are frozen: they take no steps, with parameters of a run that does ask.
type joint struct {
	runs                 []SeedRun
	network              *network
	digests              []hash.Hash // of each run's data, for checkpoints
	slots                []int       // the runs of the batches
	training, validation []*batch
	used                 bool // programs were compiled for so many slots
	stack, split         *xla.Program
}

func newJoint(backend *xla.Backend, runs []SeedRun) (*joint, error) {
	j := &joint{runs: runs, network: runs[0].Model.network, digests: make([]hash.Hash, len(runs))}
	var err error
	if j.stack, err = xla.NewProgram(backend, "parameters of seeds", j.buildStack); err != nil {
		return nil, err
	}
	j.split, err = xla.NewProgram(backend, "gradients of seeds", j.buildSplit)
	return j, err
}

func (j *joint) close() {
	freeAll(j.training, j.validation)
	j.stack.Close()
	j.split.Close()
}

// buildStack: (parameters of slot 0, of slot 1, ...) -> parameters [slots, dims...].
func (j *joint) buildStack(in []*Node) []*Node {
	count := len(j.network.params)
	out := make([]*Node, count)
	for i := range out {
		var slots []*Node
		for at := i; at < len(in); at += count {
			slots = append(slots, in[at])
		}
		out[i] = Stack(slots, 0)
	}
	return out
}

// buildSplit is the way back.
func (j *joint) buildSplit(in []*Node) (out []*Node) {
	for slot := range in[0].Shape().Dim(0) {
		for _, x := range in {
			out = append(out, Squeeze(SliceAxis(x, 0, AxisElem(slot)), 0))
		}
	}
	return out
}

// resize makes batches with slots for some runs. Each number of slots is compiled for, so they are left as they are until
// half of them are empty.
func (j *joint) resize(runs []int) (err error) {
	if len(runs) == len(j.slots) || j.used && 2*len(runs) > len(j.slots) {
		return nil
	}
	freeAll(j.training, j.validation)
	j.slots, j.used, j.training, j.validation = runs, false, nil, nil
	var training, validation []source
	for _, i := range runs {
		r := j.runs[i]
		training = append(training, source{r.Model, r.Training, j.digests[i]})
		validation = append(validation, source{r.Model, r.Validation, j.digests[i]})
	}
	backend, size := j.runs[0].Model.backend, batchSize(j.runs[0])
	if j.training, err = batches(backend, size, training...); err != nil {
		return err
	}
	j.validation, err = batches(backend, size, validation...)
	giveBack(j.training)
	return err
}

// nextGroup chooses what is answered now among the requests of all runs, nil for those that have ended: the validations, else what
// is asked for of the first batch. So runs that were resumed at different places wait for those behind them, and all
// are together by the end of an epoch.
func nextGroup(asked []*request) []*request {
	first := -1
	for run, q := range asked {
		if q != nil && (first < 0 || q.batch < asked[first].batch) {
			first = run
		}
	}
	group := make([]*request, len(asked))
	for run, q := range asked {
		if q != nil && q.batch == asked[first].batch {
			group[run] = q
		}
	}
	return group
}

// answer answers a group of requests for the same, [runs] with nil for runs that are not of it.
func (j *joint) answer(ctx context.Context, group []*request) {
	j.used = true
	i := slices.IndexFunc(group, func(q *request) bool { return q != nil })
	if group[i].batch != validating {
		j.solve(group, j.training[group[i].batch], func(params []*tensors.Tensor, b *batch) error {
			losses, gradients, err := j.network.gradients(ctx, params, b)
			if err == nil {
				gradients, err = j.bySlot(gradients)
			}
			if err != nil {
				return j.blame(ctx, err, group)
			}
			count := len(j.network.params)
			for slot, run := range j.slots {
				own := gradients[slot*count : (slot+1)*count]
				if q := group[run]; q.waiting() {
					q.loss, q.gradients = losses[slot], own
				} else {
					xla.Free(own...)
				}
			}
			return nil
		})
		return
	}
	total := 0
	for _, b := range j.validation {
		total += b.samples
	}
	for _, b := range j.validation {
		j.solve(group, b, func(params []*tensors.Tensor, frozen *batch) error {
			losses, err := j.network.losses(ctx, params, frozen)
			if err != nil {
				return j.blame(ctx, err, group)
			}
			for slot, run := range j.slots {
				if q := group[run]; q.waiting() {
					q.loss += losses[slot] * float64(b.samples) / float64(total)
				}
			}
			return nil
		})
	}
}

// waiting says whether a request is there and has not failed.
func (q *request) waiting() bool { return q != nil && q.err == nil }

// solve calls do with the parameters and the batch of those in a group that wait, again without those that fail in it, until no
// more do. An error of do is that of all.
func (j *joint) solve(group []*request, b *batch, do func([]*tensors.Tensor, *batch) error) {
	for {
		var waiting []*request
		for _, q := range group {
			if q.waiting() {
				waiting = append(waiting, q)
			}
		}
		if len(waiting) == 0 {
			return
		}
		params, owned, err := j.params(group, waiting[0].params)
		if err == nil {
			err = do(params, j.freeze(b, group))
		}
		owned.Free()
		for _, q := range waiting {
			if err != nil {
				q.err = err
			}
		}
		if !slices.ContainsFunc(waiting, func(q *request) bool { return q.err != nil }) {
			return
		}
	}
}

// params are those of all slots, [slots, dims...], or of the only one; empty slots have the others given.
func (j *joint) params(group []*request, others []*tensors.Tensor) (params []*tensors.Tensor, owned *xla.Buffers, err error) {
	owned = &xla.Buffers{}
	if len(j.slots) == 1 {
		return others, owned, nil
	}
	var inputs []*tensors.Tensor
	for _, run := range j.slots {
		if q := group[run]; q.waiting() {
			inputs = append(inputs, q.params...)
		} else {
			inputs = append(inputs, others...)
		}
	}
	if params, err = call(j.stack, inputs); err != nil {
		return nil, owned, err
	}
	return owned.Own(params...), owned, nil
}

// bySlot takes over the gradients of all slots and gives each slot its own, one slot after the other.
func (j *joint) bySlot(gradients []*tensors.Tensor) ([]*tensors.Tensor, error) {
	if len(j.slots) == 1 {
		return gradients, nil
	}
	defer xla.Free(gradients...)
	return call(j.split, gradients)
}

// freeze is a batch in which the samples of runs that do not wait take no steps.
func (j *joint) freeze(b *batch, group []*request) *batch {
	size := len(b.times) / len(j.slots)
	other := *b
	other.times = slices.Clone(b.times)
	for i, times := range b.times {
		if !group[j.slots[i/size]].waiting() {
			other.times[i] = slices.Repeat(times[:1], len(times))
		}
	}
	return &other
}

// blame gives an error of a solve to the runs whose samples failed, with their samples counted as if they were alone. It
// returns an error that is not of some runs that wait alone.
func (j *joint) blame(ctx context.Context, err error, group []*request) error {
	if ctx.Err() != nil {
		return err
	}
	size := len(j.training[0].times) / len(j.slots)
	at := func(sample int) *request { return group[j.slots[sample/size]] }
	var failure *ode.Failure
	var input *ode.InputError
	var start *startError
	switch {
	case errors.As(err, &failure) && !failure.Pullback:
		own := make(map[*request]*ode.Failure)
		for _, f := range append([]*ode.Failure{failure}, failure.Also...) {
			q := at(f.Sample)
			if !q.waiting() {
				return err
			}
			alone := *f
			alone.Sample, alone.Also = f.Sample%size, nil
			if first := own[q]; first != nil {
				first.Also = append(first.Also, &alone)
			} else {
				own[q] = &alone
			}
		}
		for q, f := range own {
			q.err = notFinite(f)
		}
	case errors.As(err, &start) && at(start.sample).waiting():
		alone := *start
		alone.sample %= size
		at(start.sample).err = &alone
	case errors.As(err, &input) && at(input.Sample).waiting():
		alone := *input
		alone.Sample %= size
		at(input.Sample).err = errs.In("pengcde", &alone, ErrInput)
	default:
		return err
	}
	return nil
}
