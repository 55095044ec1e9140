package train_test

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// parabola is the loss (p - 3)² / 2 of one parameter, in ten batches, of which the fourth has no gradient but for the
// more exact solve, and the eighth none at all.
type parabola struct{}

func (parabola) Batches() int { return 10 }

func (parabola) Gradient(_ context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor, error) {
	p := tensors.MustCopyFlatData[float64](params[0])[0]
	gradient := p - 3
	if batch == 3 || batch == 7 {
		gradient = math.NaN()
	}
	return (p - 3) * (p - 3) / 2, []*tensors.Tensor{tensors.FromValue([]float64{gradient})}, nil
}

func (p parabola) Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64, []*tensors.Tensor,
	error) {
	if batch == 3 {
		batch = 0
	}
	return p.Gradient(ctx, params, batch)
}

func (p parabola) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	loss, _, err := p.Gradient(ctx, params, 0)
	return loss, err
}

// A training that goes on after batches without a gradient, with a learning rate that falls and averaged parameters.
func ExampleGuard() {
	backend, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	params, report, err := train.Fit(context.Background(), backend, parabola{},
		[]*tensors.Tensor{tensors.FromValue([]float64{0})}, train.Config{
			Epochs: 30, Patience: 30, AdamW: train.AdamW{LearningRate: 0.1},
			Guard:    &train.Guard{},
			Schedule: train.Schedule{Kind: train.Cosine},
			Average:  0.9,
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p = %.2f\n", tensors.MustCopyFlatData[float64](params[0])[0])
	first := report.Epochs[0]
	fmt.Printf("of each epoch %d batches retried, %d skipped; unresolved: %t\n", first.Retried, first.Skipped,
		report.Unresolved())
	// Output:
	// p = 3.00
	// of each epoch 2 batches retried, 1 skipped; unresolved: true
}
