package pengcde

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// gradient returns the loss of a batch and its gradient.
func gradientOf(ctx context.Context, n network, params []*tensors.Tensor, b *batch) (float64, []*tensors.Tensor,
	error) {
	made, err := n.evaluate(ctx, params, b, forGradient)
	if err != nil {
		return 0, nil, train.Unsolved(err)
	}
	return made.losses[0], made.gradients, nil
}

// loss returns the loss of a batch.
func lossOf(ctx context.Context, n network, params []*tensors.Tensor, b *batch) (float64, error) {
	made, err := n.evaluate(ctx, params, b, forLoss)
	if err != nil {
		return 0, train.Unsolved(err)
	}
	return made.losses[0], nil
}

func freeAll(made []*batch) {
	for _, b := range made {
		b.free()
	}
}
