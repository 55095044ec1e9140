package pengcde

import (
	"context"
	"math"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// discrete computes a compiled network in discrete steps. It holds no parameter values.
type discrete struct {
	backend  *xla.Backend
	head     head.Head
	network  sequence.Network
	sizes    sequence.Sizes
	params   []nn.Param
	compiled forms[batchForm, programs]
}

// batchForm is everything besides shapes that the graph of a program depends on.
type batchForm struct {
	control field.Form
	targets int // the number of arrays that forecasts are compared with
}

func (b *batch) batchForm() batchForm { return batchForm{b.form, len(b.targets)} }

// loss builds the head's loss of the forecasts of a network in discrete steps.
func (d *discrete) loss(y *Node, targets []*Node) *Node {
	_, names := d.head.Inputs()
	loss, _ := headLoss(d.head, nn.Values{}, y, head.Bind(names, targets))
	return loss
}

// sizes returns the sizes that Config.Network is built for.
func (c Config) sizes() sequence.Sizes {
	_, inBlocks := c.inBlocks()
	s := sequence.Sizes{Nodes: c.Nodes, Features: c.Mask.Width(c.Features), Outputs: c.Outputs, Inputs: c.Inputs,
		PerTime: inBlocks || c.perTime()}
	if c.GraphOnly {
		s.Features++ // the time
	}
	return s
}

// networkParams returns the parameters of Config.Network, and an error if the network panics because of impossible
// sizes or options.
func (c Config) networkParams() (params []nn.Param, err error) {
	width := 1
	if err := panics.Catch(func() {
		params = c.Network.Params(c.sizes())
		if r, ok := c.inBlocks(); ok {
			width = r.State(c.sizes())
		}
	}); err != nil {
		return nil, errs.In("pengcde: Config.Network", err, ErrInput)
	}
	if width < 1 {
		return nil, invalid("Config.Network, a %T, has states of width %d, want at least 1", c.Network, width)
	}
	if len(params) == 0 {
		return nil, invalid("Config.Network, a %T, declares no parameters, want at least one", c.Network)
	}
	if err := nn.Check(params); err != nil {
		return nil, errs.In("pengcde: Config.Network makes", err)
	}
	return params, nil
}

func newDiscrete(backend *xla.Backend, c Config) (*discrete, error) {
	params, err := c.networkParams()
	if err != nil {
		return nil, err
	}
	return &discrete{backend: backend, head: c.Head, network: c.Network, sizes: c.sizes(), params: params,
		compiled: make(forms[batchForm, programs])}, nil
}

func (d *discrete) close() { d.compiled.close() }

// compile returns the programs for the form of a batch, and compiles them on first use. The program "loss" has no
// dropout. The program "gradient" returns the loss as well.
func (d *discrete) compile(b *batch) (programs, error) {
	form := b.batchForm()
	return d.compiled.find(form, func() (programs, error) {
		observed := []string{"x0", "control", "params"}
		compared := append([]string{"targets"}, observed...)
		return newPrograms(d.backend,
			program{name: "forecast", inputs: observed, build: func(in inputs) []*Node {
				return []*Node{d.build(form.control, in, nn.KeepAll)}
			}},
			program{name: "loss", inputs: compared, build: func(in inputs) []*Node {
				return []*Node{d.loss(d.build(form.control, in, nn.KeepAll), in["targets"])}
			}},
			program{name: "gradient", inputs: compared, build: func(in inputs) []*Node {
				loss := d.loss(d.build(form.control, in, nn.Dropout(in["params"])), in["targets"])
				return append([]*Node{loss}, Gradient(loss, in["params"]...)...)
			}})
	})
}

// build builds the forecasts from x0 [B, n, p] and the control.
func (d *discrete) build(form field.Form, in inputs, drop func(*Node, float64) *Node) *Node {
	x0 := in.one("x0")
	x := inputsOf(form.Control(in["control"]), x0)
	x.Dropout = drop
	y := d.network.Forecast(nn.Bind(d.params, in["params"]), d.sizes, x)
	dims := x.Features.Shape().Dimensions
	want := shapes.Make(x0.DType(), dims[0], d.sizes.Times(dims[1]), d.sizes.Nodes, d.sizes.Outputs)
	if !y.Shape().Equal(want) {
		panic(invalid("Config.Network, a %T, forecasts %s, want %s: windows, times, nodes, outputs", d.network, y.Shape(),
			want))
	}
	return headForecast(d.head, nn.Values{}, y, presentFrom(x, dims[1]-d.sizes.Times(dims[1])))
}

// presentFrom returns the presence from an observation on, as heads take it; nil if all nodes are present.
func presentFrom(x sequence.Inputs, observation int) head.Inputs {
	if x.Present == nil {
		return nil
	}
	return head.Inputs{head.Present: SliceAxis(x.Present, 1, AxisRange(observation))}
}

// inputsOf returns the inputs of a network, without dropout, given the first features x0 [B, n, p].
func inputsOf(control *field.Control, x0 *Node) sequence.Inputs {
	x := sequence.Inputs{Times: ConvertDType(control.Times(), x0.DType()), Features: control.Features()}
	if x.Features == nil {
		x.Features = withTime(x0, x.Times)
	}
	x.Present = control.Present()
	x.Features = equivariant.Mask(x.Present, x.Features)
	graphs := make(map[int]*equivariant.Matrix)
	x.Graph = func(k int) *equivariant.Matrix {
		if graphs[k] == nil {
			graphs[k] = control.Graph(k)
		}
		return graphs[k]
	}
	return x
}

// withTime returns the features x0 [B, n, p] with the time appended, at each of times [B, T]: [B, T, n, p+1].
func withTime(x0, times *Node) *Node {
	batch, n, p, count := x0.Shape().Dim(0), x0.Shape().Dim(1), x0.Shape().Dim(2), times.Shape().Dim(1)
	return Concatenate([]*Node{
		BroadcastToDims(ExpandAxes(x0, 1), batch, count, n, p),
		BroadcastToDims(ExpandAxes(times, 2, 3), batch, count, n, 1),
	}, -1)
}

func (d *discrete) evaluate(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*evaluation,
	error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := d.compile(b)
	if err != nil {
		return nil, err
	}
	program := "loss"
	if why != forLoss {
		program = "gradient"
	}
	out, err := p.call(program, values{"targets": b.targets, "x0": b.x0, "control": b.control, "params": params})
	if err != nil {
		return nil, err
	}
	defer xla.Free(out[0])
	return &evaluation{losses: host.Floats(out[0]), gradients: out[1:]}, nil
}

func (d *discrete) predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error) {
	return d.predictBy(ctx, d.forecast, m, samples, asked)
}

