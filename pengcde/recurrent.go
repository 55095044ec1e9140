package pengcde

import (
	"context"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/xla"
)

// recurrent computes a network that forecasts at each observation of a series, or the class at the last one, in blocks
// of a few steps. One program for a block and one for its pullback serve all blocks; a program for a whole series would
// take minutes to compile.
type recurrent struct {
	*discrete
	network sequence.Recurrent
	classes bool // only the last block makes forecasts
}

// inBlocks returns the network of the configuration if it is computed in blocks.
func (c Config) inBlocks() (sequence.Recurrent, bool) {
	r, ok := c.Network.(sequence.Recurrent)
	_, class := c.Head.(head.Class)
	return r, ok && (class || c.perTime())
}

// maxBlock bounds the steps in a program.
const maxBlock = 10

// block returns the largest number of steps up to maxBlock that divides the number of observations.
func block(observations int) int {
	steps := min(maxBlock, observations)
	for observations%steps != 0 {
		steps--
	}
	return steps
}

// compile returns the programs for the form of a batch, and compiles them on first use. One loss serves all blocks of a
// batch.
func (r *recurrent) compile(b *batch) (programs, error) {
	form := b.batchForm()
	return r.compiled.find(form, func() (programs, error) {
		forward := []string{"state", "first", "x0", "control", "params"}
		return newPrograms(r.backend,
			program{name: "steps", inputs: forward, build: func(in inputs) []*Node {
				return r.buildForward(form.control, in)
			}},
			program{name: "steps' pullback", inputs: append([]string{"of forecasts", "of state", "gradients"}, forward...),
				build: func(in inputs) []*Node { return r.buildPullback(form.control, in) }},
			program{name: "loss", inputs: []string{"targets", "forecasts"}, build: r.buildObjective})
	})
}

// buildForward builds the forecasts [B, steps, n, q] of a block, or for a class the logits [B, 1, 1, q] at its last
// step, and the state after the block. Its inputs are the state [B, n, width] and the index of the first observation.
func (r *recurrent) buildForward(form field.Form, in inputs) []*Node {
	state, x0, control := in.one("state"), in.one("x0"), form.Control(in["control"])
	steps := block(control.Times().Shape().Dim(1))
	x := inputsOf(control.Part(in.one("first"), steps), x0)
	y, next := sequence.Steps(r.network, nn.Bind(r.params, in["params"]), r.sizes, x, state)
	want := shapes.Make(x0.DType(), x0.Shape().Dim(0), steps, r.sizes.Nodes, r.sizes.Outputs)
	if !y.Shape().Equal(want) || !next.Shape().Equal(state.Shape()) {
		panic(invalid("Config.Network, a %T, steps to forecasts %s and states %s, want %s and %s", r.network, y.Shape(),
			next.Shape(), want, state.Shape()))
	}
	if r.classes {
		y = headForecast(r.head, nn.Values{}, SliceAxis(y, 1, AxisElem(-1)), presentFrom(x, steps-1))
	}
	return []*Node{y, next}
}

// buildPullback builds the cotangent of the state before a block from the cotangents of its forecasts and of the state
// after it. It adds the block's gradients of the parameters to the input "gradients".
func (r *recurrent) buildPullback(form field.Form, in inputs) []*Node {
	out := r.buildForward(form, in)
	pulled := Gradient(Add(ReduceAllSum(Mul(in.one("of forecasts"), out[0])),
		ReduceAllSum(Mul(in.one("of state"), out[1]))),
		slices.Concat(in["state"], in["params"])...)
	for i, g := range in["gradients"] {
		pulled[1+i] = Add(g, pulled[1+i])
	}
	return pulled
}

// buildObjective builds the loss and its cotangents for the forecasts of all blocks. A class is compared with the last
// block's forecasts.
func (r *recurrent) buildObjective(in inputs) []*Node {
	y := Concatenate(in["forecasts"], 1)
	if r.classes {
		y = SliceAxis(y, 1, AxisElem(-1))
	}
	loss := r.loss(y, in["targets"])
	return append([]*Node{loss}, Gradient(loss, in["forecasts"]...)...)
}

// stateOf returns the shape of the states of a batch.
func (r *recurrent) stateOf(b *batch) shapes.Shape {
	x0 := b.x0.Shape()
	return shapes.Make(x0.DType, x0.Dim(0), x0.Dim(1), r.network.State(r.sizes))
}

// firsts returns the indices of the first observations of a batch's blocks.
func firsts(b *batch) (numbers []int32) {
	observations := b.control[0].Shape().Dim(1)
	for first := 0; first < observations; first += block(observations) {
		numbers = append(numbers, int32(first))
	}
	return numbers
}

// rollOut runs all blocks of a batch. It returns their forecasts and the states before each block.
func (r *recurrent) rollOut(ctx context.Context, params []*tensors.Tensor, b *batch) (forecasts,
	states []*tensors.Tensor, err error) {
	p, err := r.compile(b)
	if err != nil {
		return nil, nil, err
	}
	shape := r.stateOf(b)
	state := host.Tensor(shape.DType, make([]float64, shape.Size()), shape.Dimensions...)
	defer func() { xla.Free(state) }()
	for _, first := range firsts(b) {
		var out []*tensors.Tensor
		if err = ctx.Err(); err == nil {
			out, err = p.call("steps", values{"state": state, "first": first, "x0": b.x0, "control": b.control,
				"params": params})
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
	p := r.compiled[b.batchForm()]
	out, err := p.call("loss", values{"targets": b.targets, "forecasts": forecasts})
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
			pulled, err = p.call("steps' pullback", values{"of forecasts": out[1+i], "of state": cotangent,
				"gradients": gradients, "state": states[i], "first": first, "x0": b.x0, "control": b.control, "params": params})
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

// forecast returns the forecasts of a batch, row-major; for a class only the forecasts of the last block.
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

func (r *recurrent) plan(params []*tensors.Tensor, b *batch, temporary measured) (*Plan, error) {
	p, err := r.compile(b)
	if err != nil {
		return nil, err
	}
	state, first := r.stateOf(b), shapes.Make(dtypes.Int32)
	y := shapes.Make(state.DType, state.Dim(0), block(b.control[0].Shape().Dim(1)), r.sizes.Nodes, r.sizes.Outputs)
	if r.classes {
		y = shapes.Make(state.DType, state.Dim(0), 1, 1, r.sizes.Outputs)
	}
	plan := &Plan{Data: b.owned.Bytes(), Saves: int64(len(firsts(b))) * int64(state.ByteSize()),
		Parameters: trained(params)}
	plan.Temporary, err = temporary.find(func() (int64, error) {
		return p.temporary("steps' pullback", values{"of forecasts": y, "of state": state, "gradients": params,
			"state": state, "first": first, "x0": b.x0, "control": b.control, "params": params})
	}, b.form, y, state, shapesOf(append([]*tensors.Tensor{b.x0}, b.control...)...))
	if err != nil {
		return nil, err
	}
	plan.DeviceBytes = plan.Data + plan.Saves + plan.Parameters + plan.Temporary
	return plan, nil
}
