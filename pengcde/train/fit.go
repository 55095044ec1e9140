// Package train fits parameters. It provides AdamW, epochs with early stopping on validation, and error measures.
//
// Start with [Fit]. It trains a [Problem], which is anything that returns a loss and its gradient.
//
// The zero value of [Config] is the published training. Guard lets training continue after a batch without a usable
// gradient, Schedule changes the learning rate, and Average averages parameters. A problem may also implement
// [Refiner], [Stepper] and [Stiff].
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

// Fit trains params, which it takes over, and returns the parameters with the best validation. If it is interrupted, or
// the loss or gradient of a batch is not finite and Config.Guard does not continue, it still returns the best
// parameters so far, or the newest if none was validated. The error then wraps the context's error or [ErrNotFinite].
// A validation loss that is NaN or infinite, without an error, is never the best and does not end training. If the
// device fails in the middle of an update and no parameters were validated, there are no parameters left, and Fit
// returns nil. With Config.Checkpoint it continues where an earlier call was interrupted.
func Fit(ctx context.Context, backend *xla.Backend, problem Problem, params []*tensors.Tensor, config Config) (
	[]*tensors.Tensor, *Report, error) {
	if ctx == nil {
		return params, nil, errs.New(ErrInput, "pengcde/train: the context is nil, want one such as context.Background()")
	}
	config, err := config.withDefaults()
	if err != nil {
		return params, nil, err
	}
	if _, ok := problem.(Stiff); config.Stiffness && !ok {
		return params, nil, errs.New(ErrInput, "pengcde/train: Config.Stiffness of a %T, want a problem with the method "+
			"Stiffness, see Stiff", problem)
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
	kept := l.kept()
	if config.Stiffness && err == nil {
		l.report.Stiffness, err = problem.(Stiff).Stiffness(ctx, kept)
	}
	return kept, l.report, err
}

// kept returns the parameters that Fit returns: the best, or the newest if none was validated.
func (l *loop) kept() []*tensors.Tensor {
	kept := l.best
	if len(kept) == 0 && l.mean != nil && l.params != nil {
		kept = tensorsLike(l.params, l.mean)
	}
	if len(kept) == 0 {
		return l.params
	}
	xla.Free(l.params...)
	return kept
}

type loop struct {
	position
	problem   Problem
	optimiser *Optimiser
	config    Config
	params    []*tensors.Tensor
	best      []*tensors.Tensor // copies on the host
	mean      average           // of the parameters, with Config.Average
	report    *Report
	first     int       // first epoch of this call, which includes compilation
	start     time.Time // the start of an uninterrupted training
	of        training  // what the checkpoint is of
	written   time.Time // time of the last write of the checkpoint
}

func (l *loop) seconds() float64 { return time.Since(l.start).Seconds() }

func (l *loop) run(ctx context.Context) error {
	if l.Stop == StopTime && !l.timeUp() && len(l.report.Epochs) < l.config.Epochs {
		l.Stop = "" // there is more time than in the call that ended it
	}
	if l.Stop != "" { // the training of the checkpoint has ended
		l.report.Stop = l.Stop
		return nil
	}
	for l.Stop == "" {
		began := time.Now().Add(-time.Duration(l.EpochSeconds * float64(time.Second)))
		if err := l.epoch(ctx, began); err != nil {
			return err
		}
		e, out := len(l.report.Epochs), l.timeUp()
		epoch := l.sums(l.problem.Batches())
		evaluated := l.config.EvaluateEvery > 0 && (e%l.config.EvaluateEvery == 0 || e == l.config.Epochs-1 || out)
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
		l.begin()
		l.progress()
		switch {
		case evaluated && epoch.Validation <= l.config.Target && l.config.Target > 0:
			l.Stop = StopTarget
		case evaluated && l.Waited >= l.config.Patience && e > l.config.MinEpochs:
			l.Stop = StopPatience
		case out:
			l.Stop = StopTime
		case e+1 >= l.config.Epochs:
			l.Stop = StopEpochs
		}
	}
	l.report.Stop = l.Stop
	l.Seconds = l.seconds()
	return l.save()
}

// timeUp reports whether Config.MaxTime is over.
func (l *loop) timeUp() bool {
	return l.config.MaxTime > 0 && l.seconds() >= l.config.MaxTime.Seconds()
}

// epoch runs the remaining batches of an epoch, or those for which there is time.
func (l *loop) epoch(ctx context.Context, began time.Time) error {
	n := l.problem.Batches()
	for l.Batch < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.step(ctx, n); err != nil {
			return err
		}
		l.Batch++
		l.EpochSeconds, l.Seconds = time.Since(began).Seconds(), l.seconds()
		if c := l.config.Checkpoint; c != nil && time.Since(l.written) >= cmp.Or(c.Every, 30*time.Second) {
			if err := l.save(); err != nil {
				return err
			}
		}
		if l.timeUp() {
			break
		}
	}
	return nil
}

