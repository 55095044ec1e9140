package ode

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// Config chooses method and step size control; the zero value is Tsit5 with the adaptive control of [PID].
type Config struct {
	// Method is the Runge-Kutta method; nil means [Tsit5].
	Method *Method
	// Control chooses the steps; nil means PID{}.
	Control Control
	// MaxSteps bounds the tries of a solve; 0 means 4096, and no bound with Constant and Given.
	MaxSteps int
	// Parameters says that only the first so many args are differentiated by [Solution.Pullback]; 0 means all args
	// of a float type.
	Parameters int
}

// Solver solves initial value problems of one field. It compiles when it first meets a shape of state and args, and
// may be used from one goroutine at a time.
type Solver struct {
	backend  *xla.Backend
	field    Field
	method   *Method
	control  Control
	maxSteps int
	params   int

	wrt                                          []int // args that are differentiated
	first, step, save, pull, choose, vectorJacob *xla.Program
}

// ErrInput is wrapped by errors about what a solve was given: times, shapes, options.
var ErrInput = errors.New("invalid input")

// New prepares a solver.
func New(backend *xla.Backend, field Field, config Config) (*Solver, error) {
	if backend == nil || field == nil {
		return nil, fmt.Errorf("pengcde/ode: New needs a backend and a field: %w", ErrInput)
	}
	s := &Solver{backend: backend, field: field, method: config.Method, control: config.Control,
		maxSteps: config.MaxSteps, params: config.Parameters}
	if s.method == nil {
		s.method = Tsit5
	}
	if s.control == nil {
		s.control = PID{}
	}
	adaptive := false
	switch s.control.(type) {
	case Constant, *Constant, Given, *Given:
	default:
		adaptive = true
		if s.maxSteps == 0 {
			s.maxSteps = 4096
		}
	}
	if err := s.method.check(adaptive); err != nil {
		return nil, err
	}
	if s.maxSteps < 0 || s.params < 0 {
		return nil, fmt.Errorf("pengcde/ode: MaxSteps %d, Parameters %d, want 0 or more: %w", s.maxSteps, s.params, ErrInput)
	}
	for _, p := range []struct {
		program **xla.Program
		name    string
		build   func([]*graph.Node) []*graph.Node
	}{
		{&s.first, "first stage", s.buildFirst}, {&s.step, "step", s.buildStep}, {&s.save, "save", s.buildSave},
		{&s.pull, "pull", s.buildPull}, {&s.choose, "choose", buildSelect}, {&s.vectorJacob, "step pullback", s.buildPullback},
	} {
		var err error
		if *p.program, err = xla.NewProgram(backend, "ode "+p.name, p.build); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close releases the compiled programs.
func (s *Solver) Close() {
	for _, p := range []*xla.Program{s.first, s.step, s.save, s.pull, s.choose, s.vectorJacob} {
		p.Close()
	}
}

// Solve integrates z0 [batch, ...] and returns the states at the save times: times[b] are those of sample b, not
// decreasing, the first its t0 and the last its t1; a single row serves all samples. The solution keeps what
// [Solution.Pullback] needs until it is closed. z0 and args stay the caller's and must live as long.
//
// The error is a [*Failure] when the solve did not reach the last save time, and wraps [ErrInput] when the input does
// not fit.
func (s *Solver) Solve(ctx context.Context, z0 *tensors.Tensor, times [][]float64, args ...*tensors.Tensor) (*Solution, error) {
	return s.run(ctx, true, z0, times, args)
}

// Evaluate is Solve without what a pullback needs: its memory does not grow with the number of steps.
func (s *Solver) Evaluate(ctx context.Context, z0 *tensors.Tensor, times [][]float64, args ...*tensors.Tensor) (*Solution, error) {
	return s.run(ctx, false, z0, times, args)
}

func (s *Solver) run(ctx context.Context, keep bool, z0 *tensors.Tensor, times [][]float64, args []*tensors.Tensor) (*Solution, error) {
	times, err := checkTimes(z0, times)
	if err != nil {
		return nil, err
	}
	if err := s.setDifferentiable(args); err != nil {
		return nil, err
	}
	run := &march{solver: s, ctx: ctx, keep: keep, times: times, args: args}
	defer run.scratch.Free()
	solution, err := run.solve(z0)
	if err != nil {
		run.trail.free()
		return nil, err
	}
	solution.trail = run.trail
	return solution, nil
}

func checkTimes(z0 *tensors.Tensor, times [][]float64) ([][]float64, error) {
	if z0.Rank() < 2 || !z0.DType().IsFloat() {
		return nil, fmt.Errorf("pengcde/ode: initial state is %s, want floats [batch, ...]: %w", z0.Shape(), ErrInput)
	}
	batch := z0.Shape().Dimensions[0]
	if len(times) == 1 {
		all := make([][]float64, batch)
		for b := range all {
			all[b] = times[0]
		}
		times = all
	}
	if len(times) != batch {
		return nil, fmt.Errorf("pengcde/ode: save times for %d samples, want 1 or the batch's %d: %w", len(times), batch, ErrInput)
	}
	for b, row := range times {
		if len(row) == 0 || len(row) != len(times[0]) {
			return nil, fmt.Errorf("pengcde/ode: sample %d has %d save times and sample 0 has %d, want as many, at least 1: %w",
				b, len(row), len(times[0]), ErrInput)
		}
		for i, t := range row {
			if math.IsNaN(t) || math.IsInf(t, 0) || i > 0 && t < row[i-1] {
				return nil, fmt.Errorf("pengcde/ode: save time %d of sample %d is %g after %g, want finite times that do not decrease: %w",
					i, b, t, row[max(i-1, 0)], ErrInput)
			}
		}
	}
	return times, nil
}

func (s *Solver) setDifferentiable(args []*tensors.Tensor) error {
	s.wrt = s.wrt[:0]
	for i, arg := range args {
		if arg == nil {
			return fmt.Errorf("pengcde/ode: arg %d is nil: %w", i, ErrInput)
		}
		if arg.DType().IsFloat() && (s.params == 0 || i < s.params) {
			s.wrt = append(s.wrt, i)
		}
	}
	if s.params > len(args) {
		return fmt.Errorf("pengcde/ode: %d args, want at least Config.Parameters = %d: %w", len(args), s.params, ErrInput)
	}
	return nil
}

// call runs a program on tensors, Go slices and donated tensors, and args after them.
func call(p *xla.Program, args []*tensors.Tensor, inputs ...any) ([]*tensors.Tensor, error) {
	for _, arg := range args {
		inputs = append(inputs, arg)
	}
	return p.Call(inputs...)
}
