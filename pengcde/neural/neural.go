// Package neural trains a vector field against a loss, both written as graphs: neural ordinary and controlled
// differential equations on data of any kind, without a cotangent by hand. It does not depend on graphs of nodes.
package neural

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/paramfile"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrInput is wrapped by errors about models and batches that cannot be trained.
var ErrInput = errs.ErrInput

// ErrClosed is returned by a closed [Learner].
var ErrClosed = errors.New("pengcde/neural: the learner is closed")

// ErrFile is wrapped by the errors of [Learner.Load] for a file that is damaged or holds other parameters.
var ErrFile = paramfile.ErrFile

// Model is a differential equation with parameters, and its loss.
type Model struct {
	// Params declares the parameters of all parts. Seed draws their initial values, as float64 with Float64, else as
	// float32; tensors of batches have the same type.
	Params  []nn.Param
	Seed    uint64
	Float64 bool
	// Start builds the initial state z0 [batch, ...] from the inputs of a batch; nil means the first input.
	Start func(v nn.Values, inputs []*Node) *Node
	// Field builds dz/dt [batch, ...] at t [batch] from z and the args of a batch, such as a control path.
	Field func(v nn.Values, t, z *Node, args []*Node) *Node
	// Loss builds a number from the states z [batch, S, ...] at the save times and the targets of a batch.
	Loss func(v nn.Values, z *Node, targets []*Node) *Node
}

// Batch holds samples that are solved together. The tensors stay the caller's.
type Batch struct {
	// Times, StepTo and Continuous are as in [ode.Problem], and so is Memory, for solves that are differentiated.
	Times, StepTo [][]float64
	Continuous    bool
	Memory        ode.Memory
	// Inputs are for Model.Start, Args for Model.Field and Targets for Model.Loss.
	Inputs, Args, Targets []*tensors.Tensor
}

// Learner trains a [Model]. It is for one goroutine at a time.
type Learner struct {
	model   Model
	backend *xla.Backend
	config  ode.Config
	params  []*tensors.Tensor
	solver  *ode.Solver

	start, loss, gradient *xla.Program
}

// New returns a learner with initial parameters. config.Parameters is set to their number. Close frees them.
func New(backend *xla.Backend, model Model, config ode.Config) (*Learner, error) {
	if model.Field == nil || model.Loss == nil || len(model.Params) == 0 {
		return nil, errs.New(ErrInput, "pengcde/neural: a model with %d Params, Field %v and Loss %v, want all three",
			len(model.Params), model.Field != nil, model.Loss != nil)
	}
	if err := nn.Check(model.Params); err != nil {
		return nil, err
	}
	if model.Start == nil {
		model.Start = func(_ nn.Values, inputs []*Node) *Node { return inputs[0] }
	}
	count := len(model.Params)
	config.Parameters = count
	l := &Learner{model: model, backend: backend, config: config}
	field := func(t, z *Node, args []*Node) *Node { return model.Field(l.bind(args), t, z, args[count:]) }
	var err error
	if l.solver, err = ode.New(backend, field, config); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		to    **xla.Program
		name  string
		build func(in []*Node) []*Node
	}{{&l.start, "start", l.buildStart}, {&l.loss, "loss", l.buildLoss}, {&l.gradient, "gradient", l.buildGradient}} {
		if *p.to, err = xla.NewProgram(backend, "neural "+p.name, p.build); err != nil {
			l.Close()
			return nil, err
		}
	}
	l.params = nn.Draw(model.Params, l.dtype(), model.Seed)
	return l, nil
}

