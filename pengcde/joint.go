package pengcde

import (
	"context"
	"errors"
	"hash"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// joint answers the requests of several runs with one solve. Its batches have a slot for each run. If a run asks for
// nothing, or has ended, its samples are frozen: they take no steps, with the parameters of another run that does ask.
type joint struct {
	runs                 []SeedRun
	network              network
	digests              []hash.Hash // of each run's data, for checkpoints
	slots                []int       // the runs of the batches
	training, validation []*batch
	used                 bool // programs were compiled for this number of slots
	programs             programs
}

func (j *joint) free() {
	for _, b := range slices.Concat(j.training, j.validation) {
		b.free()
	}
	j.training, j.validation = nil, nil
}

// buildStack builds parameters [slots, dims...] from the parameters of each slot.
func (j *joint) buildStack(inputs inputs) []*Node {
	in := inputs["params"]
	count := len(j.runs[0].Model.declared)
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

// buildSplit splits gradients [slots, dims...] into the gradients of each slot; it is the inverse of buildStack.
func (j *joint) buildSplit(inputs inputs) (out []*Node) {
	in := inputs["gradients"]
	for slot := range in[0].Shape().Dim(0) {
		for _, x := range in {
			out = append(out, Squeeze(SliceAxis(x, 0, AxisElem(slot)), 0))
		}
	}
	return out
}

// resize makes batches with a slot for each of runs. Programs are compiled for each number of slots, so the batches are
// kept until half of the slots are empty.
func (j *joint) resize(runs []int) (err error) {
	if len(runs) == len(j.slots) || j.used && 2*len(runs) > len(j.slots) {
		return nil
	}
	j.free()
	j.slots, j.used = runs, false
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
	releaseMemory(j.training)
	return err
}

// waiting reports whether a request exists and has not failed.
func (q *request) waiting() bool { return q != nil && q.err == nil }

// answer answers a group of requests for the same batch. The group is indexed by run, with nil for runs that are not in
// it. If some requests fail, answer evaluates the batch again without them until no more fail.
func (j *joint) answer(ctx context.Context, group []*request) {
	j.used = true
	for slices.ContainsFunc(group, (*request).waiting) {
		err := j.evaluate(ctx, group)
		if err == nil {
			return
		}
		j.assignError(ctx, err, group)
	}
}

// evaluate sets the losses of the waiting requests of a group and, for a training batch, their gradients.
func (j *joint) evaluate(ctx context.Context, group []*request) error {
	first := group[slices.IndexFunc(group, (*request).waiting)]
	params, several := first.params, len(j.slots) > 1
	if several { // [slots, dims...], in empty slots the first request's
		var inputs []*tensors.Tensor
		for _, run := range j.slots {
			q := group[run]
			if !q.waiting() {
				q = first
			}
			inputs = append(inputs, q.params...)
		}
		var err error
		if params, err = j.programs.call("parameters of seeds", values{"params": inputs}); err != nil {
			return err
		}
		defer xla.Free(params...)
	}
	b := j.batch(first.batch)
	made, err := j.network.evaluate(ctx, params, j.withIdleFrozen(b, group), first.purpose())
	if err != nil {
		return err
	}
	gradients := made.gradients
	if several && len(gradients) > 0 {
		gradients, err = j.programs.call("gradients of seeds", values{"gradients": made.gradients})
		xla.Free(made.gradients...)
		if err != nil {
			return err
		}
	}
	count, samples := len(gradients)/len(j.slots), len(made.stats)/len(j.slots)
	for slot, run := range j.slots {
		own := gradients[slot*count : (slot+1)*count]
		if q := group[run]; q.waiting() {
			q.loss, q.gradients, q.stats = made.losses[slot], own, ode.Stats{}
			for _, s := range made.stats[slot*samples:][:min(samples, b.samples)] { // without the padding
				q.stats.Accepted += s.Accepted
				q.stats.Rejected += s.Rejected
			}
		} else {
			xla.Free(own...)
		}
	}
	return nil
}

// batch returns the batch with the number in a request.
func (j *joint) batch(at int) *batch {
	if at < 0 {
		return j.validation[len(j.validation)+at]
	}
	return j.training[at]
}

// withIdleFrozen returns the batch with the samples of runs that do not wait frozen: they take no steps.
func (j *joint) withIdleFrozen(b *batch, group []*request) *batch {
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

// assignError assigns an error of a solve to the runs whose samples failed, with sample indices as in a single run. An
// error that cannot be assigned to waiting runs is assigned to all of them.
func (j *joint) assignError(ctx context.Context, err error, group []*request) {
	size := len(j.training[0].times) / len(j.slots)
	at := func(sample int) *request { return group[j.slots[sample/size]] }
	own := make(map[*request]error)
	var failure *ode.Failure
	var input *ode.InputError
	var start *startError
	switch {
	case ctx.Err() != nil || len(j.slots) == 1:
	case errors.As(err, &failure) && !failure.Pullback:
		failures := make(map[*request]*ode.Failure)
		for _, f := range append([]*ode.Failure{failure}, failure.Also...) {
			q, alone := at(f.Sample), *f
			alone.Sample, alone.Also = f.Sample%size, nil
			if first := failures[q]; first != nil {
				first.Also = append(first.Also, &alone)
			} else {
				failures[q] = &alone
			}
		}
		for q, f := range failures {
			own[q] = train.Unsolved(f)
		}
	case errors.As(err, &start):
		own[at(start.sample)] = &startError{start.sample % size, start.entry, start.value}
	case errors.As(err, &input):
		alone := *input
		alone.Sample %= size
		own[at(input.Sample)] = errs.In("pengcde", &alone, ErrInput)
	}
	everyone := len(own) == 0
	for q := range own {
		everyone = everyone || !q.waiting()
	}
	for _, q := range group {
		switch {
		case !q.waiting():
		case everyone:
			q.err = train.Unsolved(err)
		default:
			q.err = own[q]
		}
	}
}
