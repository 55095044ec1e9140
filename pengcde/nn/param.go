// Package nn holds the neural-network parts that vector fields, encoders and readouts share: named parameters with
// their initialisation, linear maps, multi-layer perceptrons, normalisation, attention and convolutions.
//
// A part is a plain struct with two methods: Params declares its parameters, Apply builds its graph from [Values], the
// values of one seed or of several seeds. Initialisation follows the published code: weights and biases are uniform on
// ±1/sqrt(fan-in).
package nn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
)

// Param declares one learnable array.
type Param struct {
	// Name is a dotted path, unique in a model: "field.layers.0.linear.weight".
	Name string
	Dims []int // each at least 1; none for a scalar
	// Init draws the entries, row-major. It must not be nil.
	Init Init
}

// Bounds of declared sizes. They are far above useful sizes, and keep a mistyped size, such as 1<<40, from requesting
// all memory.
const (
	// MaxWidth bounds each width: of a state, of features, of outputs, of identities.
	MaxWidth = 1 << 20
	// MaxLayers bounds the layers of a field and of an MLP.
	MaxLayers = 1 << 10
	// MaxParameters bounds the entries of all parameters of a model: 1 GiB of float32.
	MaxParameters = 1 << 28
)

// ErrInput is wrapped by errors about sizes beyond these bounds.
var ErrInput = errs.ErrInput

// Size returns the number of entries, math.MaxInt on overflow.
func (p Param) Size() int {
	size := 1
	for _, d := range p.Dims {
		if d > 0 && size > math.MaxInt/d {
			return math.MaxInt
		}
		size *= d
	}
	return size
}

// Init draws one initial entry of a parameter.
type Init func(rng *rand.Rand) float64

// Uniform returns an Init that draws from U(-bound, bound).
func Uniform(bound float64) Init {
	return func(rng *rand.Rand) float64 { return bound * (2*rng.Float64() - 1) }
}

// Normal returns an Init that draws from the normal distribution with mean 0 and the given standard deviation.
func Normal(deviation float64) Init {
	return func(rng *rand.Rand) float64 { return deviation * rng.NormFloat64() }
}

// Fill returns an Init that sets every entry to value.
func Fill(value float64) Init { return func(*rand.Rand) float64 { return value } }

// fanIn returns an Init that draws from U(-1/sqrt(in), 1/sqrt(in)).
func fanIn(in int) Init { return Uniform(1 / math.Sqrt(float64(in))) }

// Count returns the number of entries of all parameters, math.MaxInt on overflow.
func Count(params []Param) int {
	total := 0
	for _, p := range params {
		size := p.Size()
		if total > math.MaxInt-size {
			return math.MaxInt
		}
		total += size
	}
	return total
}

// Check returns an error that wraps [ErrInput] if there are more entries than [MaxParameters], if two parameters of a
// model have the same name, or if one lacks a name, a size or Init.
func Check(params []Param) error {
	names := make(map[string]bool)
	for _, p := range params {
		switch {
		case p.Name == "":
			return errs.New(ErrInput, "pengcde/nn: a parameter %v without a name, want one that no other has", p.Dims)
		case names[p.Name]:
			return errs.New(ErrInput, "pengcde/nn: two parameters are named %q, want a name of its own for each, such as by "+
				"Linear.Name", p.Name)
		case len(p.Dims) > 0 && slices.Min(p.Dims) < 1:
			return errs.New(ErrInput, "pengcde/nn: parameter %q is %v, want sizes of at least 1", p.Name, p.Dims)
		case p.Init == nil:
			return errs.New(ErrInput, "pengcde/nn: parameter %q has no Init, want one such as Fill(0)", p.Name)
		}
		names[p.Name] = true
	}
	if count := Count(params); count > MaxParameters {
		largest := slices.MaxFunc(params, func(a, b Param) int { return cmp.Compare(a.Size(), b.Size()) })
		return errs.New(ErrInput, "pengcde/nn: %d parameters, want at most %d: %q alone is %v",
			count, MaxParameters, largest.Name, largest.Dims)
	}
	return nil
}

// ParamsOf returns the parameters that parts declare, in order.
func ParamsOf[P interface{ Params() []Param }](parts ...P) (params []Param) {
	for _, part := range parts {
		params = append(params, part.Params()...)
	}
	return params
}

// Draw draws the initial values of parameters in order from one seed, as host tensors of the given float type. It
// panics if [Check] returns an error.
func Draw(params []Param, dtype dtypes.DType, seed uint64) []*tensors.Tensor {
	if err := Check(params); err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	drawn := make([]*tensors.Tensor, len(params))
	for i, p := range params {
		entries := make([]float64, p.Size())
		for at := range entries {
			entries[at] = p.Init(rng)
		}
		drawn[i] = host.Tensor(dtype, entries, p.Dims...)
	}
	return drawn
}
