package ode_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// spirals are points on spirals, seen at times of their own between 0 and 1, a third of the coordinates not at all.
// directions are 1 for those that turn anticlockwise, else 0.
func spirals(random *rand.Rand, count int) (times [][]float64, points [][][]float64, directions []float64, err error) {
	const seen = 12
	for range count {
		knots := []float64{0, 1}
		for len(knots) < seen {
			knots = append(knots, random.Float64())
		}
		slices.Sort(knots)
		direction, phase := float64(random.IntN(2)), 2*math.Pi*random.Float64()
		rows := make([][]float64, seen)
		for k, t := range knots {
			sin, cos := math.Sincos(phase + 4*t*(2*direction-1))
			rows[k] = []float64{(1 - t/2) * cos, (1 - t/2) * sin}
			for i := range rows[k] {
				if random.IntN(3) == 0 {
					rows[k][i] = math.NaN()
				}
			}
		}
		// Lines fill the gaps, and counts of the observations stand beside the coordinates.
		filled, err := path.Fill(path.Linear, path.Counted, knots, rows, 1)
		if err != nil {
			return nil, nil, nil, err
		}
		times, points, directions = append(times, knots), append(points, filled), append(directions, direction)
	}
	return times, points, directions, nil
}

// A neural controlled differential equation (P. Kidger et al., NeurIPS 2020) of irregular series with missing values:
// dz = f(z) dX with the field f a small network and X the path of time, coordinates and counts, trained to say which
// way spirals turn.
func Example_neuralCDE() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	const hidden, channels = 8, 5

	// z' = F(z) X'(t) with F = W2 tanh(W1 z + b1) + b2 as a matrix [hidden, channels], for z [batch, hidden]. The
	// control follows the parameters: knots [batch, T] and values [batch, T, channels-1].
	field := func(t, z *Node, args []*Node) *Node {
		_, slope := path.Locate(path.Linear, args[4:5], t, nil).Eval(args[5])
		slope = Concatenate([]*Node{OnesLike(Slice(slope, AxisRange(), AxisRange(0, 1))), slope}, 1) // time first
		inner := Tanh(Add(Dot(z, args[0]).Product(), args[1]))
		matrix := Reshape(Add(Dot(inner, args[2]).Product(), args[3]), -1, hidden, channels)
		return ReduceSum(Mul(matrix, ExpandAxes(slope, 1)), -1)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var params []*tensors.Tensor
	for _, dims := range [][2]int{{hidden, 16}, {1, 16}, {16, hidden * channels}, {1, hidden * channels}} {
		weights := make([]float64, dims[0]*dims[1])
		for i := range weights {
			weights[i] = 0.3 * random.NormFloat64()
		}
		params = append(params, tensors.FromFlatDataAndDimensions(weights, dims[0], dims[1]))
	}
	solver, err := ode.New(backend, field, ode.Config{Method: ode.Midpoint, StepSize: ode.Constant{Step: 1. / 12},
		Parameters: len(params)})
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

	// solve starts at the first values, padded by zeros, and ends at states of which the first entry is the log-odds.
	ctx := context.Background()
	solve := func(times [][]float64, points [][][]float64) (*ode.Solution, error) {
		knots, err := path.Knots(path.Linear, times)
		if err != nil {
			return nil, err
		}
		start := make([][]float64, len(points))
		for b, rows := range points {
			start[b] = append([]float64{0}, append(rows[0], 0, 0, 0)...)
		}
		args := append(slices.Clone(params), knots[0], tensors.FromValue(points))
		return solver.Solve(ctx, tensors.FromValue(start), [][]float64{{0, 1}}, args...)
	}
	const batch = 64
	for range 80 {
		times, points, directions, err := spirals(random, batch) // new ones in each step
		if err != nil {
			fmt.Println(err)
			return
		}
		solution, err := solve(times, points)
		if err != nil {
			fmt.Println(err)
			return
		}
		states := tensors.MustCopyFlatData[float64](solution.Z) // [batch, 2, hidden]
		cotangent := make([]float64, len(states))
		for b, direction := range directions {
			at := (2*b + 1) * hidden
			cotangent[at] = (1/(1+math.Exp(-states[at])) - direction) / batch // of the mean cross-entropy
		}
		gradients, err := solution.Pullback(ctx, tensors.FromFlatDataAndDimensions(cotangent, batch, 2, hidden))
		solution.Close()
		if err != nil {
			fmt.Println(err)
			return
		}
		xla.Free(gradients.Z0)
		if params, _, err = optimiser.Step(params, gradients.Args[:len(params)]); err != nil {
			fmt.Println(err)
			return
		}
	}

	times, points, directions, err := spirals(random, batch)
	if err != nil {
		fmt.Println(err)
		return
	}
	solution, err := solve(times, points)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solution.Close()
	right := 0
	for b, state := range slices.Collect(slices.Chunk(tensors.MustCopyFlatData[float64](solution.Z), 2*hidden)) {
		if (state[hidden] > 0) == (directions[b] == 1) {
			right++
		}
	}
	fmt.Println("at least 9 of 10 new spirals right:", right*10 >= 9*batch)
	// Output:
	// at least 9 of 10 new spirals right: true
}
