package train

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// AdamW is the optimiser of the published experiments. It clips gradients to a global norm, applies moments with bias
// correction, and decays every parameter separately from the gradient:
//
//	g ← g min(1, Clip/|g|),  m ← β1 m + (1-β1) g,  v ← β2 v + (1-β2) g²
//	p ← p - η (m̂ / (sqrt(v̂) + ε) + λ p),  m̂ = m/(1-β1^t),  v̂ = v/(1-β2^t)
//
// I. Loshchilov, F. Hutter, Decoupled Weight Decay Regularization, ICLR 2019.
type AdamW struct {
	// LearningRate is η; 0 means 1e-2.
	LearningRate float64 `json:"LearningRate"`
	// WeightDecay is λ; 0 means 1e-4, [NoDecay] means none.
	WeightDecay float64 `json:"WeightDecay"`
	// Clip bounds the global norm of the gradient; 0 means 1, [NoClip] means no bound.
	Clip float64 `json:"Clip"`
	// Beta1, Beta2 and Epsilon are β1, β2 and ε; 0 means 0.9, 0.999 and 1e-8.
	Beta1   float64 `json:"Beta1"`
	Beta2   float64 `json:"Beta2"`
	Epsilon float64 `json:"Epsilon"`
}

func (a AdamW) withDefaults() (AdamW, error) {
	a.LearningRate, a.WeightDecay, a.Clip = cmp.Or(a.LearningRate, 1e-2), cmp.Or(a.WeightDecay, 1e-4), cmp.Or(a.Clip, 1)
	a.Beta1, a.Beta2, a.Epsilon = cmp.Or(a.Beta1, 0.9), cmp.Or(a.Beta2, 0.999), cmp.Or(a.Epsilon, 1e-8)
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }
	fraction := func(x float64) bool { return x > 0 && x < 1 }
	if !positive(a.LearningRate) || !fraction(a.Beta1) || !fraction(a.Beta2) || !positive(a.Epsilon) ||
		math.IsNaN(a.WeightDecay) || math.IsInf(a.WeightDecay, 1) || math.IsNaN(a.Clip) {
		return a, errs.New(ErrInput, "pengcde/train: AdamW %+v: want a positive finite learning rate and epsilon, betas "+
			"between 0 and 1, a finite weight decay and a number for the clip", a)
	}
	a.WeightDecay = max(a.WeightDecay, 0)
	return a, nil
}

// Update is the compiled step of AdamW. Any number of optimisers can share it: parameters of equal shapes share a
// program.
type Update struct {
	config  AdamW
	program *xla.Program
	rated   *xla.Program // with the learning rate as an input
}

// NewUpdate returns the compiled step for a configuration.
func NewUpdate(backend *xla.Backend, config AdamW) (*Update, error) {
	if err := backend.Check(); err != nil {
		return nil, errs.In("pengcde/train", err, ErrInput)
	}
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	u := &Update{config: config}
	constant := func(in []*Node) []*Node { return config.build(nil, in) }
	if u.program, err = xla.NewProgram(backend, "AdamW", constant); err != nil {
		return nil, err
	}
	scheduled := func(in []*Node) []*Node { return config.build(in[0], in[1:]) }
	if u.rated, err = xla.NewProgram(backend, "AdamW by schedule", scheduled); err != nil {
		u.program.Close()
		return nil, err
	}
	return u, nil
}

// Close frees the compiled programs.
func (u *Update) Close() {
	u.program.Close()
	u.rated.Close()
}

// Optimiser holds the moments of AdamW for one set of parameters.
type Optimiser struct {
	update  *Update
	own     bool              // Close closes the update too
	moments []*tensors.Tensor // first moments, then second moments
	steps   int
}

// NewOptimiser returns an optimiser for parameters of the given shapes.
func NewOptimiser(backend *xla.Backend, config AdamW, params []*tensors.Tensor) (*Optimiser, error) {
	update, err := NewUpdate(backend, config)
	if err != nil {
		return nil, err
	}
	o := update.Optimiser(params)
	o.own = true
	return o, nil
}

