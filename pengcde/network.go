package pengcde

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// network computes a model for given parameters. It is an [equation], in [groups] or not, or a network in discrete
// steps: [discrete] or [recurrent].
type network interface {
	// evaluate evaluates a batch.
	evaluate(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*evaluation, error)
	// predict returns the forecasts of samples of a model at the times asked for each sample, [samples][times*rows*q]
	// row-major. Times start from 0, do not decrease, and are equally many for each sample.
	predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error)
	// plan estimates the resources of training on a batch that is on the host. The memory of programs is looked up in
	// temporary by the shapes of their inputs, or added to it.
	plan(params []*tensors.Tensor, b *batch, temporary measured) (*Plan, error)
	close()
}

// purpose says what a batch is evaluated for. A value n above forGradient means a gradient by a solve that is refined n
// times, see [train.Refiner].
type purpose int

const (
	forLoss purpose = iota - 1
	forGradient
)

// evaluation is the result of evaluating a batch.
type evaluation struct {
	losses    []float64         // one, or one per seed
	gradients []*tensors.Tensor // with respect to all parameters; nil forLoss
	stats     []ode.Stats       // of each sample's solve; nil in discrete steps
}

// network returns the network of the configuration and its declared parameters.
func (c Config) network(backend *xla.Backend) (network, []nn.Param, error) {
	if c.Network != nil {
		d, err := newDiscrete(backend, c)
		if err != nil {
			return nil, nil, err
		}
		if r, ok := c.inBlocks(); ok {
			_, classes := c.Head.(head.Class)
			return &recurrent{d, r, classes}, d.params, nil
		}
		return d, d.params, nil
	}
	e, err := newEquation(backend, c.wiring())
	if err != nil {
		return nil, nil, err
	}
	return grouped(e, c.Groups, c.Notices), e.params, nil
}
