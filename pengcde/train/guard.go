package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/xla"
)

// Guard lets training continue after a batch without a usable gradient: a loss or a gradient is not finite, the batch
// could not be solved ([ErrNotFinite], [ErrUnsolved]), or the gradient is far larger than the gradients before.
//
// If the problem has a [Refiner], the batch is solved again with it, and used if the result is better. A gradient that
// is still large after the last of these solves is used if the solve before gave the same norm up to a tenth: then the
// tolerance does not explain its size, and [AdamW].Clip bounds the step. Otherwise the batch is skipped: parameters,
// moments and the step count of the optimiser stay unchanged. In an epoch with a single batch, a skipped batch is tried
// again with the same parameters, so only the solves by Refiner help. A validation that is not finite counts as not
// better. The zero value of each field is its default.
type Guard struct {
	// Multiple bounds the norm of a gradient by Multiple times the median of the latest norms that were used; 0 means
	// 100, [NoBound] means none. The bound applies once Window gradients have been used.
	Multiple float64 `json:"Multiple,omitzero"`
	// Window is the number of gradients in the median; 0 means 20.
	Window int `json:"Window,omitzero"`
	// Retries is the maximum number of times that a batch is solved again, each time at a tenth of the previous
	// tolerance; 0 means 3, [NoRetries] skips the batch at once. A batch that cannot be solved at a smaller tolerance
	// is not tried at even smaller ones.
	Retries int `json:"Retries,omitzero"`
	// Skips is the number of batches skipped in a row that ends training with [ErrNotFinite]; 0 means 10.
	Skips int `json:"Skips,omitzero"`
}

func (g Guard) withDefaults() (Guard, error) {
	g.Multiple, g.Window = cmp.Or(g.Multiple, 100), cmp.Or(g.Window, 20)
	g.Retries, g.Skips = max(cmp.Or(g.Retries, 3), NoRetries), cmp.Or(g.Skips, 10)
	if g.Multiple < 0 {
		g.Multiple = NoBound
	}
	if !(g.Multiple < 0 || g.Multiple > 1) || math.IsInf(g.Multiple, 1) || g.Window < 1 || g.Skips < 1 {
		return g, errs.New(ErrInput, "pengcde/train: Guard %+v, want a finite Multiple above 1 (or NoBound), and "+
			"Window and Skips of 1 or more", g)
	}
	return g, nil
}

// bound returns the largest norm that may be used after the given norms.
func (g Guard) bound(used []float64) float64 {
	if g.Multiple < 0 || len(used) < g.Window {
		return math.MaxFloat64
	}
	return g.Multiple * median(used)
}

// median returns the median; for an even number of values it is the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// guarded returns the loss and gradient of the next batch, or skips it.
func (l *loop) guarded(ctx context.Context) (loss float64, gradients []*tensors.Tensor, skipped bool, err error) {
	loss, gradients, fault, err := l.attempt(ctx, l.problem.Gradient, nil)
	refiner, ok := l.problem.(Refiner)
	if ok && fault != nil && l.config.Guard.Retries > 0 {
		l.Retried++
		for times := 1; fault != nil && err == nil && times <= l.config.Guard.Retries; times++ {
			var before error
			if times == l.config.Guard.Retries {
				before = fault
			}
			loss, gradients, fault, err = l.attempt(ctx, func(ctx context.Context, params []*tensors.Tensor,
				batch int) (float64, []*tensors.Tensor, error) {
				return refiner.Refine(ctx, params, batch, times)
			}, before)
			if errors.Is(fault, ErrUnsolved) {
				break
			}
		}
	}
	if err != nil {
		return 0, nil, false, err
	}
	if fault == nil {
		l.InARow = 0
		return loss, gradients, false, nil
	}
	l.Skipped++
	l.InARow++
	if l.InARow < l.config.Guard.Skips {
		return 0, nil, true, nil
	}
	return 0, nil, true, fmt.Errorf("pengcde/train: %d batches in a row without a gradient to use, the last in epoch %d, "+
		"batch %d; %s: %w: %w", l.InARow, len(l.report.Epochs)+1, l.Batch, advice, ErrNotFinite, fault)
}

// largeError is the fault of a gradient that is not finite or too large.
type largeError struct{ loss, norm, bound float64 }

func (e *largeError) Error() string {
	return fmt.Sprintf("loss %g with gradient norm %g, want finite numbers and a norm of at most %.4g", e.loss, e.norm,
		e.bound)
}

func (e *largeError) finite() bool { return finite(e.loss) && finite(e.norm) }

// confirms reports whether a solve is finite and has the norm of the fault of a solve before, up to a tenth.
func (e *largeError) confirms(before error) bool {
	other, ok := errors.AsType[*largeError](before)
	return ok && e.finite() && math.Abs(e.norm-other.norm) <= 0.1*e.norm
}

// attempt solves the next batch. A fault tells why the result cannot be used; an error ends training. A large gradient
// can be used if it confirms the fault of the solve before, unless that is nil.
func (l *loop) attempt(ctx context.Context, solve func(context.Context, []*tensors.Tensor, int) (float64,
	[]*tensors.Tensor, error), before error) (loss float64, gradients []*tensors.Tensor, fault, err error) {
	loss, gradients, err = solve(ctx, l.params, l.Batch)
	l.count()
	switch {
	case err == nil:
	case ctx.Err() == nil && (errors.Is(err, ErrNotFinite) || errors.Is(err, ErrUnsolved)):
		l.LargestNorm = math.MaxFloat64
		return 0, nil, err, nil
	default:
		return 0, nil, nil, err
	}
	found := &largeError{loss, normOf(gradients), l.config.Guard.bound(l.Norms)}
	if found.finite() && found.norm <= found.bound || found.confirms(before) {
		return loss, gradients, nil, nil
	}
	xla.Free(gradients...)
	if found.finite() {
		l.LargestNorm = max(l.LargestNorm, found.norm)
	} else {
		l.LargestNorm = math.MaxFloat64
	}
	return 0, nil, found, nil
}

// used adds the norm of a used gradient to the window of the median.
func (l *loop) used(norm float64) {
	l.Norms = append(l.Norms, norm)
	if extra := len(l.Norms) - l.config.Guard.Window; extra > 0 {
		l.Norms = slices.Delete(l.Norms, 0, extra)
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// normOf returns the norm of all gradients together.
func normOf(gradients []*tensors.Tensor) float64 {
	square := 0.0
	for _, g := range gradients {
		for _, x := range host.Floats(g) {
			square += x * x
		}
	}
	return math.Sqrt(square)
}
