package pengcde

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// wiring holds the parts of a differential equation.
type wiring struct {
	encoder    encoders
	ofRows     bool // the encoder is given matrix rows
	field      field.Field
	head       head.Head
	method     *ode.Method
	stepSize   ode.StepSize
	maxSteps   int  // of adaptive steps; 0 for ode's default
	continuous bool // the field is continuous where steps end, unless nodes appear or leave there
	loop       ode.Loop
	memory     ode.Memory // of solves that are differentiated
	hidden     int        // width of the state
}

// equation computes the encoder, the solve and the readout, compiled. It holds no parameter values.
type equation struct {
	wiring
	backend  *xla.Backend
	params   []nn.Param // all declared parameters
	declared sections[nn.Param]
	compiled forms[field.Form, *compiled] // by the form of a batch's control
}

func newEquation(backend *xla.Backend, w wiring) (*equation, error) {
	n := &equation{wiring: w, backend: backend, compiled: make(forms[field.Form, *compiled])}
	n.declared = sections[nn.Param]{w.encoder.Params(), w.field.Params(), w.head.Params()}
	n.params = n.declared.all()
	if err := nn.Check(n.params); err != nil {
		return nil, errs.In("pengcde: Config makes", err)
	}
	return n, nil
}

func (e *equation) close() { e.compiled.close() }

// sections splits a list in the order of the declared parameters.
func (e *equation) sections(params []*tensors.Tensor) sections[*tensors.Tensor] {
	return sectioned(e.declared, params)
}

// start returns the tensors that the initial state of a batch is encoded from.
func (e *equation) start(b *batch) []*tensors.Tensor {
	if e.ofRows {
		return b.control
	}
	return []*tensors.Tensor{b.x0}
}

// buildEncode builds z0 [B, n, hidden] from the tensors of [equation.start] and the encoder's parameters.
func (e *equation) buildEncode(form field.Form, in inputs) []*Node {
	v := form.Seeds.Bind(e.declared.encoder, in["params"])
	if e.ofRows {
		return []*Node{e.encoder.ofRows(v, form.Control(in["start"]).Graph(0))}
	}
	return []*Node{e.encoder.Apply(v, in.one("start"))}
}

// buildEncodePull builds the gradients of the encoder's parameters from the cotangent of z0.
func (e *equation) buildEncodePull(form field.Form, in inputs) []*Node {
	z0 := e.buildEncode(form, in)[0]
	return Gradient(ReduceAllSum(Mul(in.one("cotangent"), z0)), in["params"]...)
}

// forecasts builds the head's forecasts from the states. It also returns the head's parameters.
func (e *equation) forecasts(form field.Form, in inputs) (*Node, nn.Values) {
	v := form.Seeds.Bind(e.declared.head, in["params"])
	names, _ := e.head.Inputs()
	if form.Present {
		names = append([]string{head.Present}, names...)
	}
	seen := head.Bind(names, in["seen"])
	return headForecast(e.head, v, equivariant.Mask(seen[head.Present], in.one("states")), seen), v
}

// buildDecode builds forecasts from the states [B, S, n, hidden].
func (e *equation) buildDecode(form field.Form, in inputs) []*Node {
	y, _ := e.forecasts(form, in)
	return []*Node{y}
}

// buildObjective builds the loss, the cotangent of the states and the gradients of the head's parameters. For
// parameters of several seeds the loss is [seeds], one for each seed, with the gradients of each seed's parameters.
func (e *equation) buildObjective(form field.Form, in inputs) []*Node {
	y, v := e.forecasts(form, in)
	_, names := e.head.Inputs()
	loss, penalty := headLoss(e.head, v, y, head.Bind(names, in["targets"]))
	total := ReduceAllSum(loss)
	if penalty != nil {
		total = Add(total, penalty)
	}
	return append([]*Node{loss}, Gradient(total, slices.Concat(in["states"], in["params"])...)...)
}

// solve encodes a batch and integrates it.
func (e *equation) solve(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*ode.Solution, error) {
	c, err := e.compile(b.form)
	if err != nil {
		return nil, err
	}
	z0, err := c.call("encoder", values{"start": e.start(b), "params": e.sections(params).encoder})
	if err != nil {
		return nil, err
	}
	defer xla.Free(z0...)
	solution, err := e.integrate(ctx, params, b, z0[0], why)
	if errors.Is(err, ErrInput) {
		if bad := notFiniteStart(b.x0, z0[0]); bad != nil {
			return nil, bad
		}
	}
	return solution, err
}

// startError reports an encoded state that is not finite although the features are: the encoder's parameters have
// diverged.
type startError struct {
	sample, entry int
	value         float64
}

