package ode

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/xla"
)

// Config chooses the method and the step sizes; the zero value is Tsit5 with the adaptive steps of [PID].
type Config struct {
	// Method is the Runge-Kutta method; nil means [Tsit5].
	Method *Method
	// StepSize chooses the steps; nil means PID{}.
	StepSize StepSize
	// MaxSteps bounds the tries of each sample; 0 means [DefaultMaxSteps], and no bound with Constant and Given.
	MaxSteps int
	// Parameters says that only the first so many args are differentiated by [Solution.Pullback]; 0 means all args
	// of a float type.
	Parameters int
}

// Solver solves initial value problems of one field. It compiles when it first meets a shape of state and args.
//
// A solve or a pullback does not change the solver, so several goroutines may solve at once where the backend may run
// programs at once, as both the pure Go and the XLA backends may. They share only the compiled programs, and a
// [StepSize] of the caller's own whose Steps must then allow it. A [Solution] belongs to one goroutine at a time, and
// [Solver.Close] waits for nobody: call it after the last solve and pullback.
type Solver struct {
	backend  *xla.Backend
	field    Piecewise
	method   *Method
	control  control
	maxSteps int // of Config
	params   int
	closed   bool

	first, step, save, pull, gather, vectorJacob *xla.Program
	afterJump, slopeJacob                        *xla.Program // for steps that end at jumps
	scaled, probe                                *xla.Program // for an automatic first step
	power                                        *xla.Program // for an estimate of stiffness
	programs                                     []*xla.Program
}

// New prepares a solver.
func New(backend *xla.Backend, field Field, config Config) (*Solver, error) {
	return NewPiecewise(backend, field.piecewise(), config)
}

// NewPiecewise is New for a field that is told the side of jumps.
func NewPiecewise(backend *xla.Backend, field Piecewise, config Config) (*Solver, error) {
	if err := backend.Check(); err != nil {
		return nil, errs.In("pengcde/ode: New", err, ErrInput)
	}
	if field == nil {
		return nil, errs.New(ErrInput, "pengcde/ode: New needs a field")
	}
	s := &Solver{backend: backend, field: checked(field), method: cmp.Or(config.Method, Tsit5),
		maxSteps: config.MaxSteps, params: config.Parameters}
	if config.StepSize == nil {
		config.StepSize = PID{}
	}
	var err error
	if s.control, err = s.controlOf(config.StepSize); err != nil {
		return nil, err
	}
	if s.maxSteps < 0 || s.params < 0 {
		return nil, errs.New(ErrInput, "pengcde/ode: MaxSteps %d, Parameters %d, want 0 or more", s.maxSteps, s.params)
	}
	for _, p := range []struct {
		program **xla.Program
		name    string
		build   func([]*graph.Node) []*graph.Node
	}{
		{&s.first, "first stage", s.buildFirst}, {&s.step, "step", s.buildStep}, {&s.save, "save", s.buildSave},
		{&s.pull, "pull", s.buildPull}, {&s.gather, "gather", buildGather},
		{&s.vectorJacob, "step pullback", s.buildPullback},
		{&s.afterJump, "slope after a jump", s.buildAfterJump}, {&s.slopeJacob, "slope pullback", s.buildSlopePullback},
		{&s.scaled, "scaled norms", buildScaled}, {&s.probe, "probe", buildProbe},
		{&s.power, "power iteration", s.buildPower},
	} {
		if *p.program, err = xla.NewProgram(backend, "ode "+p.name, p.build); err != nil {
			return nil, err
		}
		s.programs = append(s.programs, *p.program)
	}
	return s, nil
}

// control chooses the steps of a solve, and bounds the tries of each sample; 0 sets no bound.
type control struct {
	StepSize
	maxSteps int
}

// controlOf is a control by step sizes that the method can take.
func (s *Solver) controlOf(steps StepSize) (control, error) {
	c, adaptive := control{steps, s.maxSteps}, false
	switch steps.(type) {
	case Constant, *Constant, Given, *Given:
	default:
		adaptive, c.maxSteps = true, cmp.Or(s.maxSteps, DefaultMaxSteps)
	}
	if err := s.method.check(adaptive); err != nil {
		return c, err
	}
	if own, ok := steps.(interface{ check() error }); ok { // Constant and PID; Given is checked against t0 and t1
		return c, own.check()
	}
	return c, nil
}

