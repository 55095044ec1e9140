package ode

// Initial value problems with known solutions,
//
//	dz/dt = f(t, z, a),  z(t0) = z0,  with the flow Φ that takes z(s) to z(t)
//
// Each has its right-hand side twice, once built of GoMLX nodes and once in plain Go for float64, and its flow from
// any time to any other, so that errors can be measured from any state, not only from z0. States are [batch, dim] and
// parameters one vector [params]. Problems are linear and nonlinear, autonomous or not, so that together they see all
// order conditions.

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// knownProblem is an initial value problem with a known solution.
type knownProblem struct {
	Name string
	// Field builds dz/dt [batch, dim] from t [batch], z [batch, dim] and args, of which the first is the vector of
	// parameters [params]. It is an ode.Field.
	Field func(t, z *Node, args []*Node) *Node
	// Slope is dz/dt of one sample in plain Go.
	Slope func(t float64, z, a []float64) []float64
	// Flow is z(t) of the solution that is z at time s.
	Flow func(s, t float64, z, a []float64) []float64
	// Z0 is the state at T0, A the parameters; the interval of interest is T0 to T1.
	Z0, A  []float64
	T0, T1 float64
}

// knownProblems returns all problems.
func knownProblems() []knownProblem { return append(smoothProblems(), knownStiff) }

// smoothProblems returns the problems that a few steps solve well.
func smoothProblems() []knownProblem {
	return []knownProblem{knownDecay, knownOscillator, knownSeasonal, knownGrowth, knownLimitCycle, knownDriven}
}

// At returns the solution at time t.
func (p knownProblem) At(t float64) []float64 { return p.Flow(p.T0, t, p.Z0, p.A) }

// Start returns the initial state for a batch of equal samples, [batch, dim].
func (p knownProblem) Start(batch int) *tensors.Tensor {
	var all []float64
	for range batch {
		all = append(all, p.Z0...)
	}
	return tensors.FromFlatDataAndDimensions(all, batch, len(p.Z0))
}

// Params returns the parameters, [params].
func (p knownProblem) Params() *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(append([]float64{}, p.A...), len(p.A))
}

// distanceOf is the Euclidean distance of two states.
func distanceOf(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(sum)
}

// orderOf is the slope of the regression of log error against log step: the order at which errors fall.
func orderOf(steps, errors []float64) float64 {
	var mx, my, num, den float64
	n := float64(len(steps))
	for i := range steps {
		mx += math.Log(steps[i]) / n
		my += math.Log(errors[i]) / n
	}
	for i := range steps {
		x := math.Log(steps[i]) - mx
		num += x * (math.Log(errors[i]) - my)
		den += x * x
	}
	return num / den
}