func (l *Learner) dtype() dtypes.DType {
	if l.model.Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// bind returns the parameters by name from the first nodes.
func (l *Learner) bind(nodes []*Node) nn.Values { return nn.Bind(l.model.Params, nodes) }

// buildStart builds z0 from parameters and inputs.
func (l *Learner) buildStart(in []*Node) []*Node {
	return []*Node{l.model.Start(l.bind(in), in[len(l.model.Params):])}
}

// buildLoss builds the loss, and its gradients with respect to the states and the parameters, from parameters, states
// and targets.
func (l *Learner) buildLoss(in []*Node) []*Node {
	count := len(l.model.Params)
	params, z := in[:count], in[count]
	loss := l.model.Loss(l.bind(params), z, in[count+1:])
	loss.AssertScalar()
	return append([]*Node{loss}, Gradient(loss, append([]*Node{z}, params...)...)...)
}

// buildGradient builds the gradients of the parameters from their gradients by loss and by field, which come last, and
// the cotangent of z0 before these.
func (l *Learner) buildGradient(in []*Node) []*Node {
	count, last := len(l.model.Params), len(in)-2*len(l.model.Params)
	params, inputs, cotangent := in[:count], in[count:last-1], in[last-1]
	start := l.model.Start(l.bind(params), inputs)
	sums := Gradient(ReduceAllSum(Mul(start, cotangent)), params...)
	for i := range sums {
		sums[i] = Add(sums[i], Add(in[last+i], in[last+count+i]))
	}
	return sums
}

// Params returns the parameters in the order of Model.Params. They stay the learner's.
func (l *Learner) Params() []*tensors.Tensor { return l.params }

// fileFormat is the format of a file of parameters.
const fileFormat = "learner 1"

// Save writes the parameters to a safetensors file, which Python's safetensors can read too. It replaces the file
// atomically: after a failure the old file is still there.
func (l *Learner) Save(path string) error {
	if l.params == nil {
		return ErrClosed
	}
	if err := paramfile.Write(path, fileFormat, nil, l.model.Params, l.params); err != nil {
		return fmt.Errorf("pengcde/neural: save: %w", err)
	}
	return nil
}

// Load replaces the parameters by the values in a file written by Save of a learner with the same Params, rounded to
// float32 without Float64. After an error the learner is as before. Errors about the content wrap [ErrFile].
func (l *Learner) Load(path string) error {
	if l.params == nil {
		return ErrClosed
	}
	file, err := paramfile.Read(path, fileFormat)
	if err == nil {
		var loaded []*tensors.Tensor
		if loaded, err = paramfile.Values(file, l.model.Params, l.dtype()); err == nil {
			xla.Free(l.params...)
			l.params = loaded
			return nil
		}
	}
	return fmt.Errorf("pengcde/neural: load %s: %w", path, err)
}

// Solve returns the solution of a batch, whose Z are the states [batch, S, ...] at the save times. Close it.
func (l *Learner) Solve(ctx context.Context, b Batch) (*ode.Solution, error) {
	return l.solve(ctx, l.params, b, 0, false)
}

// solve solves a batch, with steps that are refined a number of times. forget keeps nothing for a pullback.
func (l *Learner) solve(ctx context.Context, params []*tensors.Tensor, b Batch, refined int, forget bool) (
	*ode.Solution, error) {
	if params == nil {
		return nil, ErrClosed
	}
	if len(b.Inputs) == 0 {
		return nil, errs.New(ErrInput, "pengcde/neural: a batch without Inputs, want the initial states, or what Start reads")
	}
	z0, err := l.start.Call(inputs(params, b.Inputs)...)
	if err != nil {
		return nil, err
	}
	defer xla.Free(z0...)
	problem := ode.Problem{Z0: z0[0], Times: b.Times, StepTo: b.StepTo, Continuous: b.Continuous,
		Args: slices.Concat(params, b.Args), Forget: forget}
	if !forget {
		problem.Memory = b.Memory
	}
	if refined > 0 {
		problem.StepSize = ode.Finer(l.config.StepSize, refined)
	}
	solution, err := l.solver.Run(ctx, problem)
	if err != nil {
		solution.Close()
		return nil, train.Unsolved(err)
	}
	return solution, nil
}

// inputs lists tensors as a program takes them.
func inputs(all ...[]*tensors.Tensor) (list []any) {
	for _, t := range slices.Concat(all...) {
		list = append(list, t)
	}
	return list
}

// Loss returns the loss of a batch.
func (l *Learner) Loss(ctx context.Context, b Batch) (float64, error) {
	return l.lossOf(ctx, l.params, b)
}

func (l *Learner) lossOf(ctx context.Context, params []*tensors.Tensor, b Batch) (float64, error) {
	solution, err := l.solve(ctx, params, b, 0, true)
	if err != nil {
		return 0, err
	}
	defer solution.Close()
	out, err := l.loss.Call(inputs(params, []*tensors.Tensor{solution.Z}, b.Targets)...)
	if err != nil {
		return 0, err
	}
	defer xla.Free(out...)
	return host.Floats(out[0])[0], nil
}

// Gradient returns the gradient of a batch's loss with respect to the parameters, which the caller frees, and the loss.
func (l *Learner) Gradient(ctx context.Context, b Batch) (gradient []*tensors.Tensor, loss float64, err error) {
	loss, gradient, err = (&problem{Learner: l, training: []Batch{b}}).Gradient(ctx, l.params, 0)
	return gradient, loss, err
}

// Fit trains by [train.Fit] on batches, in turns, and keeps the parameters with the lowest mean loss over the
// validation batches, or the last without any. A training on other batches does not go on from a checkpoint. The Key of
// the checkpoint must tell models and solvers apart, as functions cannot be compared.
func (l *Learner) Fit(ctx context.Context, training, validation []Batch, config train.Config) (*train.Report, error) {
	if l.params == nil {
		return nil, ErrClosed
	}
	if len(training) == 0 {
		return nil, errs.New(ErrInput, "pengcde/neural: no batches to train on, want one at least")
	}
	if len(validation) == 0 {
		config.EvaluateEvery = train.NoValidation
	}
	config, err := keyed(config, training, validation)
	if err != nil {
		return nil, err
	}
	params := l.params
	l.params = nil
	params, report, err := train.Fit(ctx, l.backend, &problem{Learner: l, training: training, validation: validation},
		params, config)
	l.params = params
	return report, err
}

// problem implements [train.Problem], [train.Refiner] and [train.Stepper].
type problem struct {
	*Learner
	training, validation []Batch
	stats                []ode.Stats // by sample
}

func (p *problem) Batches() int { return len(p.training) }

func (p *problem) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
	return p.Refine(ctx, params, batch, 0)
}

