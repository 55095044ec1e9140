package pengcde

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"iter"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Fit trains the model on windows. It solves the state from a window's first input to its last, and compares the
// readout there with the window's target. For a whole series (Series.Whole) it compares the readout at every snapshot
// with the targets there. The loss is the mean, over windows and these times, of the mean square over nodes;
// Config.Head changes that. A batch holds config.BatchSize windows with equal numbers of nodes, inputs and targets.
// Batches are consecutive windows in the order given, the same in every epoch: shuffle windows yourself to mix them.
//
// Another Fit continues from the current parameters with a new optimiser; only the fitted part of a head, such as
// [head.Linear], starts anew. [Model.Reset] draws new parameters.
//
// Fit keeps the parameters with the best validation, also when ctx ends first (the error then wraps the context's
// error) or when the loss is not finite ([train.ErrNotFinite]). Without validation windows, which requires
// [train.NoValidation], it keeps the last parameters. With such an error it returns a report of the epochs until then.
// Errors about windows and config wrap [ErrInput]; the error of a closed model is [ErrClosed].
//
// A NaN among the features is a missing value. It takes the last observed value before it in the window, or the first
// observed value after it if there is none before. This is the only case in which an observation has an effect before
// the interval that ends at it. If a feature is missing at a node in all inputs of a window, Fit returns an error that
// names it. A NaN among the targets is a target that was not observed. The loss at its time is the mean over the other
// targets. Times without any observed target do not count, and a window without any is an error.
//
// A node that appears and leaves (Series.Present) starts from its features when it appears. While it is absent, its
// state is frozen and takes no part in sums over nodes. The number n of nodes in scales counts absent nodes too.
//
// If the targets of whole series equal the features, as in the simulated worlds of the paper, set Config.GraphOnly: the
// model then sees only the features of the first snapshot.
func (m *Model) Fit(ctx context.Context, training, validation []dyngraph.Window,
	config train.Config) (*train.Report, error) {
	outcomes, err := fit(ctx, []SeedRun{{m, training, validation, config}})
	if outcomes == nil {
		return nil, err
	}
	return outcomes[0].Report, outcomes[0].Err
}

// fit trains runs that are compatible with each other. If it returns no outcomes, nothing was trained.
func fit(ctx context.Context, runs []SeedRun) ([]Outcome, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	backend := runs[0].Model.backend
	j := &joint{runs: runs, network: runs[0].Model.network, digests: make([]hash.Hash, len(runs))}
	defer j.free()
	var err error
	j.programs, err = newPrograms(backend,
		program{name: "parameters of seeds", inputs: []string{"params"}, build: j.buildStack},
		program{name: "gradients of seeds", inputs: []string{"gradients"}, build: j.buildSplit})
	if err != nil {
		return nil, err
	}
	defer j.programs.close()
	all, fitted := make([]int, len(runs)), make([]map[int][]float64, len(runs))
	for i, r := range runs {
		if len(r.Training) == 0 || len(r.Validation) == 0 && r.Config.EvaluateEvery >= 0 {
			return nil, invalid("%d windows for training and %d for validation, want at least one each, or "+
				"EvaluateEvery: train.NoValidation to do without", len(r.Training), len(r.Validation))
		}
		if r.Config.Stiffness && equationOf(r.Model.network) == nil {
			return nil, invalid("Config.Stiffness of the training of a network in discrete steps, which has none: leave it out")
		}
		if fitted[i], err = r.Model.started(r.Training); err != nil {
			return nil, err
		}
		all[i] = i
		if r.Config.Checkpoint != nil {
			j.digests[i] = sha256.New()
		}
	}
	if err := j.resize(all); err != nil {
		return nil, err
	}
	for _, r := range runs {
		r.Model.noteWeights(r.Training)
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
	for i, r := range runs {
		if _, err := configs[i].Resolved(); err == nil { // else the run fails, and its model stays as it is
			r.Model.start(fitted[i])
		}
	}
	return j.fit(ctx, configs), nil
}

// fit resumes the runs one after the other until each asks for a loss or ends, and then answers the runs that ask for
// the same batch. Runs are coroutines: they never execute at the same time, and a panic in a run is raised here.
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
			m, r := r.Model, &runner{joint: j, run: i, ask: yield}
			var problem train.Problem = r
			if equationOf(m.network) != nil {
				problem = solved{r}
			}
			m.params, outcomes[i].Report, outcomes[i].Err = train.Fit(ctx, m.backend, problem, m.params, configs[i])
		})
		defer stop()
	}
	defer func() { cancel() }() // before a panic stops the other runs, so that they save their checkpoints

	asked := make([]*request, len(j.runs)) // nil once a run has ended
	for {
		var going []int
		var next *request
		for i := range j.runs {
			if asked[i] == nil {
				asked[i], _ = resume[i]()
			}
			if q := asked[i]; q != nil {
				going = append(going, i)
				if next == nil || q.before(next) {
					next = q
				}
			}
		}
		if len(going) == 0 {
			return outcomes
		}
		err := j.resize(going)
		// Runs that were resumed at different positions wait for the runs behind them; at the latest at the end of an
		// epoch all are at the same batch.
		group := make([]*request, len(j.runs))
		for i, q := range asked {
			if q != nil && (!q.before(next) && !next.before(q) || err != nil) {
				group[i], asked[i], q.err = q, nil, err
			}
		}
		j.answer(ctx, group)
	}
}

