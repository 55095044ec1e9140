package ode

import (
	"github.com/gomlx/gomlx/core/tensors"
)

// Problem is an initial value problem for a batch of samples, with options for its solution. The zero value of each
// option gives the behaviour of [Solver.Solve].
type Problem struct {
	// Z0 is the initial state [batch, ...].
	Z0 *tensors.Tensor
	// Times holds the save times of each sample, monotone. The first is t0 and the last t1. Times increase for a solve
	// forward in time and decrease for a solve backward. A time may be repeated. Rows have equal length; a single row
	// serves all samples. With one time, or t0 = t1, no step is taken and the result is z0.
	Times [][]float64
	// Args are passed to the field.
	Args []*tensors.Tensor
	// StepTo holds for each sample times that steps must end on, strictly monotone (either way): the times at which the
	// field or its derivatives jump. A single row serves all samples. Each step sees the limit of the field from its
	// own side, also at t0 and t1, so that every method keeps its order, whatever the value of the field at the time
	// itself. Times outside t0 and t1 are ignored, and so are times within rounding of the previous one. After each
	// time the slope is evaluated again, at the cost of one evaluation, and the control may restart, see [PID].
	StepTo [][]float64
	// Continuous means that only derivatives of the field jump at the step-to times, not the field itself, as along a
	// smooth control path. The slope at the end of a step then serves the next step, as elsewhere.
	Continuous bool
	// StepSize chooses the steps of this solve; nil means Config.StepSize. Another step size compiles nothing, so the
	// same solver may solve again with tighter tolerances or shorter steps.
	StepSize StepSize
	// Save says which states Solution.Z holds.
	Save Save
	// Interpolant keeps the stages of all steps on the device, so that [Solution.At] gives the state at any time.
	Interpolant bool
	// Forget keeps nothing for [Solution.Pullback]. Without Interpolant, device memory then does not grow with the
	// number of steps.
	Forget bool
	// Memory says which states are kept for [Solution.Pullback]. It must be zero together with Interpolant, which keeps
	// all states, and with Forget, which keeps none.
	Memory Memory
}

// Save says which states are saved.
type Save string

const (
	// AtTimes saves at Problem.Times. For the two ends only, give t0 and t1.
	AtTimes Save = ""
	// EveryStep saves at t0 and at the end of every accepted step; Problem.Times must then be only t0 and t1. Samples
	// with fewer steps than others have NaN after their last. [Solution.SaveTimes] returns the times.
	EveryStep Save = "every step"
)