func (p *problem) Steps() (tries, rejected int) {
	for _, s := range p.stats {
		tries, rejected = tries+s.Accepted+s.Rejected, rejected+s.Rejected
	}
	return tries, rejected
}

func (p *problem) Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64,
	[]*tensors.Tensor, error) {
	b := p.training[batch]
	p.stats = nil
	solution, err := p.solve(ctx, params, b, times, false)
	if err != nil {
		return 0, nil, err
	}
	defer solution.Close()
	p.stats = solution.Stats
	out, err := p.loss.Call(inputs(params, []*tensors.Tensor{solution.Z}, b.Targets)...)
	if err != nil {
		return 0, nil, err
	}
	defer xla.Free(out...)
	pulled, err := solution.Pullback(ctx, out[1])
	if err != nil {
		return 0, nil, err
	}
	defer pulled.Free()
	gradients, err := p.gradient.Call(inputs(params, b.Inputs, []*tensors.Tensor{pulled.Z0}, out[2:],
		pulled.Args[:len(params)])...)
	return host.Floats(out[0])[0], gradients, err
}

func (p *problem) Validate(ctx context.Context, params []*tensors.Tensor) (mean float64, err error) {
	for _, b := range p.validation {
		loss, err := p.lossOf(ctx, params, b)
		if err != nil {
			return 0, err
		}
		mean += loss / float64(len(p.validation))
	}
	return mean, nil
}

// Close frees parameters and programs.
func (l *Learner) Close() {
	xla.Free(l.params...)
	l.params = nil
	if l.solver != nil {
		l.solver.Close()
	}
	for _, p := range []*xla.Program{l.start, l.loss, l.gradient} {
		if p != nil {
			p.Close()
		}
	}
}
