package ode

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Field builds the vector field dz/dt. t is [batch] float64, whatever the type of the states. z and the result are
// [batch, ...] in the state's float type. args are the tensors given to [Solver.Solve]. The function may panic while
// the graph is built; the solver turns the panic into an error.
//
// If the field jumps at a time (see [Problem.StepTo]), a step needs the limit from its own side. It therefore evaluates
// the field at a time a few units in the last place of float64 away, so the value of the field at the jump itself does
// not matter. Compare t in float64, without conversion: in float32 both sides are equal. [Piecewise] is a field that
// receives the side.
type Field func(t, z *graph.Node, args []*graph.Node) *graph.Node

// Piecewise is a [Field] that receives the side of a jump. side [batch] float64 is negative for the limit from earlier
// times, positive for the limit from later times, and 0 for samples that are not at a jump. It is nil for evaluations
// inside a step, which are never at a jump. Its size bounds the distance from t to the jump due to rounding.
type Piecewise func(t, side, z *graph.Node, args []*graph.Node) *graph.Node

// piecewise evaluates the field next to a jump. It returns nil for a nil field.
func (f Field) piecewise() Piecewise {
	if f == nil {
		return nil
	}
	return func(t, side, z *graph.Node, args []*graph.Node) *graph.Node {
		if side != nil {
			t = graph.Add(t, side)
		}
		return f(t, z, args)
	}
}

// Method is an explicit Runge-Kutta method with a continuous extension and, for adaptive steps, an embedded error
// estimate.
//
// With stages k_i = f(t + c_i h, z + h Σ_j a_ij k_j), a step ends at z + h Σ b_i k_i, its error estimate is h Σ e_i
// k_i, and inside the step z(t + θh) = z + h Σ b_i(θ) k_i.
//
// The last stage is always the field at the end of the step, and is the first stage of the next step (first same as
// last). The last row of A is b, below the stages that b sums, as tableaus are printed. A method whose published stages
// do not end there has this stage in addition, at no further cost. A step evaluates the field once per nonempty row of
// A, and one more evaluation starts the solve.
//
//	method    order  of the estimate  inside steps  evaluations a step
//	Euler       1          -               1                1
//	Midpoint    2          -               2                2
//	Heun        2          2               2                2
//	Bosh3       3          3               3                3
//	RK4         4          -               3                4
//	Dopri5      5          5               4                6
//	Tsit5       5          5               4                6
type Method struct {
	Name string
	// Order is the order of the solution that is continued: its error after a fixed time falls as h^Order.
	Order int
	// ErrorOrder is the power of h with which the error estimate falls, one more than the order of the embedded
	// solution b̂; 0 without an estimate.
	ErrorOrder int
	// InterpolantOrder is the order of the continuous extension: its error inside a step that starts at the exact state
	// falls as h^(InterpolantOrder+1).
	InterpolantOrder int
	// C holds the nodes of all stages. The first is 0 and the last 1.
	C []float64
	// A holds for each stage the weights of the stages before it. The last row holds the weights b of the solution.
	A [][]float64
	// Error holds the weights e = b - b̂ of the error estimate. nil means that there is no estimate; the steps then
	// come from [Constant] or [Given].
	Error []float64
	// Interpolant returns the weights b_i(θ) of the continuous extension, 0 <= θ <= 1.
	Interpolant func(theta float64) []float64
}

// consistent returns an error unless Σ_j a_ij = c_i, Σ e_i = 0, b_i(0) = 0 and b_i(1) = b_i, which hold for every
// Runge-Kutta method with an embedded estimate. E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential
// Equations I (1993), (II.1.9) and II.6.
func (m *Method) consistent() error {
	last := len(m.C) - 1
	end := m.Interpolant(1)
	for i, row := range m.A {
		if sum := floats.Sum(row); !(math.Abs(sum-m.C[i]) < adding) {
			return errs.New(ErrInput, "pengcde/ode: row %d of A of method %s adds up to %g, want its node %g", i, m.Name, sum,
				m.C[i])
		}
	}
	for i, start := range m.Interpolant(0) {
		b := 0.0
		if i < last {
			b = m.A[last][i]
		}
		if !(math.Abs(start) < adding && math.Abs(end[i]-b) < adding) {
			return errs.New(ErrInput, "pengcde/ode: weight %d of Interpolant of method %s goes from %g to %g, want from 0 to "+
				"%g, the weight of the solution", i, m.Name, start, end[i], b)
		}
	}
	if sum := floats.Sum(m.Error); !(math.Abs(sum) < adding) {
		return errs.New(ErrInput, "pengcde/ode: Error of method %s adds up to %g, want 0", m.Name, sum)
	}
	return nil
}

// adding bounds the rounding of sums of weights that are given in decimals.
const adding = 1e-6

// stages returns the number of stages of a step, including the first, which the previous step evaluated.
func (m *Method) stages() int { return len(m.C) }

// Check returns an error for a faulty tableau, and for adaptive steps with a method that has no error estimate.
func (m *Method) Check(adaptive bool) error {
	s := len(m.C)
	if s < 2 || m.C[0] != 0 || m.C[s-1] != 1 {
		return errs.New(ErrInput, "pengcde/ode: method %s has nodes %v, want the first 0 and the last 1: append the "+
			"stage at the end of the step", m.Name, m.C)
	}
	if len(m.A) != s || len(m.A[s-1]) != s-1 {
		return errs.New(ErrInput, "pengcde/ode: method %s has %d rows in A for %d nodes, want as many, the last the %d "+
			"weights b", m.Name, len(m.A), s, s-1)
	}
	for i, row := range m.A {
		if len(row) > i {
			return errs.New(ErrInput, "pengcde/ode: row %d of A of method %s has %d weights, want at most %d, of the "+
				"stages before", i, m.Name, len(row), i)
		}
		if i > 0 && !slices.ContainsFunc(row, func(a float64) bool { return a != 0 }) {
			return errs.New(ErrInput, "pengcde/ode: row %d of A of method %s has no weight, want one that is not 0", i,
				m.Name)
		}
	}
	if m.Error != nil && len(m.Error) != s || m.Order < 1 || m.Interpolant == nil || len(m.Interpolant(0)) != s ||
		len(m.Interpolant(1)) != s {
		return errs.New(ErrInput, "pengcde/ode: method %s: want its order, and as many weights in Error (or none) and "+
			"Interpolant as its %d nodes", m.Name, s)
	}
	if err := m.consistent(); err != nil {
		return err
	}
	if adaptive && (m.Error == nil || m.ErrorOrder < 1) {
		return errs.New(ErrInput, "pengcde/ode: method %s has no error estimate (Error and ErrorOrder) to adapt steps "+
			"to: try Constant or Given steps, or Heun, Bosh3, Dopri5 or Tsit5", m.Name)
	}
	return nil
}
