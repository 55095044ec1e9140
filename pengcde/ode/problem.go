package ode

import (
	"github.com/gomlx/gomlx/core/tensors"
)

// Problem is an initial value problem for a batch of samples, with options for its solution. The zero value of each
// option does what [Solver.Solve] does.
type Problem struct {
	// Z0 is the initial state [batch, ...].
	Z0 *tensors.Tensor
	// Times holds for each sample its save times, the first its t0 and the last its t1, never turning back: increasing
	// for a solve forward in time, decreasing for one backward. A time may be repeated. Rows are equally long; a single
	// row serves all samples. With one time, or t0 = t1, no step is taken and the result is z0.
	Times [][]float64
	// Args are given to the field.
	Args []*tensors.Tensor
	// StepTo holds for each sample times that steps must end on, in strict order (either way): the times at which the
	// field or its derivatives jump. A single row serves all samples. Each step sees the field's limits from its own
	// side, at t0 and t1 too, so that every method keeps its order, whichever limit the field has at the time itself.
	// Times beyond t0 and t1 are passed over, and so are those within rounding of the one before. After each, the slope
	// is evaluated anew, which is one more evaluation, and the control may begin again, see [PID].
	StepTo [][]float64
	// Continuous says that at the step-to times only derivatives of the field jump, not the field itself, as along a
	// smooth control path: then the slope at the end of a step serves the next, as elsewhere.
	Continuous bool
	// StepSize chooses the steps of this solve; nil means Config.StepSize. Nothing is compiled for another one, so the
	// same solver may solve again with tighter tolerances or shorter steps.
	StepSize StepSize
	// Save says which states Solution.Z holds.
	Save Save
	// Interpolant keeps the stages of all steps on the device, so that [Solution.At] gives the state at any time.
	Interpolant bool
	// Forget keeps nothing for [Solution.Pullback]; without Interpolant, device memory then does not grow with the
	// number of steps.
	Forget bool
	// Memory says which states are kept for [Solution.Pullback]. Beside Interpolant, which keeps all, and Forget, which
	// keeps none, it is to be left at its zero value.
	Memory Memory
}

// Save says which states are saved.
type Save string

const (
	// AtTimes saves at Problem.Times: give t0 and t1 alone for the two ends.
	AtTimes Save = ""
	// EveryStep saves at t0 and at the end of every accepted step; Problem.Times are then t0 and t1 alone. Samples with
	// fewer steps than others have NaN after their last. [Solution.SaveTimes] says when.
	EveryStep Save = "every step"
)
