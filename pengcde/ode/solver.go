package ode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/xla"
)

// Config chooses the method and the step sizes. The zero value is Tsit5 with the adaptive steps of [PID].
type Config struct {
	// Method is the Runge-Kutta method; nil means [Tsit5].
	Method *Method
	// StepSize chooses the steps; nil means PID{}.
	StepSize StepSize
	// MaxSteps bounds the tries of each sample. 0 means [DefaultMaxSteps], or no bound with Constant and Given.
	MaxSteps int
	// Loop says what drives the steps; the zero value decides by the backend.
	Loop Loop
	// Parameters is the number of leading args that [Solution.Pullback] differentiates; 0 means all args of a float
	// type.
	Parameters int
}

// Solver solves initial value problems of one field. It compiles its programs once for each shape of state and args.
//
// A solve or a pullback does not change the solver. Several goroutines may solve at once if the backend can run
// programs concurrently, as both the pure Go and the XLA backends can. They share only the compiled programs and the
// [StepSize]; the Steps method of a custom StepSize must then allow concurrent calls. A [Solution] belongs to one
// goroutine at a time. [Solver.Close] does not wait: call it after the last solve and pullback.
type Solver struct {
	backend  *xla.Backend
	field    Piecewise
	method   *Method
	control  control
	maxSteps int // from Config
	params   int
	onDevice bool // the device drives the steps where it can
	closed   bool

	first, step, save, pull, gather, vectorJacob *xla.Program
	afterJump, slopeJacob                        *xla.Program // for steps that end at jumps
	scaled, probe                                *xla.Program // for an automatic first step
	power                                        *xla.Program // for an estimate of stiffness
	loop, loopBlank, loopSave, loopRow           *xla.Program // for steps in loops on the device
	loopStates, loopStarts, loopPullback         *xla.Program
	programs                                     []*xla.Program
}

// New returns a solver of a field. It compiles nothing.
func New(backend *xla.Backend, field Field, config Config) (*Solver, error) {
	return NewPiecewise(backend, field.piecewise(), config)
}

// NewPiecewise is New for a field that receives the side of jumps.
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
	if err := config.Loop.Check(); err != nil {
		return nil, err
	}
	s.onDevice = config.Loop.onDevice(backend)
	for _, p := range []struct {
		program **xla.Program
		name    string
		build   func([]*graph.Node) []*graph.Node
	}{
		{&s.first, "first stage", s.buildFirst}, {&s.step, "step", s.buildStep}, {&s.save, "save", buildSave},
		{&s.pull, "pull", buildPull}, {&s.gather, "gather", buildGather},
		{&s.vectorJacob, "step pullback", s.buildPullback},
		{&s.afterJump, "slope after a jump", s.buildAfterJump}, {&s.slopeJacob, "slope pullback", s.buildSlopePullback},
		{&s.scaled, "scaled norms", buildScaled}, {&s.probe, "probe", buildProbe},
		{&s.power, "power iteration", s.buildPower},
		{&s.loopBlank, "blank loop", s.buildLoopBlank}, {&s.loopSave, "save of a loop", buildLoopSave},
		{&s.loopStates, "states of a loop", buildLoopStates}, {&s.loopRow, "state of a loop", buildLoopRow},
		{&s.loopStarts, "starts of a loop", buildLoopStarts},
	} {
		if *p.program, err = xla.NewProgram(backend, "ode "+p.name, p.build); err != nil {
			s.Close()
			return nil, err
		}
		s.programs = append(s.programs, *p.program)
	}
	if s.loop, err = xla.NewLoop(backend, "ode steps", s.buildLoop); err != nil {
		s.Close()
		return nil, err
	}
	s.programs = append(s.programs, s.loop)
	if s.loopPullback, err = xla.NewLoop(backend, "ode pullbacks", s.buildLoopPullback); err != nil {
		s.Close()
		return nil, err
	}
	s.programs = append(s.programs, s.loopPullback)
	return s, nil
}

// control chooses the steps of a solve and bounds the tries of each sample; 0 sets no bound.
type control struct {
	StepSize
	maxSteps int
}

