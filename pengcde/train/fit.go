// Package train fits parameters: AdamW, epochs with early stopping on validation, error measures.
//
// Start with [Fit]. What is trained is a [Problem]: anything that gives a loss and its gradient, so this package
// knows neither models nor solvers.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrInput is wrapped by errors about options and data that do not fit.
var ErrInput = errors.New("invalid input")

// ErrNotFinite is wrapped when a loss or a gradient became NaN or infinite.
var ErrNotFinite = errors.New("loss or gradient not finite")

// Problem is what [Fit] trains.
type Problem interface {
	// Batches is the number of optimiser steps in an epoch.
	Batches() int
	// Gradient returns the loss on a batch and its gradient, one tensor for each parameter; they belong to the caller.
	Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor, error)
	// Validate returns the loss that chooses the best parameters.
	Validate(ctx context.Context, params []*tensors.Tensor) (float64, error)
}

// Config sets the loop; the zero value is the published configuration for the two forecasting data sets.
type Config struct {
	// AdamW is the optimiser.
	AdamW AdamW `json:"AdamW"`
	// Epochs is the most that are run; 0 means 200.
	Epochs int `json:"Epochs"`
	// EvaluateEvery is the number of epochs between validations, the first after the first epoch; 0 means 5, negative
	// means that there is no validation: all epochs are run and the last parameters kept.
	EvaluateEvery int `json:"EvaluateEvery"`
	// Patience is the number of epochs without a better validation after which training stops; 0 means 15.
	Patience int `json:"Patience"`
	// MinEpochs is the index, from 0, of the epoch after which it may stop early; 0 means 20, negative means at once.
	MinEpochs int `json:"MinEpochs"`
	// Target, where above 0, ends training at the first validation that is as low, also before MinEpochs.
	Target float64 `json:"Target,omitzero"`
	// BatchSize is the number of windows in an optimiser step; 0 means 1.
	BatchSize int `json:"BatchSize"`
	// Update is a compiled AdamW for trainings to share, with the settings above; nil compiles one for this training.
	Update *Update `json:"-"`
	// Progress is called after every epoch; nil means silence.
	Progress func(Progress) `json:"-"`
	// Checkpoint, where set, lets training go on after it was cut off.
	Checkpoint *Checkpoint `json:"-"`
}

// Progress is where a run stands.
type Progress struct {
	Epoch, Epochs int
	// TrainLoss is the mean over the epoch's batches; Validation is the newest, Best the lowest so far, or both NaN.
	TrainLoss, Validation, Best float64
	// Seconds are those of the epoch; the first compiles.
	Seconds float64
	// Left estimates the time to the last epoch by those after the first, which compiles; 0 where none is done. Early
	// stopping may end sooner.
	Elapsed, Left time.Duration
}

// String is one line for a terminal.
func (p Progress) String() string {
	line := fmt.Sprintf("epoch %d/%d  train %.4g", p.Epoch, p.Epochs, p.TrainLoss)
	if !math.IsNaN(p.Validation) {
		line += fmt.Sprintf("  validation %.4g  best %.4g", p.Validation, p.Best)
	}
	if p.Left > 0 {
		line += fmt.Sprintf("  %s left at most", p.Left.Round(time.Second))
	}
	return line
}

// Epoch is what one epoch gave.
type Epoch struct {
	// TrainLoss is the mean over batches, each before its step; Validation is NaN where it was not evaluated.
	TrainLoss, Validation float64
	// GradientNorm is the largest before clipping.
	GradientNorm float64
	Seconds      float64
}

// Stop says why training ended.
type Stop string

const (
	// StopEpochs means that all epochs were run.
	StopEpochs Stop = "all epochs run"
	// StopPatience means early stopping.
	StopPatience Stop = "no better validation"
	// StopTarget means a validation as low as Config.Target.
	StopTarget Stop = "validation at its target"
	// StopInterrupted means that the context ended.
	StopInterrupted Stop = "interrupted"
	// StopNotFinite means that a loss, a gradient or a state was not finite.
	StopNotFinite Stop = "not finite"
	// StopError begins what a training says that another error ended; the error follows.
	StopError Stop = "error"
)

