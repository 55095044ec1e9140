package ode

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// Stats counts the work of one sample.
type Stats struct {
	// Accepted and Rejected count the steps.
	Accepted, Rejected int
	// Evaluations counts those of the field.
	Evaluations int
}

// Solution is a solve that reached its last save time.
type Solution struct {
	// Z holds the states at the save times, [batch, saves, ...].
	Z *tensors.Tensor
	// Stats has an entry for each sample.
	Stats []Stats

	solver *Solver
	kept   bool
	times  [][]float64
	args   []*tensors.Tensor
	trail  trail
}

// StepTimes returns the times between the steps of a sample, from t0 to t1; only for a solution of [Solver.Solve].
func (s *Solution) StepTimes(sample int) []float64 {
	ts := []float64{s.times[sample][0]}
	if s.trail.steps == nil {
		return ts
	}
	for _, step := range s.trail.steps[sample] {
		ts = append(ts, step.end)
	}
	return ts
}

// Close frees Z and what was kept for [Solution.Pullback].
func (s *Solution) Close() {
	s.trail.free()
	xla.Free(s.Z)
	s.kept = false
}

// Gradients are cotangents of the inputs of a solve; they belong to the caller.
type Gradients struct {
	// Z0 is [batch, ...].
	Z0 *tensors.Tensor
	// Args has an entry for each arg, nil where it is not differentiated.
	Args []*tensors.Tensor
}

// Free frees the tensors.
func (g *Gradients) Free() { xla.Free(append([]*tensors.Tensor{g.Z0}, g.Args...)...) }

// ErrNoTrail is returned by a pullback of a solution that kept nothing: it came from [Solver.Evaluate] or was closed.
var ErrNoTrail = errors.New("pengcde/ode: the solution kept nothing for a pullback: use Solver.Solve, and Close only after")

// Pullback returns the gradient of Σ cotangent · Z with respect to z0 and the args: cotangent has the shape of Z.
func (s *Solution) Pullback(ctx context.Context, cotangent *tensors.Tensor) (*Gradients, error) {
	if !s.kept {
		return nil, ErrNoTrail
	}
	if !cotangent.Shape().Equal(s.Z.Shape()) {
		return nil, fmt.Errorf("pengcde/ode: cotangent is %s, want the shape %s of Z: %w", cotangent.Shape(), s.Z.Shape(), ErrInput)
	}
	replay := &replay{Solution: s, ctx: ctx, cotangent: cotangent}
	defer replay.scratch.Free()
	return replay.run()
}