// request asks for a loss for one of several runs, and holds the answer.
type request struct {
	params  []*tensors.Tensor
	batch   int // training batch, with gradient; negative: validation batch, -1 is the last
	refined int // number of refinements of the solve

	loss      float64
	gradients []*tensors.Tensor
	stats     ode.Stats // summed over the samples
	err       error
}

func (q *request) purpose() purpose {
	if q.batch < 0 {
		return forLoss
	}
	return purpose(q.refined)
}

// before reports whether a request is answered before another. Refined requests come first: their runs then go on with
// the runs at the same batch, which may be the last of an epoch.
func (q *request) before(other *request) bool {
	switch {
	case (q.refined > 0) != (other.refined > 0):
		return q.refined > 0
	case q.batch != other.batch:
		return q.batch < other.batch
	}
	return q.refined < other.refined
}

// runner is the [train.Problem] of one run: each call sends a request and returns when it has been answered.
type runner struct {
	*joint
	run    int
	ask    func(*request) bool // false when there will be no answer
	latest *request            // with a gradient
}

func (r *runner) Batches() int { return len(r.training) }

func (r *runner) answered(ctx context.Context, q *request) (float64, []*tensors.Tensor, error) {
	if q.batch >= 0 {
		r.latest = q
	}
	if !r.ask(q) {
		return 0, nil, cmp.Or(ctx.Err(), context.Canceled)
	}
	return q.loss, q.gradients, q.err
}

func (r *runner) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
	return r.answered(ctx, &request{params: params, batch: batch})
}

// Validate returns the mean over the samples of all batches.
func (r *runner) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	sum, total := 0.0, 0
	for at := -len(r.validation); at < 0; at++ {
		loss, _, err := r.answered(ctx, &request{params: params, batch: at})
		if err != nil {
			return 0, err
		}
		samples := r.joint.batch(at).samples
		sum += loss * float64(samples)
		total += samples
	}
	return sum / float64(total), nil
}

// solved is the runner of a differential equation.
type solved struct{ *runner }

var (
	_ train.Refiner = solved{}
	_ train.Stepper = solved{}
	_ train.Stiff   = solved{}
)

func (s solved) Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64, []*tensors.Tensor,
	error) {
	return s.answered(ctx, &request{params: params, batch: batch, refined: times})
}

func (s solved) Steps() (tries, rejected int) {
	stats := s.latest.stats
	return stats.Accepted + stats.Rejected, stats.Rejected
}

// Stiffness returns the largest stiffness over one batch of validation windows, or of training windows if there are no
// validation windows.
func (s solved) Stiffness(ctx context.Context, params []*tensors.Tensor) (largest float64, err error) {
	r := s.runs[s.run]
	windows := r.Validation
	if len(windows) == 0 {
		windows = r.Training
	}
	found, err := r.Model.stiffness(ctx, params, windows[:min(batchSize(r), len(windows))])
	for _, one := range found {
		largest = max(largest, one.Product)
	}
	return largest, err
}

// keyed adds the model and the digest of the data to the key of the checkpoint, if there is a checkpoint.
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
