package pengcde

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/xla"
)

// recurrent is a network that forecasts at each observation of a series, or says the class at the last, in blocks of a
// few steps: one program for a block and one for its pullback serve all blocks, where one for a whole series would take
// minutes to compile.
type recurrent struct {
	*discrete
	network  sequence.Recurrent
	compiled map[batchForm]*blockPrograms
}

// blockPrograms are those for batches of one form; the objective serves all blocks of one.
type blockPrograms struct{ forward, pullback, objective *xla.Program }

// inBlocks is the network of the configuration where it is taken in blocks.
func (c Config) inBlocks() (sequence.Recurrent, bool) {
	r, ok := c.Network.(sequence.Recurrent)
	return r, ok && (c.Output == PerTime || c.Output == Class)
}

// maxBlock bounds the steps in a program.
const maxBlock = 10

// block is the largest number of steps up to maxBlock that divides the observations.
func block(observations int) int {
	steps := min(maxBlock, observations)
	for observations%steps != 0 {
		steps--
	}
	return steps
}

func (r *recurrent) close() {
	for _, p := range r.compiled {
		p.close()
	}
	clear(r.compiled)
	r.discrete.close()
}

func (p *blockPrograms) close() {
	for _, one := range []*xla.Program{p.forward, p.pullback, p.objective} {
		if one != nil {
			one.Close()
		}
	}
}

func (r *recurrent) form(b *batch) batchForm { return batchForm{b.form, b.share != nil} }

func (r *recurrent) compile(b *batch) (*blockPrograms, error) {
	form := r.form(b)
	if p := r.compiled[form]; p != nil {
		return p, nil
	}
	p, met := &blockPrograms{}, len(b.met())
	for _, one := range []struct {
		program **xla.Program
		name    string
		build   func(in []*Node) []*Node
	}{
		{&p.forward, "steps", func(in []*Node) []*Node { return r.buildForward(form.control, in) }},
		{&p.pullback, "steps' pullback", func(in []*Node) []*Node { return r.buildPullback(form.control, in) }},
		{&p.objective, "loss", func(in []*Node) []*Node { return r.buildObjective(met, in) }},
	} {
		var err error
		if *one.program, err = xla.NewProgram(r.backend, one.name, one.build); err != nil {
			p.close()
			return nil, err
		}
	}
	r.compiled[form] = p
	return p, nil
}

// buildForward: (state [B, n, width] and number of the first observation, x0 [B, n, p], control, parameters...) ->
// (forecasts [B, steps, n, q], or of a class [B, 1, 1, q] at the last step, state after the block).
func (r *recurrent) buildForward(form field.Form, in []*Node) []*Node {
	state, first, x0 := in[0], in[1], in[2]
	inputs, params := in[3:len(in)-len(r.params)], in[len(in)-len(r.params):]
	control := form.Control(inputs)
	steps := block(control.Times().Shape().Dim(1))
	y, next := sequence.Steps(r.network, nn.Bind(r.params, params), r.sizes, inputsOf(control.Part(first, steps), x0),
		state)
	want := shapes.Make(x0.DType(), x0.Shape().Dim(0), steps, r.sizes.Nodes, r.sizes.Outputs)
	if !y.Shape().Equal(want) || !next.Shape().Equal(state.Shape()) {
		panic(invalid("Config.Network, a %T, steps to forecasts %s and states %s, want %s and %s", r.network, y.Shape(),
			next.Shape(), want, state.Shape()))
	}
	if r.classes {
		y = r.forecasts(SliceAxis(y, 1, AxisElem(-1)))
	}
	return []*Node{y, next}
}

// buildPullback: (cotangents of the forecasts of a block and of the state after it, gradients of the parameters so
// far..., inputs of buildForward...) -> (cotangent of the state before the block, gradients...).
func (r *recurrent) buildPullback(form field.Form, in []*Node) []*Node {
	count := len(r.params)
	ofForecasts, ofState, gradients, inputs := in[0], in[1], in[2:2+count], in[2+count:]
	state, params := inputs[0], inputs[len(inputs)-count:]
	out := r.buildForward(form, inputs)
	pulled := Gradient(Add(ReduceAllSum(Mul(ofForecasts, out[0])), ReduceAllSum(Mul(ofState, out[1]))),
		append([]*Node{state}, params...)...)
	for i, g := range gradients {
		pulled[1+i] = Add(g, pulled[1+i])
	}
	return pulled
}

// buildObjective: (what forecasts are compared with, forecasts of all blocks...) -> (loss, its cotangents of these
// forecasts...). A class is compared with the last block's forecasts.
func (r *recurrent) buildObjective(met int, in []*Node) []*Node {
	y := Concatenate(in[met:], 1)
	if r.classes {
		y = SliceAxis(y, 1, AxisElem(-1))
	}
	loss := r.loss(y, in[:met], 0)
	return append([]*Node{loss}, Gradient(loss, in[met:]...)...)
}

// stateOf is the shape of the states of a batch.
func (r *recurrent) stateOf(b *batch) shapes.Shape {
	x0 := b.x0.Shape()
	return shapes.Make(x0.DType, x0.Dim(0), x0.Dim(1), r.network.State(r.sizes))
}

