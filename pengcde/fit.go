package pengcde

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"iter"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Fit trains on windows. The state is solved from a window's first input to its last, and the readout there is compared
// with the window's target; for a whole series (Series.Whole) the readout at every snapshot is compared with the
// targets there. The loss is the mean over windows and those times of the mean square over nodes; Config.Output changes
// that. A batch holds config.BatchSize windows, with equally many nodes, inputs and targets.
//
// The parameters of the best validation are kept, also when ctx ends first (the error then wraps the context's) or when
// the loss is not finite ([train.ErrNotFinite]). Without validation windows, which wants a negative EvaluateEvery, the
// last parameters are.
//
// A NaN among the features is a missing value. It takes the last value that the window saw before it, or the first that
// the window sees after it where there is none before: the one case in which an observation matters before the interval
// that it ends. A feature that no input of the window sees at some node is an error that names it. A NaN among the
// targets is one that was not observed: the loss at its time is the mean over the others, times without any do not
// count, and a window without any is an error.
//
// Where the targets of whole series are what the features show, as in the simulated worlds of the paper, set
// Config.GraphOnly: the model then sees the features of the first snapshot alone.
func (m *Model) Fit(ctx context.Context, training, validation []dyngraph.Window,
	config train.Config) (*train.Report, error) {
	if len(training) == 0 || len(validation) == 0 && config.EvaluateEvery >= 0 {
		return nil, invalid("%d windows for training and %d for validation, "+
			"want at least one each, or EvaluateEvery -1 to do without validation",
			len(training), len(validation))
	}
	outcomes, err := fit(ctx, []SeedRun{{m, training, validation, config}})
	if outcomes == nil {
		return nil, err
	}
	return outcomes[0].Report, outcomes[0].Err
}

// fit trains runs that fit each other. Without outcomes nothing was trained.
func fit(ctx context.Context, runs []SeedRun) ([]Outcome, error) {
	backend := runs[0].Model.backend
	j := &joint{runs: runs, network: runs[0].Model.network, digests: make([]hash.Hash, len(runs))}
	defer j.free()
	var err error
	if j.stack, err = xla.NewProgram(backend, "parameters of seeds", j.buildStack); err != nil {
		return nil, err
	}
	defer j.stack.Close()
	if j.split, err = xla.NewProgram(backend, "gradients of seeds", j.buildSplit); err != nil {
		return nil, err
	}
	defer j.split.Close()
	all := make([]int, len(runs))
	for i, r := range runs {
		all[i] = i
		if r.Config.Checkpoint != nil {
			j.digests[i] = sha256.New()
		}
	}
	if err := j.resize(all); err != nil {
		return nil, err
	}
	configs, updates := make([]train.Config, len(runs)), make(map[train.AdamW]*train.Update)
	for i, r := range runs {
		if configs[i], err = r.Model.keyed(r.Config, j.digests[i]); err != nil {
			return nil, err
		}
		if r.Config.Update != nil || len(runs) == 1 {
			continue
		}
		update := updates[r.Config.AdamW]
		if update == nil {
			if update, err = train.NewUpdate(backend, r.Config.AdamW); err != nil {
				return nil, errs.In(fmt.Sprintf("pengcde: run %d", i), err, ErrInput)
			}
			defer update.Close()
			updates[r.Config.AdamW] = update
		}
		configs[i].Update = update
	}
	clear(j.digests)
	return j.fit(ctx, configs), nil
}

// fit lets each run go on, one after the other, until it asks for a loss or ends, and then answers those that ask for
// the same. Runs are coroutines: nothing is done at the same time, and a panic in one of them comes out here.
func (j *joint) fit(ctx context.Context, configs []train.Config) []Outcome {
	cancel := func() {}
	if len(j.runs) > 1 {
		ctx, cancel = context.WithCancel(ctx)
	}
	outcomes := make([]Outcome, len(j.runs))
	resume := make([]func() (*request, bool), len(j.runs))
	for i, r := range j.runs {
		var stop func()
		resume[i], stop = iter.Pull(func(yield func(*request) bool) {
			m, problem := r.Model, &runner{count: len(j.training), ask: yield}
			m.params, outcomes[i].Report, outcomes[i].Err = train.Fit(ctx, m.backend, problem, m.params, configs[i])
		})
		defer stop()
	}
	defer func() { cancel() }() // before a panic stops the other runs, so that they save their checkpoints

	asked, ended := make([]*request, len(j.runs)), make([]bool, len(j.runs))
	for {
		var going []int
		for i := range j.runs {
			if asked[i] == nil && !ended[i] {
				q, ok := resume[i]()
				asked[i], ended[i] = q, !ok
			}
			if !ended[i] {
				going = append(going, i)
			}
		}
		if len(going) == 0 {
			return outcomes
		}
		group := nextGroup(asked)
		if err := j.resize(going); err != nil {
			for _, i := range going {
				asked[i].err = err
			}
			group = asked
		} else {
			j.answer(ctx, group)
		}
		for i := range asked {
			if group[i] != nil {
				asked[i] = nil
			}
		}
	}
}

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

func (r *runner) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
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

// keyed puts the model and the digest of the data into the key of the checkpoint, if there is one.
func (m *Model) keyed(config train.Config, digest hash.Hash) (train.Config, error) {
	if config.Checkpoint == nil {
		return config, nil
	}
	resolved, err := m.config.Resolved()
	if err != nil {
		return config, err
	}
	model, err := json.Marshal(resolved)
	if err != nil {
		return config, fmt.Errorf("pengcde: key of a checkpoint: %w", err)
	}
	keyed := *config.Checkpoint
	keyed.Key = fmt.Sprintf("%s %s %x", keyed.Key, model, digest.Sum(nil))
	config.Checkpoint = &keyed
	return config, nil
}
