package pengcde

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// network is what a model computes, compiled, of parameters that it is given: an [equation], or one in steps that are
// [discrete].
type network interface {
	// evaluate evaluates a batch.
	evaluate(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*evaluation, error)
	// predict returns the forecasts of samples of a model at the times asked for of each, [samples][times*rows*q]
	// row-major. Times are from 0 on and do not decrease, as many for each sample.
	predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error)
	// plan foresees what training takes on a batch of the host. What programs need is looked up, or found, by the
	// shapes that they take.
	plan(params []*tensors.Tensor, b *batch, temporary measured) (*Plan, error)
	close()
}

// purpose says what a batch is evaluated for: larger ones than forGradient are for the gradient by a solve that is
// refined so many times, see [finer].
type purpose int

const (
	forLoss purpose = iota - 1
	forGradient
)

// evaluation is what a batch gives.
type evaluation struct {
	losses    []float64         // one, or one per seed
	gradients []*tensors.Tensor // with respect to all parameters; nil forLoss
	stats     []ode.Stats       // of each sample's solve; nil in discrete steps
}

// network makes what the configuration says, and declares its parameters.
func (c Config) network(backend *xla.Backend) (network, []nn.Param, error) {
	if c.Network != nil {
		d, err := newDiscrete(backend, c)
		if err != nil {
			return nil, nil, err
		}
		if r, ok := c.inBlocks(); ok {
			_, classes := c.Head.(head.Class)
			return &recurrent{d, r, make(forms[batchForm, programs]), classes}, d.params, nil
		}
		return d, d.params, nil
	}
	e, err := newEquation(backend, c.wiring())
	if err != nil {
		return nil, nil, err
	}
	return grouped(e, c.Groups), e.params, nil
}