// firsts are the numbers of the first observations of a batch's blocks.
func firsts(b *batch) (numbers []int32) {
	observations := b.control[0].Shape().Dim(1)
	for first := 0; first < observations; first += block(observations) {
		numbers = append(numbers, int32(first))
	}
	return numbers
}

// rollOut takes all blocks of a batch: their forecasts, and the states before each.
func (r *recurrent) rollOut(ctx context.Context, params []*tensors.Tensor, b *batch) (forecasts,
	states []*tensors.Tensor, err error) {
	p, err := r.compile(b)
	if err != nil {
		return nil, nil, err
	}
	shape := r.stateOf(b)
	state := host.Tensor(shape.DType, make([]float64, shape.Size()), shape.Dimensions...)
	defer func() { xla.Free(state) }()
	rest := slices.Concat(b.observed(), params)
	for _, first := range firsts(b) {
		var out []*tensors.Tensor
		if err = ctx.Err(); err == nil {
			out, err = call(p.forward, rest, state, first)
		}
		if err != nil {
			xla.Free(slices.Concat(forecasts, states)...)
			return nil, nil, err
		}
		forecasts, states, state = append(forecasts, out[0]), append(states, state), out[1]
	}
	return forecasts, states, nil
}

func (r *recurrent) evaluate(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*evaluation,
	error) {
	forecasts, states, err := r.rollOut(ctx, params, b)
	if err != nil {
		return nil, err
	}
	defer xla.Free(states...)
	defer xla.Free(forecasts...)
	p := r.compiled[r.form(b)]
	out, err := call(p.objective, slices.Concat(b.met(), forecasts))
	if err != nil {
		return nil, err
	}
	defer xla.Free(out...)
	losses := host.Floats(out[0])
	if why == forLoss {
		return &evaluation{losses: losses}, nil
	}
	shape := r.stateOf(b)
	cotangent := host.Tensor(shape.DType, make([]float64, shape.Size()), shape.Dimensions...)
	defer func() { xla.Free(cotangent) }()
	var gradients []*tensors.Tensor
	for _, p := range params {
		gradients = append(gradients, host.Tensor(p.DType(), make([]float64, p.Size()), p.Shape().Dimensions...))
	}
	for i, first := range slices.Backward(firsts(b)) {
		var pulled []*tensors.Tensor
		if err = ctx.Err(); err == nil {
			rest := slices.Concat(gradients, []*tensors.Tensor{states[i]})
			pulled, err = r.pull(p, out[1+i], cotangent, rest, first, slices.Concat(b.observed(), params))
		}
		xla.Free(gradients...)
		if err != nil {
			return nil, err
		}
		xla.Free(cotangent)
		cotangent, gradients = pulled[0], pulled[1:]
	}
	return &evaluation{losses: losses, gradients: gradients}, nil
}

// pull calls the pullback of a block.
func (r *recurrent) pull(p *blockPrograms, ofForecasts, ofState *tensors.Tensor, before []*tensors.Tensor, first int32,
	rest []*tensors.Tensor) ([]*tensors.Tensor, error) {
	inputs := []any{ofForecasts, ofState}
	for _, t := range before {
		inputs = append(inputs, t)
	}
	return call(p.pullback, rest, append(inputs, first)...)
}

// forecast returns the forecasts of a batch, row-major: for a class the last block's.
func (r *recurrent) forecast(ctx context.Context, params []*tensors.Tensor, b *batch) ([]float64, error) {
	blocks, states, err := r.rollOut(ctx, params, b)
	if err != nil {
		return nil, err
	}
	defer xla.Free(slices.Concat(blocks, states)...)
	if r.classes {
		blocks = blocks[len(blocks)-1:]
	}
	var flat []float64
	for sample := range b.x0.Shape().Dim(0) {
		for _, y := range blocks {
			size := y.Size() / y.Shape().Dim(0)
			flat = append(flat, host.Part(y, sample*size, (sample+1)*size)...)
		}
	}
	return flat, nil
}

func (r *recurrent) predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error) {
	return r.predictBy(ctx, r.forecast, m, samples, asked)
}

func (r *recurrent) plan(params []*tensors.Tensor, b *batch, temporary map[string]int64) (*Plan, error) {
	p, err := r.compile(b)
	if err != nil {
		return nil, err
	}
	state, first := r.stateOf(b), shapes.Make(dtypes.Int32)
	met := b.target.Shape().Clone()
	met.Dimensions[1] = block(met.Dimensions[1])
	inputs := append([]shapes.Shape{met, state}, shapesOf(params...)...)
	inputs = append(append(inputs, state, first), shapesOf(slices.Concat(b.observed(), params)...)...)
	like := fmt.Sprint(b.form, inputs)
	if _, ok := temporary[like]; !ok {
		if temporary[like], err = p.pullback.Temporary(inputs...); err != nil {
			return nil, errs.In("pengcde", err)
		}
	}
	plan := &Plan{Data: b.owned.Bytes(), Saves: int64(len(firsts(b))) * int64(state.ByteSize()),
		Parameters: trained(params), Temporary: temporary[like]}
	plan.DeviceBytes = plan.Data + plan.Saves + plan.Parameters + plan.Temporary
	return plan, nil
}
