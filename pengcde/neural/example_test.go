package neural_test

import (
	"context"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/peng-cde/pengcde-go/pengcde/neural"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// A neural ODE (R. T. Q. Chen et al., NeurIPS 2018): the field is a small network, trained so that its solution follows
// a spiral that was seen at 16 times.
func Example() {
	ctx, backend := context.Background(), must.M1(xla.Open(xla.Config{}))
	defer backend.Close()
	var times []float64
	var spiral [][]float64 // clockwise and inwards
	for k := range 16 {
		t := 0.2 * float64(k)
		sin, cos := math.Sincos(2 * t)
		times, spiral = append(times, t), append(spiral, []float64{math.Exp(-0.2*t) * cos, -math.Exp(-0.2*t) * sin})
	}

	network := nn.MLP{Name: "field", In: 2, Out: 2, Width: 32, Depth: 1}
	learner := must.M1(neural.New(backend, neural.Model{Params: network.Params(), Float64: true,
		Field: func(v nn.Values, _, z *Node, _ []*Node) *Node { return network.Apply(v, z) },
		Loss: func(_ nn.Values, z *Node, targets []*Node) *Node {
			return ReduceAllMean(Square(Sub(z, targets[0])))
		}}, ode.Config{Method: ode.RK4, StepSize: ode.Constant{Step: 0.2}}))
	defer learner.Close()
	batch := neural.Batch{Times: [][]float64{times}, Inputs: []*tensors.Tensor{tensors.FromValue(spiral[:1])},
		Targets: []*tensors.Tensor{tensors.FromValue([][][]float64{spiral})}}
	report := must.M1(learner.Fit(ctx, []neural.Batch{batch}, nil,
		train.Config{Epochs: 300, AdamW: train.AdamW{LearningRate: 0.02}}))

	fmt.Println("loss above 0.1 at first:", report.Epochs[0].TrainLoss > 0.1)
	fmt.Println("below 0.01 at last:", must.M1(learner.Loss(ctx, batch)) < 0.01)
	// Output:
	// loss above 0.1 at first: true
	// below 0.01 at last: true
}
