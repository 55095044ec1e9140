package ode_test

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// Exponential decay dz/dt = -a z, whose solution is z0 exp(-a t), and the gradient of z(1) with respect to a, which is
// -z0 exp(-a).
func Example() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	decay := func(t, z *Node, args []*Node) *Node {
		return Neg(Mul(args[0], z))
	}
	solver, err := ode.New(backend, decay, ode.Config{StepSize: ode.PID{RTol: 1e-9, ATol: 1e-9}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	z0, a := tensors.FromValue([][]float64{{2}}), tensors.FromValue([][]float64{{0.5}})
	solution, err := solver.Solve(ctx, z0, [][]float64{{0, 0.5, 1}}, a)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solution.Close()
	gradients, err := solution.Pullback(ctx, tensors.FromValue([][][]float64{{{0}, {0}, {1}}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("z = %.6f\n", tensors.MustCopyFlatData[float64](solution.Z))
	fmt.Printf("dz(1)/da = %.6f\n", tensors.MustCopyFlatData[float64](gradients.Args[0]))
	// Output:
	// z = [2.000000 1.557602 1.213061]
	// dz(1)/da = [-1.213061]
}

// A solve backward in time, dense: z(1) = 1 leads back to z(0) = exp(0.5), and the states between are had afterwards.
func ExampleSolver_Run() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	decay := func(t, z *Node, _ []*Node) *Node { return MulScalar(z, -0.5) }
	solver, err := ode.New(backend, decay, ode.Config{StepSize: ode.PID{RTol: 1e-9, ATol: 1e-9, First: ode.Automatic}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	solution, err := solver.Run(ctx, ode.Problem{
		Z0:          tensors.FromValue([][]float64{{1}}),
		Times:       [][]float64{{1, 0}},
		StepTo:      [][]float64{{0.25}},
		Interpolant: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solution.Close()
	at, err := solution.At(ctx, [][]float64{{0, 0.25, 0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("z = %.5f\n", tensors.MustCopyFlatData[float64](at))
	// Output:
	// z = [1.64872 1.45499 1.28403]
}

// A long solve whose pullback keeps 4 states in place of 100: the plan says what that costs before anything runs.
func ExampleSolver_Plan() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	decay := func(_, z *Node, _ []*Node) *Node { return MulScalar(z, -0.5) }
	solver, err := ode.New(backend, decay, ode.Config{Method: ode.RK4, StepSize: ode.Constant{Step: 0.01}})
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := ode.Problem{
		Z0:     tensors.FromValue([][]float64{{1}}),
		Times:  [][]float64{{0, 1}},
		Memory: ode.Memory{Checkpoints: 4},
	}
	plan, err := solver.Plan(problem)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("states:", plan.States, "of", plan.Steps[0])
	fmt.Println("evaluations of the solve:", plan.Evaluations[0])
	fmt.Println("steps taken again by the pullback:", plan.Replayed)
	solution, err := solver.Run(context.Background(), problem)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solution.Close()
	gradients, err := solution.Pullback(context.Background(), tensors.FromValue([][][]float64{{{0}, {1}}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gradients.Free()
	fmt.Println("they were:", gradients.Replayed)
	// Output:
	// states: 4 of 100
	// evaluations of the solve: 401
	// steps taken again by the pullback: 279
	// they were: 279
}
