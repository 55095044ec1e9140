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

// Fit trains on windows: the state is solved from a window's first input to its last, and the readout there is
// compared with the window's target. The parameters of the best validation are kept, also when ctx ends first (the
// error then wraps the context's) or when the loss leaves the floats ([train.ErrNotFinite]). Without validation windows,
// which wants a negative EvaluateEvery, the last parameters are.
//
// A NaN among the features is a missing value. It takes the last value that the window saw before it, or the first that the
// window sees after it where there is none before: the one case in which an observation matters before the interval that
// it ends. A feature that no input of the window sees at some node is an error that names it. A NaN among the targets is
// one that was not observed: the loss of a window is the mean over the others, and a window without any is an error.
func (m *Model) Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report, error) {
	if len(training) == 0 || len(validation) == 0 && config.EvaluateEvery >= 0 {
		return nil, invalid("%d windows for training and %d for validation, "+
			"want at least one each, or EvaluateEvery -1 to do without validation",
			len(training), len(validation))
	}
	return m.fit(ctx, m.windows(training), m.windows(validation), config)
}

// lessons are examples with targets, made one by one.
type lessons struct {
	count int
	at    func(i int) (example, error)
}

func (m *Model) windows(list []dyngraph.Window) lessons {
	return lessons{len(list), func(i int) (example, error) { return m.lesson(list[i]) }}
}

func (m *Model) fit(ctx context.Context, training, validation lessons, config train.Config) (*train.Report, error) {
	p := &problem{model: m}
	defer p.free()
	var err error
	size := min(max(config.BatchSize, 1), training.count)
	var digest hash.Hash // of the data, for a checkpoint
	if config.Checkpoint != nil {
		digest = sha256.New()
	}
	if p.training, err = m.batches(training, size, digest); err != nil {
		return nil, err
	}
	if p.validation, err = m.batches(validation, size, digest); err != nil {
		return nil, err
	}
	if config.Checkpoint != nil {
		model, err := json.Marshal(m.config)
		if err != nil {
			return nil, fmt.Errorf("pengcde: key of a checkpoint: %w", err)
		}
		keyed := *config.Checkpoint
		keyed.Key = fmt.Sprintf("%s %s %x", keyed.Key, model, digest.Sum(nil))
		config.Checkpoint = &keyed
	}
	var report *train.Report
	m.params, report, err = train.Fit(ctx, m.backend, p, m.params, config)
	return report, err
}

// batches groups lessons. The last batch is filled up with lessons of weight 0, so that a single shape is compiled. What
// they hold goes into the digest, if any.
func (m *Model) batches(all lessons, size int, digest hash.Hash) ([]*batch, error) {
	var batches []*batch
	for from := 0; from < all.count; from += size {
		examples := make([]example, size)
		for i := range examples {
			e, err := all.at(min(from+i, all.count-1))
			if err != nil {
				return batches, err
			}
			if digest != nil {
				if err := e.write(digest); err != nil {
					return batches, err
				}
			}
			if from+i >= all.count {
				e.weight = nil
			}
			examples[i] = e
		}
		b, err := newBatch(m.config, examples)
		if err != nil {
			return batches, err
		}
		b.lessons = min(size, all.count-from)
		batches = append(batches, b)
	}
	return batches, nil
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

// Validate is the mean over lessons of the loss.
func (p *problem) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	sum, lessons := 0.0, 0
	for _, b := range p.validation {
		loss, err := p.model.network.loss(ctx, params, b)
		if err != nil {
			return 0, err
		}
		sum += loss * float64(b.lessons)
		lessons += b.lessons
	}
	return sum / float64(lessons), nil
}

func (p *problem) free() {
	for _, b := range append(p.training, p.validation...) {
		b.free()
	}
}
