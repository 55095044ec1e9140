package pengcde

import (
	"context"
	"errors"
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

// together answers requests of several runs by one solve. Its batches have a slot for each of them; where a run asks for
// nothing, or has ended, its samples stand still: they take no steps, with parameters of a run that does ask.
type together struct {
	network              *network
	batches              func(slots []int) (training, validation []*batch, err error)
	slots                []int // the runs that batches have room for
	training, validation []*batch
	used                 bool // programs were compiled for so many slots
	stack, split         *xla.Program
}

func newTogether(backend *xla.Backend, n *network) (*together, error) {
	t := &together{network: n}
	var err error
	if t.stack, err = xla.NewProgram(backend, "parameters of seeds", t.buildStack); err != nil {
		return nil, err
	}
	t.split, err = xla.NewProgram(backend, "gradients of seeds", t.buildSplit)
	return t, err
}

func (t *together) close() {
	t.free()
	t.stack.Close()
	t.split.Close()
}

func (t *together) free() {
	for _, b := range append(t.training, t.validation...) {
		b.free()
	}
	t.training, t.validation = nil, nil
}

// buildStack: (parameters of slot 0, of slot 1, ...) -> parameters [slots, dims...].
func (t *together) buildStack(in []*Node) []*Node {
	count := len(t.network.params)
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
func (t *together) buildSplit(in []*Node) (out []*Node) {
	for slot := range in[0].Shape().Dim(0) {
		for _, x := range in {
			out = append(out, Squeeze(SliceAxis(x, 0, AxisElem(slot)), 0))
		}
	}
	return out
}

// room makes batches with slots for some runs. Each number of slots is compiled for, so that room is left as it is until half of
// it is empty.
func (t *together) room(runs []int) (err error) {
	if len(runs) == len(t.slots) || t.used && 2*len(runs) > len(t.slots) {
		return nil
	}
	t.free()
	t.slots, t.used = runs, false
	t.training, t.validation, err = t.batches(runs)
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
func (t *together) answer(ctx context.Context, group []*request) {
	t.used = true
	i := slices.IndexFunc(group, func(q *request) bool { return q != nil })
	if group[i].batch != validating {
		t.solve(group, t.training[group[i].batch], func(params []*tensors.Tensor, b *batch) error {
			losses, gradients, err := t.network.gradients(ctx, params, b)
			if err == nil {
				gradients, err = t.apart(gradients)
			}
			if err != nil {
				return t.blame(ctx, err, group)
			}
			count := len(t.network.params)
			for slot, run := range t.slots {
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
	for _, b := range t.validation {
		total += b.lessons
	}
	for _, b := range t.validation {
		t.solve(group, b, func(params []*tensors.Tensor, still *batch) error {
			losses, err := t.network.losses(ctx, params, still)
			if err != nil {
				return t.blame(ctx, err, group)
			}
			for slot, run := range t.slots {
				if q := group[run]; q.waiting() {
					q.loss += losses[slot] * float64(b.lessons) / float64(total)
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
func (t *together) solve(group []*request, b *batch, do func([]*tensors.Tensor, *batch) error) {
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
		params, owned, err := t.params(group, waiting[0].params)
		if err == nil {
			err = do(params, t.still(b, group))
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
func (t *together) params(group []*request, others []*tensors.Tensor) (params []*tensors.Tensor, owned *xla.Buffers, err error) {
	owned = &xla.Buffers{}
	if len(t.slots) == 1 {
		return others, owned, nil
	}
	var inputs []*tensors.Tensor
	for _, run := range t.slots {
		if q := group[run]; q.waiting() {
			inputs = append(inputs, q.params...)
		} else {
			inputs = append(inputs, others...)
		}
	}
	if params, err = call(t.stack, inputs); err != nil {
		return nil, owned, err
	}
	return owned.Own(params...), owned, nil
}

// apart takes over the gradients of all slots and gives each slot its own, one slot after the other.
func (t *together) apart(gradients []*tensors.Tensor) ([]*tensors.Tensor, error) {
	if len(t.slots) == 1 {
		return gradients, nil
	}
	defer xla.Free(gradients...)
	return call(t.split, gradients)
}

// still is a batch in which the samples of runs that do not wait take no steps.
func (t *together) still(b *batch, group []*request) *batch {
	size := len(b.times) / len(t.slots)
	other := *b
	other.times = slices.Clone(b.times)
	for i, times := range b.times {
		if !group[t.slots[i/size]].waiting() {
			other.times[i] = slices.Repeat(times[:1], len(times))
		}
	}
	return &other
}

// blame gives an error of a solve to the runs whose samples failed, with their samples counted as if they were alone. It returns
// an error that is not of some runs that wait alone.
func (t *together) blame(ctx context.Context, err error, group []*request) error {
	var failure *ode.Failure
	var input *ode.InputError
	var start *startError
	size := len(t.training[0].times) / len(t.slots)
	if ctx.Err() != nil {
		return err
	}
	switch {
	case errors.As(err, &failure) && !failure.Pullback:
		own := make(map[*request]*ode.Failure)
		for _, f := range append([]*ode.Failure{failure}, failure.Also...) {
			q := group[t.slots[f.Sample/size]]
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
		return nil
	case errors.As(err, &start):
		q := group[t.slots[start.sample/size]]
		if !q.waiting() {
			return err
		}
		alone := *start
		alone.sample = start.sample % size
		q.err = &alone
		return nil
	case errors.As(err, &input):
		q := group[t.slots[input.Sample/size]]
		if !q.waiting() {
			return err
		}
		alone := *input
		alone.Sample = input.Sample % size
		q.err = errs.In("pengcde", &alone, ErrInput)
		return nil
	}
	return err
}