// DefaultMaxSteps is [Config].MaxSteps where that is 0.
const DefaultMaxSteps = 4096

// ErrClosed is returned by a solver that was closed, and by its solutions where they need it: for [Solution.Pullback]
// and [Solution.At].
var ErrClosed = errors.New("pengcde/ode: the solver is closed: make another with New, and Close only after the last " +
	"pullback")

// Close releases the compiled programs. It does nothing the second time.
func (s *Solver) Close() {
	if s.closed {
		return
	}
	s.closed = true
	for _, p := range s.programs {
		p.Close()
	}
}

// Solve integrates z0 [batch, ...] and returns the states at the save times, given as in [Problem]. The solution keeps
// what [Solution.Pullback] needs until it is closed. z0 and args stay the caller's and must live as long. [Solver.Run]
// has more options.
//
// When a sample does not reach its last save time, the others go on to theirs, and the error is a [*Failure] beside a
// solution that holds what was reached; close that solution too. With any other error there is no solution; the error
// wraps [ErrInput] when the input does not fit.
func (s *Solver) Solve(ctx context.Context, z0 *tensors.Tensor, times [][]float64,
	args ...*tensors.Tensor) (*Solution, error) {
	return s.Run(ctx, Problem{Z0: z0, Times: times, Args: args})
}

// Evaluate is Solve without what a pullback needs: its device memory does not grow with the number of steps.
func (s *Solver) Evaluate(ctx context.Context, z0 *tensors.Tensor, times [][]float64,
	args ...*tensors.Tensor) (*Solution, error) {
	return s.Run(ctx, Problem{Z0: z0, Times: times, Args: args, Forget: true})
}

// checkArgs finds args that are gone, or fewer than Config.Parameters.
func (s *Solver) checkArgs(args []*tensors.Tensor) error {
	for i, arg := range args {
		if !arg.Ok() {
			return errs.New(ErrInput, "pengcde/ode: arg %d is nil or was freed, want it until the last pullback", i)
		}
	}
	if s.params > len(args) {
		return errs.New(ErrInput, "pengcde/ode: %d args, want at least Config.Parameters = %d", len(args), s.params)
	}
	return nil
}

// differentiated lists the args that a pullback differentiates: the args of a float type, among the parameters if
// Config.Parameters says so.
func differentiated[T interface{ DType() dtypes.DType }](s *Solver, args []T) (wrt []int) {
	for i, arg := range args {
		if arg.DType().IsFloat() && (s.params == 0 || i < s.params) {
			wrt = append(wrt, i)
		}
	}
	return wrt
}

// checked is a field whose errors while it is built, and results of another shape than the state's, wrap [ErrInput].
func checked(field Piecewise) Piecewise {
	return func(t, side, z *graph.Node, args []*graph.Node) (k *graph.Node) {
		if err := panics.Catch(func() { k = field(t, side, z, args) }); err != nil {
			panic(errs.In(fmt.Sprintf("pengcde/ode: the field does not take state %s with these args", z.Shape()), err,
				ErrInput))
		}
		if k == nil || !k.Shape().Equal(z.Shape()) {
			got := "nothing"
			if k != nil {
				got = k.Shape().String()
			}
			panic(errs.New(ErrInput, "pengcde/ode: the field gives %s, want the state's %s", got, z.Shape()))
		}
		return k
	}
}

// together makes one state [batch, ...] of each list of tensors, one for each sample, of which the sample's own row is
// taken.
func (s *Solver) together(lists ...[]*tensors.Tensor) ([]*tensors.Tensor, error) {
	var inputs []any
	for _, from := range lists {
		for _, z := range from {
			inputs = append(inputs, z)
		}
	}
	return s.gather.Call(inputs...)
}

// rowsOf lists for [Solver.together] the tensor that each sample's row comes from: one where it is chosen, else other.
func rowsOf(chosen []bool, one, other *tensors.Tensor) []*tensors.Tensor {
	from := make([]*tensors.Tensor, len(chosen))
	for b := range chosen {
		if from[b] = other; chosen[b] {
			from[b] = one
		}
	}
	return from
}

// call runs a program on tensors, Go slices and donated tensors, and args after them.
func call(p *xla.Program, args []*tensors.Tensor, inputs ...any) ([]*tensors.Tensor, error) {
	for _, arg := range args {
		inputs = append(inputs, arg)
	}
	return p.Call(inputs...)
}