// Report is the record of a run.
type Report struct {
	Epochs []Epoch
	// Best is the index of the epoch whose parameters are kept, -1 when none was validated, with its validation.
	Best           int
	BestValidation float64
	Stop           Stop
	Seconds        float64
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
	return c, nil
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

// Fit trains params, which it takes over, and returns those with the best validation. When it is interrupted, or meets
// a loss that is not finite, it still returns the best so far (the newest when none was validated), with an error that
// wraps the context's or [ErrNotFinite]. When the device fails in the middle of an update and none was validated, there
// are no parameters left, and nil comes back. With Config.Checkpoint it goes on where an earlier call was cut off.
func Fit(ctx context.Context, backend *xla.Backend, problem Problem, params []*tensors.Tensor, config Config) (
	[]*tensors.Tensor, *Report, error) {
	config, err := config.withDefaults()
	if err != nil {
		return params, nil, err
	}
	optimiser, err := config.optimiser(backend, params)
	if err != nil {
		return params, nil, err
	}
	defer optimiser.Close()
	l := &loop{problem: problem, optimiser: optimiser, config: config, params: params,
		report: &Report{Best: -1, BestValidation: math.Inf(1), Stop: StopEpochs}}
	if err := l.restore(); err != nil {
		return l.params, nil, err
	}
	l.start = time.Now().Add(-time.Duration(l.Seconds * float64(time.Second)))
	l.written, l.first = time.Now(), len(l.report.Epochs)
	err = l.run(ctx)
	l.report.Seconds = l.seconds()
	switch {
	case err != nil && ctx.Err() != nil:
		l.report.Stop = StopInterrupted
		err = errors.Join(fmt.Errorf("pengcde/train: interrupted after %d epochs: %w", len(l.report.Epochs), ctx.Err()),
			l.save())
	case errors.Is(err, ErrNotFinite):
		l.report.Stop = StopNotFinite
	case err != nil:
		l.report.Stop = Stop(fmt.Sprintf("%s: %v", StopError, err))
	}
	if len(l.best) > 0 {
		xla.Free(l.params...)
		return l.best, l.report, err
	}
	return l.params, l.report, err
}

type loop struct {
	position
	problem   Problem
	optimiser *Optimiser
	config    Config
	params    []*tensors.Tensor
	best      []*tensors.Tensor // copies on the host
	report    *Report
	first     int       // epoch of this call, which compiles
	start     time.Time // as if training had never been cut off
	key       string    // of the checkpoint
	written   time.Time // when the checkpoint was
}

func (l *loop) seconds() float64 { return time.Since(l.start).Seconds() }

func (l *loop) run(ctx context.Context) error {
	if l.Stop != "" { // the checkpoint is of a training that had ended
		l.report.Stop = l.Stop
		return nil
	}
	for l.Stop == "" {
		began := time.Now().Add(-time.Duration(l.EpochSeconds * float64(time.Second)))
		if err := l.epoch(ctx, began); err != nil {
			return err
		}
		e := len(l.report.Epochs)
		epoch := Epoch{TrainLoss: l.TrainLoss, GradientNorm: l.GradientNorm, Validation: math.NaN()}
		evaluated := l.config.EvaluateEvery > 0 && (e%l.config.EvaluateEvery == 0 || e == l.config.Epochs-1)
		if evaluated {
			if err := l.validate(ctx, e, &epoch); err != nil {
				return err
			}
			l.Waited += l.config.EvaluateEvery
			if l.report.Best == e {
				l.Waited = 0
			}
		}
		epoch.Seconds = time.Since(began).Seconds()
		l.report.Epochs = append(l.report.Epochs, epoch)
		l.Batch, l.TrainLoss, l.GradientNorm, l.EpochSeconds = 0, 0, 0, 0
		l.progress()
		switch {
		case evaluated && epoch.Validation <= l.config.Target && l.config.Target > 0:
			l.Stop = StopTarget
		case evaluated && l.Waited >= l.config.Patience && e > l.config.MinEpochs:
			l.Stop = StopPatience
		case e+1 >= l.config.Epochs:
			l.Stop = StopEpochs
		}
	}
	l.report.Stop = l.Stop
	l.Seconds = l.seconds()
	return l.save()
}

// epoch goes through the batches that are left of an epoch.
func (l *loop) epoch(ctx context.Context, began time.Time) error {
	n := l.problem.Batches()
	for l.Batch < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		loss, gradients, err := l.problem.Gradient(ctx, l.params, l.Batch)
		if err != nil {
			return err
		}
		var norm float64
		if l.params, norm, err = l.optimiser.Step(l.params, gradients); err != nil {
			return err
		}
		if math.IsNaN(loss+norm) || math.IsInf(loss+norm, 0) {
			return fmt.Errorf("pengcde/train: loss %g with gradient norm %g in epoch %d, batch %d; try a smaller "+
				"learning rate, a normalised control or, with adaptive steps, tighter tolerances (such as RTol 1e-6) "+
				"or shorter steps (such as Max 0.01): %w", loss, norm, len(l.report.Epochs)+1, l.Batch, ErrNotFinite)
		}
		l.TrainLoss += loss / float64(n)
		l.GradientNorm = max(l.GradientNorm, norm)
		l.Batch++
		l.EpochSeconds, l.Seconds = time.Since(began).Seconds(), l.seconds()
		if c := l.config.Checkpoint; c != nil && time.Since(l.written) >= cmp.Or(c.Every, 30*time.Second) {
			if err := l.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loop) validate(ctx context.Context, e int, epoch *Epoch) error {
	loss, err := l.problem.Validate(ctx, l.params)
	if err != nil {
		return err
	}
	epoch.Validation = loss
	if !(loss < l.report.BestValidation) {
		return nil
	}
	best := make([]*tensors.Tensor, len(l.params))
	for i, p := range l.params {
		if best[i], err = p.LocalClone(); err != nil {
			return fmt.Errorf("pengcde/train: keep the best parameters: %w", err)
		}
	}
	xla.Free(l.best...)
	l.best, l.report.Best, l.report.BestValidation = best, e, loss
	return nil
}

func (l *loop) progress() {
	if l.config.Progress == nil {
		return
	}
	done := len(l.report.Epochs)
	last := l.report.Epochs[done-1]
	p := Progress{Epoch: done, Epochs: l.config.Epochs, TrainLoss: last.TrainLoss, Seconds: last.Seconds,
		Validation: math.NaN(), Best: math.NaN(), Elapsed: time.Since(l.start)}
	for _, epoch := range l.report.Epochs {
		if !math.IsNaN(epoch.Validation) {
			p.Validation = epoch.Validation
		}
	}
	if l.report.Best >= 0 {
		p.Best = l.report.BestValidation
	}
	if after := l.report.Epochs[l.first:][1:]; len(after) > 0 {
		seconds := 0.0
		for _, epoch := range after {
			seconds += epoch.Seconds / float64(len(after))
		}
		p.Left = time.Duration(seconds * float64(p.Epochs-done) * float64(time.Second))
	}
	l.config.Progress(p)
}
