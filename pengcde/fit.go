package pengcde

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"runtime/debug"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
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
	if config, err = m.keyed(config, digest); err != nil {
		return nil, err
	}
	giveBack(p.training)
	var report *train.Report
	m.params, report, err = train.Fit(ctx, m.backend, p, m.params, config)
	return report, err
}

// muchData are the bytes of batches from which on what it took to make them is given back.
const muchData = 256 << 20

// giveBack returns to the system what making batches took, where that is much. Go would keep it for as much again, at 100,000
// nodes more than a GiB, while on a CPU a solve wants its memory from the same system.
func giveBack(made []*batch) {
	bytes := int64(0)
	for _, b := range made {
		bytes += b.owned.Bytes()
	}
	if bytes >= muchData {
		debug.FreeOSMemory()
	}
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

func (m *Model) batches(all lessons, size int, digest hash.Hash) ([]*batch, error) {
	return batchesOf(m.backend, m.config, []lessons{all}, size, []hash.Hash{digest})
}

// batchesOf groups lessons, those of several seeds beside each other, of each equally many. The last batch is filled up with
// lessons of weight 0, so that a single shape is compiled. What the lessons of a seed hold goes into its digest, if any.
func batchesOf(backend *xla.Backend, cfg Config, seeds []lessons, size int, digests []hash.Hash) ([]*batch, error) {
	var batches []*batch
	count := seeds[0].count
	for from := 0; from < count; from += size {
		var examples []example
		for s, all := range seeds {
			for i := from; i < from+size; i++ {
				e, err := all.at(min(i, count-1))
				if err != nil {
					return batches, err
				}
				if digests[s] != nil {
					if err := e.write(digests[s]); err != nil {
						return batches, err
					}
				}
				if i >= count {
					e.weight = nil
				}
				examples = append(examples, e)
			}
		}
		b, err := newBatch(backend, cfg, examples)
		if err != nil {
			return batches, err
		}
		b.lessons = min(size, count-from)
		if len(seeds) > 1 {
			b.form.Seeds = nn.Seeds(len(seeds))
		}
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
