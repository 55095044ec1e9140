package pengcde

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Fit trains on windows. The state is solved from a window's first input to its last, and the readout there is compared with
// the window's target; for a whole series (Series.Whole) the readout at every snapshot is compared with the targets there.
// The loss is the mean over windows and those times of the mean square over nodes; Config.Output changes that. A batch
// holds config.BatchSize windows, with equally many nodes, inputs and targets.
//
// The parameters of the best validation are kept, also when ctx ends first (the error then wraps the context's) or when
// the loss is not finite ([train.ErrNotFinite]). Without validation windows, which wants a negative EvaluateEvery, the
// last parameters are.
//
// A NaN among the features is a missing value. It takes the last value that the window saw before it, or the first that the
// window sees after it where there is none before: the one case in which an observation matters before the interval that
// it ends. A feature that no input of the window sees at some node is an error that names it. A NaN among the targets is
// one that was not observed: the loss at its time is the mean over the others, times without any do not count, and a
// window without any is an error.
//
// Where the targets of whole series are what the features show, as in the simulated worlds of the paper, set
// Config.GraphOnly: the model then sees the features of the first snapshot alone.
func (m *Model) Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report, error) {
	if len(training) == 0 || len(validation) == 0 && config.EvaluateEvery >= 0 {
		return nil, invalid("%d windows for training and %d for validation, "+
			"want at least one each, or EvaluateEvery -1 to do without validation",
			len(training), len(validation))
	}
	p := &problem{model: m}
	defer func() { freeAll(p.training, p.validation) }()
	var err error
	var digest hash.Hash // of the data, for a checkpoint
	if config.Checkpoint != nil {
		digest = sha256.New()
	}
	size := min(max(config.BatchSize, 1), len(training))
	if p.training, err = batches(m.backend, size, source{m, training, digest}); err != nil {
		return nil, err
	}
	if p.validation, err = batches(m.backend, size, source{m, validation, digest}); err != nil {
		return nil, err
	}
	if config, err = m.keyed(config, digest); err != nil {
		return nil, err
	}
	giveBack(p.training)
	var report *train.Report
	m.params, report, err = train.Fit(ctx, m.backend, p, m.params, config)
	return report, err
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

// problem is the training of a model, as [train.Fit] sees it.
type problem struct {
	model                *Model
	training, validation []*batch
}

func (p *problem) Batches() int { return len(p.training) }

func (p *problem) Gradient(ctx context.Context, params []*tensors.Tensor, i int) (float64, []*tensors.Tensor, error) {
	return p.model.network.gradient(ctx, params, p.training[i])
}

// Validate is the mean over samples of the loss.
func (p *problem) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	sum, samples := 0.0, 0
	for _, b := range p.validation {
		loss, err := p.model.network.loss(ctx, params, b)
		if err != nil {
			return 0, err
		}
		sum += loss * float64(b.samples)
		samples += b.samples
	}
	return sum / float64(samples), nil
}
