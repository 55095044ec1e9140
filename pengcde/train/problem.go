package train

import (
	"context"
	"errors"

	"github.com/gomlx/gomlx/core/tensors"
)

// ErrInput is wrapped by errors about options and data that do not fit.
var ErrInput = errors.New("invalid input")

// ErrNotFinite is wrapped when a loss or a gradient became NaN or infinite.
var ErrNotFinite = errors.New("loss or gradient not finite")

// ErrUnsolved is wrapped by an error of [Problem.Gradient] that says that this batch could not be solved with these
// parameters, as by more steps than a solver may take. For Config.Guard it is like a gradient that is not finite.
var ErrUnsolved = errors.New("batch not solved")

// Problem is what [Fit] trains.
type Problem interface {
	// Batches is the number of optimiser steps in an epoch.
	Batches() int
	// Gradient returns the loss on a batch and its gradient, one tensor for each parameter; they belong to the caller.
	Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor, error)
	// Validate returns the loss that chooses the best parameters.
	Validate(ctx context.Context, params []*tensors.Tensor) (float64, error)
}

// Refiner is a [Problem] that can solve a batch again more exactly. A [Guard] asks for it where a gradient cannot be
// used.
type Refiner interface {
	Problem
	// Refine is Gradient by a solve that is refined so many times, one or more: each time at a tenth of the tolerance, or
	// by half the step.
	Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64, []*tensors.Tensor, error)
}

// Stepper is a [Problem] that counts the steps of its solver, for [Epoch].
type Stepper interface {
	Problem
	// Steps returns the steps of the latest Gradient or Refine, summed over the samples: tries, and how many of them were
	// rejected. A solve that failed counts nothing.
	Steps() (tries, rejected int)
}

// Stiff is a [Problem] that says how stiff it is, for Config.Stiffness.
type Stiff interface {
	Problem
	// Stiffness estimates the largest product of a step of the solver and an eigenvalue of the field along it.
	Stiffness(ctx context.Context, params []*tensors.Tensor) (float64, error)
}
