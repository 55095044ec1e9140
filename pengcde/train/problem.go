package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// ErrInput is wrapped by errors about options and data that do not fit.
var ErrInput = errs.ErrInput

// ErrNotFinite is wrapped when a loss or a gradient is NaN or infinite.
var ErrNotFinite = errors.New("loss or gradient not finite")

// ErrUnsolved is wrapped by an error of [Problem.Gradient] for a batch that could not be solved with the given
// parameters, for example because the solver reached its limit of steps. Config.Guard treats it like a gradient that is
// not finite.
var ErrUnsolved = errors.New("batch not solved")

// Unsolved wraps [ErrNotFinite] around the error of a solve with numbers that are not finite, and [ErrUnsolved] around
// the error of a solve that took too many or too small steps.
func Unsolved(err error) error {
	switch {
	case errors.Is(err, ode.NotFinite):
		return fmt.Errorf("%w: %w", ErrNotFinite, err)
	case errors.Is(err, ode.StepLimit), errors.Is(err, ode.StepTooSmall):
		return errs.New(ErrUnsolved, "%w", err)
	}
	return err
}

// Problem is a training problem for [Fit].
type Problem interface {
	// Batches returns the number of optimiser steps in an epoch.
	Batches() int
	// Gradient returns the loss on a batch and its gradient, one tensor for each parameter; the tensors belong to the
	// caller.
	Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor, error)
	// Validate returns the loss by which the best parameters are selected.
	Validate(ctx context.Context, params []*tensors.Tensor) (float64, error)
}

// Refiner is a [Problem] that can solve a batch again more exactly. A [Guard] uses it if a gradient cannot be used.
type Refiner interface {
	Problem
	// Refine is Gradient by a solve that is refined the given number of times, at least once. Each refinement divides
	// the tolerance by 10, or halves the step.
	Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64, []*tensors.Tensor, error)
}

// Stepper is a [Problem] that counts the steps of its solver, for [Epoch].
type Stepper interface {
	Problem
	// Steps returns the steps of the latest Gradient or Refine, summed over samples: the number of tries, and the
	// number of rejected tries. A failed solve counts no steps.
	Steps() (tries, rejected int)
}

// Stiff is a [Problem] that estimates its stiffness, for Config.Stiffness.
type Stiff interface {
	Problem
	// Stiffness estimates the largest product of a solver step and an eigenvalue of the field along it.
	Stiffness(ctx context.Context, params []*tensors.Tensor) (float64, error)
}
