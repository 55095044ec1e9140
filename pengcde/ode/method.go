package ode

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Field builds dz/dt. t is [batch] float64, whatever the states are; z is [batch, ...] in the state's float type, and
// so is the result; args are the tensors given to [Solver.Solve]. It may panic while the graph is built: that becomes
// an error.
//
// At a time where the field jumps (see [Problem.StepTo]) a step wants the limit from its own side, so it gives a time
// beside it, some units in the last place of float64 away: which of the two limits the field itself has there does not
// matter. Compare t as it comes, in float64: in float32 the two sides are one. [Piecewise] is a field that is told the
// side.
type Field func(t, z *graph.Node, args []*graph.Node) *graph.Node

// Piecewise is a [Field] that is told which limit is wanted where it jumps. The side [batch] float64 is negative for
// the limit from earlier times, positive for that from later ones, and 0 for samples that do not stand at a jump; it is
// nil for evaluations that never do, those inside a step. Its size is how far from t the jump may lie by rounding.
type Piecewise func(t, side, z *graph.Node, args []*graph.Node) *graph.Node

// piecewise evaluates the field beside a jump; nil where there is no field.
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
// With stages k_i = f(t + c_i h, z + h Σ_j a_ij k_j), a step ends at z + h Σ b_i k_i, its error estimate is
// h Σ e_i k_i, and inside the step z(t + θh) = z + h Σ b_i(θ) k_i.
//
// The last stage is always the field at the end of the step, which is the first stage of the next one (first same as
// last). So a tableau is written as it is drawn, with b as the last row of A below the stages that b sums. A method
// whose published stages do not end there has its own and this one more, at no further cost: a step evaluates the
// field as often as there are rows of A that are not empty, and one more evaluation starts the solve.
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
	// Order of the solution that is continued: its error after a fixed time falls with the step as h^Order.
	Order int
	// ErrorOrder is the power of h with which the error estimate falls, one more than the order of the embedded
	// solution b̂; 0 without an estimate.
	ErrorOrder int
	// InterpolantOrder is the order of the continuous extension: its error inside a step from the exact state falls as
	// h^(InterpolantOrder+1).
	InterpolantOrder int
	// C are the nodes of all stages, the first 0 and the last 1.
	C []float64
	// A holds for each stage the weights of those before it; the last row is the solution's weights b.
	A [][]float64
	// Error are the weights e = b - b̂ of the error estimate; nil means that there is none, so that steps must be given
	// by [Constant] or [Given].
	Error []float64
	// Interpolant gives the weights b_i(θ) of the continuous extension, 0 <= θ <= 1.
	Interpolant func(theta float64) []float64
}

// stages is the number of evaluations in a step, with the first that the step before has left.
func (m *Method) stages() int { return len(m.C) }

// check finds faults of a tableau, and of its use by a control that needs an error estimate.
func (m *Method) check(adaptive bool) error {
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
	}
	if m.Error != nil && len(m.Error) != s || m.Order < 1 || m.Interpolant == nil || len(m.Interpolant(1)) != s {
		return errs.New(ErrInput, "pengcde/ode: method %s: want its order, and as many weights in Error (or none) and "+
			"Interpolant as its %d nodes", m.Name, s)
	}
	if adaptive && (m.Error == nil || m.ErrorOrder < 1) {
		return errs.New(ErrInput, "pengcde/ode: method %s has no error estimate (Error and ErrorOrder) to adapt steps "+
			"to: try Constant or Given steps, or Heun, Bosh3, Dopri5 or Tsit5", m.Name)
	}
	return nil
}