// controlOf returns a control with step sizes that suit the method.
func (s *Solver) controlOf(steps StepSize) (control, error) {
	if own := reflect.ValueOf(steps); own.Kind() == reflect.Pointer && own.IsNil() {
		return control{}, errs.New(ErrInput, "pengcde/ode: StepSize is a nil %T, want PID, Constant or Given", steps)
	}
	c, adaptive := control{steps, s.maxSteps}, false
	switch steps.(type) {
	case Constant, *Constant, Given, *Given:
	default:
		adaptive, c.maxSteps = true, cmp.Or(s.maxSteps, DefaultMaxSteps)
	}
	if err := s.method.Check(adaptive); err != nil {
		return c, err
	}
	if own, ok := steps.(interface{ check() error }); ok { // Constant and PID; Given is checked against t0 and t1
		return c, own.check()
	}
	return c, nil
}

// DefaultMaxSteps is the value of [Config].MaxSteps if it is 0.
const DefaultMaxSteps = 4096

// ErrClosed is returned by a closed solver, and by [Solution.Pullback] and [Solution.At] of its solutions.
var ErrClosed = errors.New("pengcde/ode: the solver is closed: make another with New, and Close only after the last " +
	"pullback")

// Close releases the compiled programs. A second call does nothing.
func (s *Solver) Close() {
	if s.closed {
		return
	}
	s.closed = true
	for _, p := range s.programs {
		p.Close()
	}
}

// Solve integrates z0 [batch, ...] and returns the states at the save times, as in [Problem]. The solution keeps the
// args for [Solution.Pullback] until it is closed. The caller owns z0 and args, and must keep args until then.
// [Solver.Run] has more options.
//
// If a sample does not reach its last save time, the others go on. The error is then a [*Failure], and the solution
// holds the states reached; close this solution too. With any other error there is no solution; the error wraps
// [ErrInput] if the input is invalid.
func (s *Solver) Solve(ctx context.Context, z0 *tensors.Tensor, times [][]float64,
	args ...*tensors.Tensor) (*Solution, error) {
	return s.Run(ctx, Problem{Z0: z0, Times: times, Args: args})
}

// Evaluate is Solve without support for a pullback: its device memory does not grow with the number of steps.
func (s *Solver) Evaluate(ctx context.Context, z0 *tensors.Tensor, times [][]float64,
	args ...*tensors.Tensor) (*Solution, error) {
	return s.Run(ctx, Problem{Z0: z0, Times: times, Args: args, Forget: true})
}

// checkArgs returns an error for args that were freed, or for fewer args than Config.Parameters.
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

// differentiated lists the indices of the args that a pullback differentiates: args of a float type, among the first
// Config.Parameters if that is set.
func differentiated[T interface{ DType() dtypes.DType }](s *Solver, args []T) (wrt []int) {
	for i, arg := range args {
		if arg.DType().IsFloat() && (s.params == 0 || i < s.params) {
			wrt = append(wrt, i)
		}
	}
	return wrt
}

// checked wraps a field so that its build errors, and results whose shape differs from the state's, wrap [ErrInput].
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

// together assembles one state [batch, ...] from each list of tensors. A list has one tensor per sample, and the state
// takes the sample's own row from it.
func (s *Solver) together(lists ...[]*tensors.Tensor) ([]*tensors.Tensor, error) {
	var inputs []any
	for _, from := range lists {
		for _, z := range from {
			inputs = append(inputs, z)
		}
	}
	return s.gather.Call(inputs...)
}

// rowsOf lists for [Solver.together] the tensor of each sample's row: one for chosen samples, else other.
func rowsOf(chosen []bool, one, other *tensors.Tensor) []*tensors.Tensor {
	from := make([]*tensors.Tensor, len(chosen))
	for b := range chosen {
		if from[b] = other; chosen[b] {
			from[b] = one
		}
	}
	return from
}

// call runs a program on inputs (tensors, Go slices and donated tensors), followed by args.
func call(p *xla.Program, args []*tensors.Tensor, inputs ...any) ([]*tensors.Tensor, error) {
	for _, arg := range args {
		inputs = append(inputs, arg)
	}
	return p.Call(inputs...)
}
