package ode_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// A neural ODE (R. T. Q. Chen et al., NeurIPS 2018): the field is a small network, trained so that its solution follows
// a spiral that was seen at 16 times.
func Example_neuralODE() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()

	// z' = W2 tanh(W1 z + b1) + b2 with 16 hidden units; z [batch, 2].
	network := func(_, z *Node, args []*Node) *Node {
		hidden := Tanh(Add(Dot(z, args[0]).Product(), args[1]))
		return Add(Dot(hidden, args[2]).Product(), args[3])
	}
	random := rand.New(rand.NewPCG(1, 2))
	var params []*tensors.Tensor
	for _, dims := range [][2]int{{2, 16}, {1, 16}, {16, 2}, {1, 2}} {
		weights := make([]float64, dims[0]*dims[1])
		for i := range weights {
			weights[i] = 0.2 * random.NormFloat64()
		}
		params = append(params, tensors.FromFlatDataAndDimensions(weights, dims[0], dims[1]))
	}

	// The spiral, clockwise and inwards.
	const seen = 16
	times, spiral := make([]float64, seen), make([]float64, 2*seen)
	for k := range times {
		t := 0.2 * float64(k)
		sin, cos := math.Sincos(2 * t)
		times[k], spiral[2*k], spiral[2*k+1] = t, math.Exp(-0.2*t)*cos, -math.Exp(-0.2*t)*sin
	}

	solver, err := ode.New(backend, network, ode.Config{Method: ode.RK4, StepSize: ode.Constant{Step: 0.2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solver.Close()
	optimiser, err := train.NewOptimiser(backend, train.AdamW{LearningRate: 0.02}, params)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer optimiser.Close()
	defer func() { xla.Free(params...) }()

	// step takes one gradient step and returns the mean squared error before it.
	step := func() (loss float64, err error) {
		ctx := context.Background()
		solution, err := solver.Solve(ctx, tensors.FromValue([][]float64{{1, 0}}), [][]float64{times}, params...)
		if err != nil {
			return 0, err
		}
		defer solution.Close()
		cotangent := make([]float64, 2*seen)
		for i, z := range tensors.MustCopyFlatData[float64](solution.Z) {
			off := z - spiral[i]
			loss += off * off / (2 * seen)
			cotangent[i] = 2 * off / (2 * seen)
		}
		gradients, err := solution.Pullback(ctx, tensors.FromFlatDataAndDimensions(cotangent, 1, seen, 2))
		if err != nil {
			return 0, err
		}
		xla.Free(gradients.Z0)
		params, _, err = optimiser.Step(params, gradients.Args)
		return loss, err
	}
	var first, last float64
	for k := range 100 {
		if last, err = step(); err != nil {
			fmt.Println(err)
			return
		}
		if k == 0 {
			first = last
		}
	}
	fmt.Println("loss above 0.1 at first:", first > 0.1)
	fmt.Println("below 0.01 after 100 steps:", last < 0.01)
	// Output:
	// loss above 0.1 at first: true
	// below 0.01 after 100 steps: true
}