// advice ends the errors about numbers that are not finite.
const advice = "try a smaller learning rate, a normalised control or, with adaptive steps, tighter tolerances (such " +
	"as RTol 1e-6) or shorter steps (such as Max 0.01)"

// step trains on the next batch of the epoch.
func (l *loop) step(ctx context.Context, batches int) error {
	loss, gradients, skipped, err := l.gradient(ctx)
	if err != nil || skipped {
		return err
	}
	norm, err := l.update(gradients, batches)
	if err != nil {
		return err
	}
	if !finite(loss + norm) {
		return fmt.Errorf("pengcde/train: loss %g with gradient norm %g in epoch %d, batch %d; %s: %w", loss, norm,
			len(l.report.Epochs)+1, l.Batch, advice, ErrNotFinite)
	}
	l.TrainLoss += loss / float64(batches)
	l.GradientNorm = max(l.GradientNorm, norm)
	if l.config.Guard != nil {
		l.used(norm)
	}
	if l.config.Average > 0 {
		l.mean.add(l.params, l.config.Average, l.optimiser.steps)
	}
	return nil
}

// gradient returns the loss and gradient of the next batch, which a guard may skip.
func (l *loop) gradient(ctx context.Context) (loss float64, gradients []*tensors.Tensor, skipped bool, err error) {
	if l.config.Guard != nil {
		return l.guarded(ctx)
	}
	loss, gradients, err = l.problem.Gradient(ctx, l.params, l.Batch)
	l.count()
	return loss, gradients, false, err
}

// update takes an optimiser step at the learning rate of the schedule.
func (l *loop) update(gradients []*tensors.Tensor, batches int) (norm float64, err error) {
	if l.config.Schedule.Kind == Constant {
		l.params, norm, err = l.optimiser.Step(l.params, gradients)
		return norm, err
	}
	rate := l.optimiser.update.config.LearningRate * l.config.Schedule.share(l.report.Epochs, l.Batch, batches)
	l.params, norm, err = l.optimiser.StepAt(rate, l.params, gradients)
	return norm, err
}

// sums returns the record of an epoch after the batches for which there was time.
func (l *loop) sums(batches int) Epoch {
	e := Epoch{TrainLoss: l.TrainLoss, Validation: math.NaN(), GradientNorm: l.GradientNorm,
		LargestNorm: max(l.LargestNorm, l.GradientNorm), Tries: l.Tries, Rejected: l.Rejected, Retried: l.Retried,
		Skipped: l.Skipped}
	switch used := l.Batch - l.Skipped; used {
	case batches:
	case 0:
		e.TrainLoss = math.NaN()
	default:
		e.TrainLoss *= float64(batches) / float64(used)
	}
	return e
}

// begin resets the sums for a new epoch.
func (l *loop) begin() {
	l.Batch, l.TrainLoss, l.GradientNorm, l.LargestNorm, l.EpochSeconds = 0, 0, 0, 0, 0
	l.Tries, l.Rejected, l.Retried, l.Skipped = 0, 0, 0, 0
}

// count adds the solver's steps of the latest gradient to the sums of the epoch.
func (l *loop) count() {
	if s, ok := l.problem.(Stepper); ok {
		tries, rejected := s.Steps()
		l.Tries += tries
		l.Rejected += rejected
	}
}

func (l *loop) validate(ctx context.Context, e int, epoch *Epoch) error {
	params := l.params
	if l.mean != nil {
		params = tensorsLike(l.params, l.mean)
		defer xla.Free(params...)
	}
	loss, err := l.problem.Validate(ctx, params)
	if l.config.Guard != nil && ctx.Err() == nil &&
		(errors.Is(err, ErrNotFinite) || errors.Is(err, ErrUnsolved) || err == nil && math.IsNaN(loss)) {
		loss, err = math.Inf(1), nil
	}
	if err != nil {
		return err
	}
	epoch.Validation = loss
	if !(loss < l.report.BestValidation) {
		return nil
	}
	best := make([]*tensors.Tensor, len(params))
	for i, p := range params {
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
		p.Retried += epoch.Retried
		p.Skipped += epoch.Skipped
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
