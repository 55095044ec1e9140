package ode

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// Problem is an initial value problem for a batch of samples, and what is wanted of its solution. The zero value of
// each option is what [Solver.Solve] does.
type Problem struct {
	// Z0 is the initial state [batch, ...].
	Z0 *tensors.Tensor
	// Times holds for each sample its save times, the first its t0 and the last its t1, never turning back: increasing
	// for a solve forward in time, decreasing for one backward. A time may be repeated. Rows are equally long; a single
	// row serves all samples. With one time, or t0 = t1, no step is taken and the result is z0.
	Times [][]float64
	// Args are given to the field.
	Args []*tensors.Tensor
	// StepTo holds for each sample times that steps must end on, in strict order (either way): those at which the field or
	// its derivatives jump. A single row serves all samples. Each step sees the field's limits from its own side, at t0 and t1
	// too, so that every method keeps its order, whichever limit the field has at the time itself. Times beyond t0 and t1 are
	// passed over, and so are those within rounding of the one before. After each, the slope is evaluated anew, which is one
	// more evaluation, and the control may begin again, see [PID].
	StepTo [][]float64
	// Continuous says that at the step-to times only derivatives of the field jump, not the field itself, as along a smooth
	// control path: then the slope at the end of a step serves the next, as elsewhere.
	Continuous bool
	// Save says which states Solution.Z holds.
	Save Save
	// Interpolant keeps the stages of all steps on the device, so that [Solution.At] gives the state at any time.
	Interpolant bool
	// Forget keeps nothing for [Solution.Pullback]; without Interpolant, device memory then does not grow with the number
	// of steps.
	Forget bool
	// Memory says which states are kept for [Solution.Pullback]. Beside Interpolant, which keeps all, and Forget, which keeps
	// none, it is to be left at its zero value.
	Memory Memory
}

// Save says which states are saved.
type Save int

const (
	// AtTimes saves at Problem.Times: give t0 and t1 alone for the two ends.
	AtTimes Save = iota
	// EveryStep saves at t0 and at the end of every accepted step; Problem.Times are then t0 and t1 alone. Samples with
	// fewer steps than others have NaN after their last. [Solution.SaveTimes] says when.
	EveryStep
)

// Run solves a problem: [Solver.Solve] with more options.
func (s *Solver) Run(ctx context.Context, p Problem) (*Solution, error) {
	times, stops, err := s.check(p)
	if err != nil {
		return nil, err
	}
	run := &march{solver: s, ctx: ctx, every: p.Save == EveryStep, continuous: p.Continuous, times: times, args: p.Args}
	if run.history, err = run.newHistory(p, stops); err != nil {
		return nil, err
	}
	if p.Interpolant {
		run.interpolant = &interpolant{}
	}
	defer run.scratch.Free()
	solution, err := run.solve(p.Z0, stops)
	if err != nil {
		if run.history != nil {
			run.history.free()
		}
		run.interpolant.free()
		xla.Free(run.final)
		return nil, err
	}
	solution.final, solution.interpolant = run.final, run.interpolant
	return solution, solution.failure()
}

// check checks a problem, and gives each sample its save times and step-to times.
func (s *Solver) check(p Problem) (times, stops [][]float64, err error) {
	if s.closed {
		return nil, nil, ErrClosed
	}
	if err := checkState(p.Z0); err != nil {
		return nil, nil, err
	}
	if times, err = checkTimes(p); err != nil {
		return nil, nil, err
	}
	if stops, err = checkStops(p); err != nil {
		return nil, nil, err
	}
	return times, stops, s.checkArgs(p.Args)
}
