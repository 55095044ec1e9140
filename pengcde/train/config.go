package train

import (
	"cmp"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Config sets the loop; the zero value is the published configuration for the two forecasting data sets.
type Config struct {
	// AdamW is the optimiser.
	AdamW AdamW `json:"AdamW"`
	// Epochs is the most that are run; 0 means 200.
	Epochs int `json:"Epochs"`
	// EvaluateEvery is the number of epochs between validations, the first after the first epoch; 0 means 5, and with
	// [NoValidation] all epochs are run and the last parameters kept.
	EvaluateEvery int `json:"EvaluateEvery"`
	// Patience is the number of epochs without a better validation after which training stops; 0 means 15.
	Patience int `json:"Patience"`
	// MinEpochs is the index, from 0, of the epoch after which it may stop early; 0 means 20, [AtOnce] the first.
	MinEpochs int `json:"MinEpochs"`
	// Target, where above 0, ends training at the first validation that is as low, also before MinEpochs.
	Target float64 `json:"Target,omitzero"`
	// BatchSize is the number of windows in an optimiser step; 0 means 1.
	BatchSize int `json:"BatchSize"`
	// Guard, where set, lets training go on after a batch without a gradient to use; nil ends it there, as published.
	Guard *Guard `json:"Guard,omitzero"`
	// Schedule changes the learning rate; the zero value does not, as published.
	Schedule Schedule `json:"Schedule,omitzero"`
	// Average, where above 0, validates and keeps an average of the parameters in place of the latest ones, with weights
	// that fall by this factor, below 1, from each optimiser step to the one before: 0.99 averages over some 100 steps.
	// Training itself goes on from the latest.
	Average float64 `json:"Average,omitzero"`
	// Update is a compiled AdamW for trainings to share, with the settings above; nil compiles one for this training.
	Update *Update `json:"-"`
	// Stiffness asks the problem, which is to be [Stiff], for Report.Stiffness of the parameters that are kept.
	Stiffness bool `json:"-"`
	// Progress is called after every epoch; nil means silence.
	Progress func(Progress) `json:"-"`
	// Checkpoint, where set, lets training go on after it was cut off.
	Checkpoint *Checkpoint `json:"-"`
}

// Recommended returns c with a [Guard] where it has none, so that one batch without a gradient to use does not end a
// training; nothing else of the published loop changes, and a Guard of the caller's stays. It costs no solve while
// nothing goes wrong. It goes with pengcde.Recommended; docs/tolerances.md says what a guard did for whom.
func Recommended(c Config) Config {
	if c.Guard == nil {
		c.Guard = &Guard{}
	}
	return c
}

func (c Config) withDefaults() (Config, error) {
	c.Epochs, c.EvaluateEvery, c.Patience = cmp.Or(c.Epochs, 200), cmp.Or(c.EvaluateEvery, 5), cmp.Or(c.Patience, 15)
	c.MinEpochs, c.BatchSize = cmp.Or(c.MinEpochs, 20), cmp.Or(c.BatchSize, 1)
	if c.Epochs < 0 || c.Patience < 0 || c.BatchSize < 0 {
		return c, errs.New(ErrInput, "pengcde/train: epochs %d, patience %d, batch size %d, want positive numbers",
			c.Epochs, c.Patience, c.BatchSize)
	}
	if c.Target != 0 && (!(c.Target > 0) || math.IsInf(c.Target, 1) || c.EvaluateEvery < 0) {
		return c, errs.New(ErrInput, "pengcde/train: Target %g with EvaluateEvery %d, want a positive finite number and "+
			"validation, or Target 0 for none", c.Target, c.EvaluateEvery)
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

// Resolved is the configuration with every default written out, to compare and to store: not to be trained with,
// because in AdamW a 0 then means none. What has no part in the result, such as Progress, is left as it is.
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
