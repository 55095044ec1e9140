package ode

import "github.com/gomlx/gomlx/core/graph"

// Field builds dz/dt. t is [batch] float64; z is [batch, ...] in the state's float type, and so is the result; args
// are the tensors given to [Solver.Solve]. It may panic while the graph is built: that becomes an error.
type Field func(t, z *graph.Node, args []*graph.Node) *graph.Node

// Method is an explicit Runge-Kutta method with an embedded error estimate and a continuous extension, whose last
// stage is the first of the next step (first same as last).
//
// With stages k_i = f(t + c_i h, z + h Σ_j a_ij k_j), a step ends at z + h Σ b_i k_i, its error estimate is
// h Σ e_i k_i, and inside the step z(t + θh) = z + h Σ b_i(θ) k_i.
type Method struct {
	Name string
	// Order of the solution that is continued.
	Order int
	// C are the nodes of all stages, the first 0 and the last 1.
	C []float64
	// A holds for each stage the weights of those before it; the last row equals the solution's weights b.
	A [][]float64
	// Error are the weights b - b̂ of the error estimate.
	Error []float64
	// Dense gives the weights b_i(θ) of the continuous extension, 0 <= θ <= 1.
	Dense func(theta float64) []float64
}

// stages is the number of evaluations in a step, with the first that the step before has left.
func (m *Method) stages() int { return len(m.C) }