// Optimiser returns an optimiser for parameters of the given shapes; the update must not be closed before the
// optimiser.
func (u *Update) Optimiser(params []*tensors.Tensor) *Optimiser {
	o := &Optimiser{update: u}
	for range 2 {
		for _, p := range params {
			o.moments = append(o.moments, tensors.FromShape(p.Shape()))
		}
	}
	return o
}

// Step takes ownership of params and gradients, and returns the new parameters and the global norm of the gradient. If
// that norm is not finite, Step returns the parameters unchanged.
func (o *Optimiser) Step(params, gradients []*tensors.Tensor) ([]*tensors.Tensor, float64, error) {
	return o.step(o.update.program, nil, params, gradients)
}

// StepAt is Step with the given learning rate instead of AdamW.LearningRate; it may change from call to call.
func (o *Optimiser) StepAt(rate float64, params, gradients []*tensors.Tensor) ([]*tensors.Tensor, float64, error) {
	return o.step(o.update.rated, []any{rate}, params, gradients)
}

func (o *Optimiser) step(program *xla.Program, inputs []any, params, gradients []*tensors.Tensor) ([]*tensors.Tensor,
	float64, error) {
	inputs = append(inputs, float64(o.steps+1))
	for _, group := range [][]*tensors.Tensor{params, o.moments, gradients} {
		for _, t := range group {
			inputs = append(inputs, xla.Donate(t))
		}
	}
	out, err := program.Call(inputs...)
	if err != nil {
		return nil, 0, fmt.Errorf("pengcde/train: %w", err)
	}
	n := len(params)
	o.moments = out[n : 3*n]
	norm := tensors.ToScalar[float64](out[3*n])
	xla.Free(out[3*n])
	if finite(norm) {
		o.steps++
	}
	return out[:n], norm, nil
}

// Close frees the moments, and the compiled program of [NewOptimiser].
func (o *Optimiser) Close() {
	xla.Free(o.moments...)
	if o.own {
		o.update.Close()
	}
}

// build builds one update: (step, parameters, first moments, second moments, gradients) -> (parameters, first moments,
// second moments, norm of the gradient). The learning rate is an input, or the constant one if rate is nil.
func (a AdamW) build(rate *Node, in []*Node) []*Node {
	step, n := in[0], (len(in)-1)/4
	params, first, second, gradients := in[1:1+n], in[1+n:1+2*n], in[1+2*n:1+3*n], in[1+3*n:]
	g := step.Graph()
	square := Scalar(g, dtypes.Float64, 0)
	for _, gradient := range gradients {
		square = Add(square, ReduceAllSum(Square(ConvertDType(gradient, dtypes.Float64))))
	}
	norm := Sqrt(square)
	scale := Scalar(g, dtypes.Float64, 1)
	if a.Clip > 0 {
		scale = Min(scale, Div(Scalar(g, dtypes.Float64, a.Clip), norm))
	}
	finite := IsFinite(norm)
	correct := func(beta float64) *Node { return OneMinus(Pow(Scalar(g, dtypes.Float64, beta), step)) }
	scale1, scale2 := Inverse(correct(a.Beta1)), Inverse(correct(a.Beta2))

	out := make([]*Node, 3*n+1)
	out[3*n] = norm
	for i, p := range params {
		as := func(x *Node) *Node { return BroadcastToDims(ConvertDType(x, p.DType()), p.Shape().Dimensions...) }
		keep := func(updated, old *Node) *Node {
			return Where(BroadcastToDims(finite, p.Shape().Dimensions...), updated, old)
		}
		gradient := Mul(gradients[i], as(scale))
		m := Add(MulScalar(first[i], a.Beta1), MulScalar(gradient, 1-a.Beta1))
		v := Add(MulScalar(second[i], a.Beta2), MulScalar(Square(gradient), 1-a.Beta2))
		update := Div(Mul(m, as(scale1)), AddScalar(Sqrt(Mul(v, as(scale2))), a.Epsilon))
		update = Add(update, MulScalar(p, a.WeightDecay))
		if rate == nil {
			update = MulScalar(update, a.LearningRate)
		} else {
			update = Mul(update, as(rate))
		}
		out[i] = keep(Sub(p, update), p)
		out[n+i], out[2*n+i] = keep(m, first[i]), keep(v, second[i])
	}
	return out
}
