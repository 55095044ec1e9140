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

func (j *joint) free() {
	for _, b := range slices.Concat(j.training, j.validation) {
		b.free()
	}
	j.training, j.validation = nil, nil
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

// resize makes batches with slots for some runs. Each number of slots is compiled for, so they are left as they are
// until half of them are empty.
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
	giveBack(j.training)
	return err
}

// nextGroup chooses what is answered now among the requests of all runs, nil for those that have ended: the
// validations, else what is asked for of the first batch. So runs that were resumed at different places wait for those
// behind them, and all are together by the end of an epoch.
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

// answer answers a group of requests for the same, [runs] with nil for runs that are not of it. The loss of several
// batches is the mean over their samples.
func (j *joint) answer(ctx context.Context, group []*request) {
	j.used = true
	at := group[slices.IndexFunc(group, (*request).waiting)].batch
	asked := j.validation
	if at != validating {
		asked = j.training[at : at+1]
	}
	total := 0
	for _, b := range asked {
		total += b.samples
		j.solve(group, b, func(params []*tensors.Tensor, frozen *batch) error {
			losses, gradients, err := j.network.evaluate(ctx, params, frozen, at != validating)
			if err == nil && len(j.slots) > 1 && gradients != nil {
				stacked := gradients
				gradients, err = call(j.split, stacked)
				xla.Free(stacked...)
			}
			if err != nil {
				return j.blame(ctx, err, group)
			}
			count := len(gradients) / len(j.slots)
			for slot, run := range j.slots {
				own := gradients[slot*count : (slot+1)*count]
				switch q := group[run]; {
				case !q.waiting():
					xla.Free(own...)
				case at == validating:
					q.loss += losses[slot] * float64(b.samples)
				default:
					q.loss, q.gradients = losses[slot], own
				}
			}
			return nil
		})
	}
	for _, q := range group {
		if at == validating && q.waiting() {
			q.loss /= float64(total)
		}
	}
}

// waiting says whether a request is there and has not failed.
func (q *request) waiting() bool { return q != nil && q.err == nil }

// solve calls do with the parameters and the batch of those in a group that wait, again without those that fail in it,
// until no more do. An error of do is that of all.
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
func (j *joint) params(group []*request, others []*tensors.Tensor) (params []*tensors.Tensor, owned *xla.Buffers,
	err error) {
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

// blame gives an error of a solve to the runs whose samples failed, with their samples counted as if they were alone.
// It returns an error that is not of some runs that wait alone.
func (j *joint) blame(ctx context.Context, err error, group []*request) error {
	if ctx.Err() != nil || len(j.slots) == 1 {
		return notFinite(err)
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
		return notFinite(err)
	}
	return nil
}
