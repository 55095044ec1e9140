package train

import (
	"cmp"
	"math"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Config configures the training loop; the zero value is the published configuration for the two forecasting data sets.
type Config struct {
	// AdamW is the optimiser.
	AdamW AdamW `json:"AdamW"`
	// Epochs is the maximum number of epochs; 0 means 200.
	Epochs int `json:"Epochs"`
	// EvaluateEvery is the number of epochs between validations, the first after the first epoch; 0 means 5. With
	// [NoValidation] all epochs are run and the last parameters are kept.
	EvaluateEvery int `json:"EvaluateEvery"`
	// Patience is the number of epochs without a better validation after which training stops; 0 means 15.
	Patience int `json:"Patience"`
	// MinEpochs is the index, from 0, of the epoch after which training may stop early; 0 means 20, [AtOnce] means the
	// first.
	MinEpochs int `json:"MinEpochs"`
	// Target, if positive, ends training at the first validation that is at most Target, even before MinEpochs.
	Target float64 `json:"Target,omitzero"`
	// MaxTime, if positive, ends training after the batch with which it has taken that long, including earlier calls that
	// were interrupted. The parameters are then validated once more. It is not part of a checkpoint's
	// identity: a later call with more time goes on.
	MaxTime time.Duration `json:"-"`
	// BatchSize is the number of windows in an optimiser step; 0 means 1.
	BatchSize int `json:"BatchSize"`
	// Guard, if not nil, lets training continue after a batch without a usable gradient; nil ends training there, as
	// published.
	Guard *Guard `json:"Guard,omitzero"`
	// Schedule changes the learning rate; the zero value keeps it constant, as published.
	Schedule Schedule `json:"Schedule,omitzero"`
	// Average, if positive, validates and keeps an average of the parameters instead of the latest parameters. Weights
	// fall by this factor, below 1, from each optimiser step to the step before: 0.99 averages over about 100 steps.
	// Training itself continues from the latest parameters.
	Average float64 `json:"Average,omitzero"`
	// Update is a compiled AdamW with the settings above that trainings share; nil compiles one for this training.
	Update *Update `json:"-"`
	// Stiffness requests Report.Stiffness for the parameters that are kept. The problem must be [Stiff].
	Stiffness bool `json:"-"`
	// Progress is called after every epoch; nil reports nothing.
	Progress func(Progress) `json:"-"`
	// Checkpoint, if not nil, lets an interrupted training continue.
	Checkpoint *Checkpoint `json:"-"`
}

// Recommended returns c with a [Guard] if it has none, so that one batch without a usable gradient does not end a
// training. The rest of the published loop is unchanged, and a Guard set by the caller is kept. The guard costs no
// solve while nothing goes wrong. It is the counterpart of pengcde.Recommended; docs/tolerances.md has measurements of
// its effect.
func Recommended(c Config) Config {
	if c.Guard == nil {
		c.Guard = &Guard{}
	}
	return c
}

func (c Config) withDefaults() (Config, error) {
	c.Epochs, c.EvaluateEvery, c.Patience = cmp.Or(c.Epochs, 200), cmp.Or(c.EvaluateEvery, 5), cmp.Or(c.Patience, 15)
	c.MinEpochs, c.BatchSize = cmp.Or(c.MinEpochs, 20), cmp.Or(c.BatchSize, 1)
	if c.Epochs < 0 || c.Patience < 0 || c.BatchSize < 0 || c.MaxTime < 0 {
		return c, errs.New(ErrInput, "pengcde/train: epochs %d, patience %d, batch size %d, time %v, want positive numbers",
			c.Epochs, c.Patience, c.BatchSize, c.MaxTime)
	}
	if c.Target != 0 && (!(c.Target > 0) || math.IsInf(c.Target, 1) || c.EvaluateEvery < 0) {
		return c, errs.New(ErrInput, "pengcde/train: Target %g with EvaluateEvery %d, want a positive finite number and "+
			"validation, or Target 0 for none", c.Target, c.EvaluateEvery)
	}
	if c.Checkpoint != nil && c.Checkpoint.Path == "" {
		return c, errs.New(ErrInput, "pengcde/train: Checkpoint without Path, want the beginning of its file names")
	}
	if !(c.Average >= 0 && c.Average < 1) {
		return c, errs.New(ErrInput, "pengcde/train: Average %g, want a factor above 0 and below 1, or 0 for no average",
			c.Average)
	}
	if c.Guard != nil {
		guard, err := c.Guard.withDefaults()
		if err != nil {
			return c, err
		}
		c.Guard = &guard
	}
	var err error
	c.Schedule, err = c.Schedule.withDefaults(c)
	return c, err
}

// Resolved returns the configuration with every default written out, for comparison and storage. Do not train with it,
// because in AdamW a 0 then means none. Fields that do not affect the result, such as Progress, are unchanged.
func (c Config) Resolved() (Config, error) {
	c, err := c.withDefaults()
	if err != nil {
		return c, err
	}
	c.AdamW, err = c.AdamW.withDefaults()
	return c, err
}

func (c Config) optimiser(backend *xla.Backend, params []*tensors.Tensor) (*Optimiser, error) {
	if c.Update == nil {
		return NewOptimiser(backend, c.AdamW, params)
	}
	settings, err := c.AdamW.withDefaults()
	if err != nil {
		return nil, err
	}
	if settings != c.Update.config {
		return nil, errs.New(ErrInput, "pengcde/train: Config.AdamW is %+v, Config.Update was made for %+v: make another "+
			"with NewUpdate", settings, c.Update.config)
	}
	return c.Update.Optimiser(params), nil
}
