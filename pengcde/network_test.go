package pengcde

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"
)

// gradient returns the loss of a batch and its gradient.
func gradientOf(ctx context.Context, n network, params []*tensors.Tensor, b *batch) (float64, []*tensors.Tensor,
	error) {
	losses, gradients, err := n.evaluate(ctx, params, b, true)
	if err != nil {
		return 0, nil, notFinite(err)
	}
	return losses[0], gradients, nil
}

// loss returns the loss of a batch.
func lossOf(ctx context.Context, n network, params []*tensors.Tensor, b *batch) (float64, error) {
	losses, _, err := n.evaluate(ctx, params, b, false)
	if err != nil {
		return 0, notFinite(err)
	}
	return losses[0], nil
}

func freeAll(made []*batch) {
	for _, b := range made {
		b.free()
	}
}