func (e *startError) Error() string {
	return fmt.Sprintf("pengcde: encoded state, entry %d of sample %d, is %g, want a finite number: the parameters have "+
		"diverged; try a smaller learning rate", e.entry, e.sample, e.value)
}

func (e *startError) Unwrap() error { return train.ErrNotFinite }

// notFiniteStart returns an error for the first entry of z0 [B, n, hidden] that is not finite. It returns nil if there
// is none, or if the features x0 [B, n, p] of its sample are not finite either.
func notFiniteStart(x0, z0 *tensors.Tensor) error {
	notFinite := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	states, samples := host.Floats(z0), z0.Shape().Dimensions[0]
	at, size, features := slices.IndexFunc(states, notFinite), z0.Size()/samples, x0.Size()/samples
	if at < 0 || slices.ContainsFunc(host.Part(x0, at/size*features, (at/size+1)*features), notFinite) {
		return nil
	}
	return &startError{sample: at / size, entry: at % size, value: states[at]}
}

// integrate solves a batch from z0 [B, n, hidden].
func (e *equation) integrate(ctx context.Context, params []*tensors.Tensor, b *batch, z0 *tensors.Tensor,
	why purpose) (*ode.Solution, error) {
	args := slices.Concat(e.sections(params).field, b.control)
	problem := ode.Problem{Z0: z0, Times: b.times, Args: args, StepTo: b.stops, Continuous: e.smooth(b),
		Forget: why == forLoss}
	if why != forLoss {
		problem.Memory = e.memory
	}
	if why > forGradient {
		problem.StepSize = ode.Finer(e.stepSize, int(why))
	}
	c, err := e.compile(b.form)
	if err != nil {
		return nil, err
	}
	solution, err := c.solver.Run(ctx, problem)
	if err != nil {
		solution.Close() // a partial solution is of no use here
		if errors.Is(err, ErrInput) {
			err = errs.In("pengcde", err)
		}
		return nil, err
	}
	return solution, nil
}

// smooth reports whether the field is continuous where the steps of a batch end.
func (e *equation) smooth(b *batch) bool { return e.continuous && !b.form.Present }

func (e *equation) evaluate(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*evaluation,
	error) {
	solution, err := e.solve(ctx, params, b, why)
	if err != nil {
		return nil, err
	}
	defer solution.Close()
	// The loss takes over the states at the save times: on large graphs they take much of the memory.
	c, own := e.compiled[b.form], e.sections(params)
	out, err := c.call("loss", values{"states": xla.Donate(solution.Z), "seen": b.seen, "targets": b.targets,
		"params": own.head})
	if err != nil {
		return nil, err
	}
	made, readout := &evaluation{losses: host.Floats(out[0]), stats: solution.Stats}, out[2:]
	defer xla.Free(out[0], out[1])
	if why == forLoss {
		xla.Free(readout...)
		return made, nil
	}
	pulled, err := solution.Pullback(ctx, out[1])
	if err != nil {
		xla.Free(readout...)
		return nil, err
	}
	defer xla.Free(pulled.Z0)
	encoder, err := c.call("encoder pullback", values{"cotangent": pulled.Z0, "start": e.start(b), "params": own.encoder})
	if err != nil {
		xla.Free(append(readout, pulled.Args...)...)
		return nil, err
	}
	made.gradients = sections[*tensors.Tensor]{encoder, pulled.Args[:len(own.field)], readout}.all()
	return made, nil
}

// forecast returns the forecasts of a batch at its save times, [B, S, n, q] or [B, S, 1, q], row-major, and the states
// [B, n, hidden] at its end. It starts from z0, or from the encoded features if z0 is nil.
func (e *equation) forecast(ctx context.Context, params []*tensors.Tensor, b *batch,
	z0 *tensors.Tensor) ([]float64, *tensors.Tensor, error) {
	var solution *ode.Solution
	var err error
	if z0 == nil {
		solution, err = e.solve(ctx, params, b, forLoss)
	} else {
		solution, err = e.integrate(ctx, params, b, z0, forLoss)
	}
	if err != nil {
		return nil, nil, train.Unsolved(err)
	}
	defer solution.Close()
	out, err := e.compiled[b.form].call("readout", values{"states": solution.Z, "seen": b.seen,
		"params": e.sections(params).head})
	if err != nil {
		return nil, nil, err
	}
	defer xla.Free(out...)
	dims := solution.Z.Shape().Dimensions // [B, S, n, hidden]
	size, end := dims[2]*dims[3], []float64(nil)
	for last := dims[1]; last <= dims[0]*dims[1]; last += dims[1] {
		end = append(end, host.Part(solution.Z, (last-1)*size, last*size)...)
	}
	return host.Floats(out[0]), host.Tensor(solution.Z.DType(), end, dims[0], dims[2], dims[3]), nil
}
