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

// Fit trains on windows. The state is solved from a window's first input to its last, and the readout there is compared
// with the window's target; for a whole series (Series.Whole) the readout at every snapshot is compared with the
// targets there. The loss is the mean over windows and those times of the mean square over nodes; Config.Head changes
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
	j.programs, err = newPrograms(backend,
		program{name: "parameters of seeds", inputs: []string{"params"}, build: j.buildStack},
		program{name: "gradients of seeds", inputs: []string{"gradients"}, build: j.buildSplit})
	if err != nil {
		return nil, err
	}
	defer j.programs.close()
	all := make([]int, len(runs))
	for i, r := range runs {
		if len(r.Training) == 0 || len(r.Validation) == 0 && r.Config.EvaluateEvery >= 0 {
			return nil, invalid("%d windows for training and %d for validation, want at least one each, or "+
				"EvaluateEvery -1 to do without validation", len(r.Training), len(r.Validation))
		}
		if r.Config.Stiffness && equationOf(r.Model.network) == nil {
			return nil, invalid("Config.Stiffness of the training of a network in discrete steps, which has none: leave it out")
		}
		if err := r.Model.start(r.Training); err != nil {
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
		// Runs that were resumed at different places wait for those behind them, and all are together by the end of an
		// epoch.
		group := make([]*request, len(j.runs))
		for i, q := range asked {
			if q != nil && (!q.before(next) && !next.before(q) || err != nil) {
				group[i], asked[i], q.err = q, nil, err
			}
		}
		j.answer(ctx, group)
	}
}

// request is a loss that one of several runs wants, and the answer.
type request struct {
	params  []*tensors.Tensor
	batch   int // of training, with the gradient; validation batches are counted from the end, -1 is the last
	refined int // how often the solve is refined

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

// before says whether a request is to be answered before another: refined ones first, since the run is to go on with
// those that are at the same batch, which may be the last of an epoch.
func (q *request) before(other *request) bool {
	switch {
	case (q.refined > 0) != (other.refined > 0):
		return q.refined > 0
	case q.batch != other.batch:
		return q.batch < other.batch
	}
	return q.refined < other.refined
}

// runner is a run as [train.Fit] sees it: it asks, and goes on when it has been answered.
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

// solved is a run of a differential equation.
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

// Stiffness is the largest of a batch of validation, or of training where there is none.
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