// forecast returns the forecasts of a batch, row-major.
func (d *discrete) forecast(ctx context.Context, params []*tensors.Tensor, b *batch) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := d.compile(b)
	if err != nil {
		return nil, err
	}
	out, err := p.call("forecast", values{"x0": b.x0, "control": b.control, "params": params})
	if err != nil {
		return nil, err
	}
	defer xla.Free(out...)
	return host.Floats(out[0]), nil
}

// predictBy implements [network.predict] with a function that returns the forecasts of a batch, row-major.
func (d *discrete) predictBy(ctx context.Context,
	forecast func(context.Context, []*tensors.Tensor, *batch) ([]float64, error), m *Model, samples []sample,
	asked [][]float64) ([][]float64, error) {
	indices := make([][]int, len(samples))
	for b := range samples {
		s := &samples[b]
		s.times = s.paths.Knots
		if !m.config.perTime() {
			s.times = s.times[len(s.times)-1:]
		}
		for _, t := range asked[b] {
			at := slices.Index(s.times, t)
			if at < 0 {
				return nil, invalid("forecast time %g, but a network in discrete steps forecasts at the times of the targets "+
					"alone, %g to %g: ask for these, or for nil", t, s.times[0], s.times[len(s.times)-1])
			}
			indices[b] = append(indices[b], at)
		}
	}
	batch, err := newBatch(m.backend, m.computing(), samples)
	if err != nil {
		return nil, err
	}
	defer batch.free()
	flat, err := forecast(ctx, m.params, batch)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(flat, func(y float64) bool { return math.IsNaN(y) || math.IsInf(y, 0) }); at >= 0 {
		return nil, errs.New(train.ErrNotFinite, "pengcde: a forecast is %g: the parameters have diverged, or the features "+
			"are too large for %s", flat[at], m.config.dtype())
	}
	forecasts, size := make([][]float64, len(samples)), len(flat)/len(samples)/len(samples[0].times)
	for b := range samples {
		for _, at := range indices[b] {
			at += b * len(samples[0].times)
			forecasts[b] = append(forecasts[b], flat[at*size:(at+1)*size]...)
		}
	}
	return forecasts, nil
}

func (d *discrete) plan(params []*tensors.Tensor, b *batch, temporary measured) (*Plan, error) {
	p, err := d.compile(b)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Data: b.owned.Bytes(), Parameters: trained(params)}
	plan.Temporary, err = temporary.find(func() (int64, error) {
		return p.temporary("gradient", values{"targets": b.targets, "x0": b.x0, "control": b.control, "params": params})
	}, b.form, shapesOf(slices.Concat(b.targets, []*tensors.Tensor{b.x0}, b.control)...))
	if err != nil {
		return nil, err
	}
	plan.DeviceBytes = plan.Data + plan.Parameters + plan.Temporary
	return plan, nil
}
