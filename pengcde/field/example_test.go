package field_test

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// Three nodes start alike, and an edge from 0 to 1 appears between the times 1 and 2. Until then their states stay
// equal; afterwards the two that it joins have gone ways of their own.
func Example() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	pattern, _, err := dyngraph.NewPattern(3, []int{0}, []int{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	sample := field.Sample{Knots: []float64{0, 1, 2, 3}, Pattern: pattern, Snapshots: [][]float64{{0}, {1}},
		Index: []int{0, 0, 1, 1}}
	control, form, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{sample})
	if err != nil {
		fmt.Println(err)
		return
	}

	f := field.PENG{Hidden: 2, Layers: 2, Maps: equivariant.All15()}
	equation, params := field.Equation(f, form)
	solver, err := ode.New(backend, equation, ode.Config{Parameters: len(params)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solver.Close()
	solution, err := solver.Run(context.Background(), ode.Problem{
		Z0:     host.Tensor(dtypes.Float64, []float64{1, 0.5, 1, 0.5, 1, 0.5}, 1, 3, 2),
		Times:  [][]float64{{0, 1, 3}},
		Args:   append(nn.Draw(params, dtypes.Float64, 1), control...),
		StepTo: [][]float64{sample.Changes()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer solution.Close()
	z := host.Floats(solution.Z) // [1, 3 times, 3 nodes, 2]
	for i, t := range solution.SaveTimes(0) {
		alike := func(u, v int) bool { return math.Hypot(z[6*i+2*u]-z[6*i+2*v], z[6*i+2*u+1]-z[6*i+2*v+1]) < 1e-9 }
		fmt.Printf("t = %g: node 0 as node 2 %t, node 1 as node 2 %t\n", t, alike(0, 2), alike(1, 2))
	}
	// Output:
	// t = 0: node 0 as node 2 true, node 1 as node 2 true
	// t = 1: node 0 as node 2 true, node 1 as node 2 true
	// t = 3: node 0 as node 2 false, node 1 as node 2 false
}

// The knots beside which the graph changes, where a solver should end steps.
func ExampleSample_Changes() {
	sample := field.Sample{Knots: []float64{0, 1, 2, 3, 4, 5}, Index: []int{0, 0, 1, 1, 1, 1}}
	fmt.Println(sample.Changes())
	// Output: [1 2 3]
}
