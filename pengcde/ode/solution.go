package ode

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Stats counts the work of one sample.
type Stats struct {
	// Accepted and Rejected count the steps.
	Accepted, Rejected int
	// Evaluations counts the evaluations of the field.
	Evaluations int
}

// Solution is the result of a solve: it reaches the last save time of every sample, or less if a sample failed.
type Solution struct {
	// Z holds the states at the save times, [batch, saves, ...]. It is NaN at the times that a failed sample did not
	// reach. The caller may free it, or donate it to a program.
	Z *tensors.Tensor
	// Stats has an entry for each sample.
	Stats []Stats
	// Failures has an entry for each sample, nil if it reached its last save time.
	Failures []*Failure

	solver      *Solver
	shape       shapes.Shape // of Z
	history     history      // for a pullback; nil for none
	final       *tensors.Tensor
	times       [][]float64 // of Z; NaN for unused entries
	taken       [][]float64 // ends of the accepted steps
	offsets     [][]float64 // of each sample, see [sample]
	reached     []int       // number of times reached
	args        []*tensors.Tensor
	interpolant *interpolant
	blank       *saved
}

// Code returns how the solve of a sample ended.
func (s *Solution) Code(sample int) Code {
	if f := s.Failures[sample]; f != nil {
		return f.Code
	}
	return Success
}

// failure returns the error of the solve: the first failure, with the later ones in its Also, or nil.
func (s *Solution) failure() error {
	failures := slices.DeleteFunc(slices.Clone(s.Failures), func(f *Failure) bool { return f == nil })
	if len(failures) == 0 {
		return nil
	}
	first := *failures[0]
	first.Also = failures[1:]
	return &first
}

// SaveTimes returns the save times that a sample reached. They are the times of its states in Z.
func (s *Solution) SaveTimes(sample int) []float64 {
	return slices.Clone(s.times[sample][:s.reached[sample]])
}

// StepTimes returns the step boundaries of a sample, from t0 to the end of its last step.
func (s *Solution) StepTimes(sample int) []float64 {
	return append([]float64{s.times[sample][0]}, s.taken[sample]...)
}

// Close frees Z and the tensors kept for [Solution.Pullback] and [Solution.At]. Calling it on nil does nothing.
func (s *Solution) Close() {
	if s == nil {
		return
	}
	if s.history != nil {
		s.history.free()
	}
	s.interpolant.free()
	xla.Free(s.Z, s.final)
	s.history, s.interpolant = nil, nil
}

// States returns the current number of states kept for [Solution.Pullback]; see [Memory].
func (s *Solution) States() int {
	if s.history == nil {
		return 0
	}
	return s.history.states()
}

// Gradients holds the cotangents of the inputs of a solve. The caller owns them.
type Gradients struct {
	// Z0 is [batch, ...].
	Z0 *tensors.Tensor
	// Args has an entry for each arg, nil if it is not differentiated.
	Args []*tensors.Tensor
	// Replayed counts the rounds taken again from kept states, see [Memory]. A round is a step of every sample that has
	// one left. Evaluations counts the evaluations of the field, each for the whole batch.
	Replayed, Evaluations int
}

// Free frees the tensors.
func (g *Gradients) Free() { xla.Free(append([]*tensors.Tensor{g.Z0}, g.Args...)...) }

// ErrNoTrail is returned by a pullback of a solution that kept nothing: it came from [Solver.Evaluate] or a [Problem]
// with Forget, or was closed.
var ErrNoTrail = errors.New("pengcde/ode: the solution kept nothing for a pullback: use Solver.Solve, and Close only " +
	"after")

// Pullback returns the gradient of Σ cotangent · Z with respect to z0 and the args. The cotangent has the shape of Z.
//
// The cotangent must be 0 at the times that a failed sample did not reach, and at the entries that pad the rows of
// [EveryStep]. The gradient then covers the solved part. A sample whose field was not finite at its t0 has no gradient:
// Pullback returns its [Failure].
//
// Pullback does not need Z, and may be called again. If [Memory] keeps fewer states than steps, it drops the states it
// has passed, except the first, so that a second call takes more steps again.
func (s *Solution) Pullback(ctx context.Context, cotangent *tensors.Tensor) (*Gradients, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if s.history == nil {
		return nil, ErrNoTrail
	}
	if s.solver.closed {
		return nil, ErrClosed
	}
	if !cotangent.Ok() {
		return nil, errs.New(ErrInput, "pengcde/ode: cotangent is nil or was freed, want the shape %s of Z", s.shape)
	}
	if !cotangent.Shape().Equal(s.shape) {
		return nil, errs.New(ErrInput, "pengcde/ode: cotangent is %s, want the shape %s of Z", cotangent.Shape(), s.shape)
	}
	if err := s.checkReached(cotangent); err != nil {
		return nil, err
	}
	if err := s.solver.checkArgs(s.args); err != nil {
		return nil, err
	}
	replay := &replay{Solution: s, ctx: ctx, cotangent: cotangent, wrt: differentiated(s.solver, s.args)}
	defer replay.scratch.Free()
	return replay.run()
}

// checkReached checks that the cotangent is 0 at the times that were not reached.
func (s *Solution) checkReached(cotangent *tensors.Tensor) error {
	all := true
	for b, reached := range s.reached {
		if f := s.Failures[b]; f != nil && f.Code == NotFinite && len(s.taken[b]) == 0 {
			return fmt.Errorf("pengcde/ode: no gradient, since the field is not finite at the start of sample %d: leave the "+
				"sample out: %w", b, f)
		}
		all = all && reached == len(s.times[b])
	}
	if all {
		return nil
	}
	saves := len(s.times[0])
	size := cotangent.Size() / (len(s.times) * saves)
	entries, err := entriesOf(cotangent)
	if err != nil {
		return fmt.Errorf("pengcde/ode: cotangent: %w", err)
	}
	for i, v := range entries {
		if b, save := i/(saves*size), i/size%saves; v != 0 && save >= s.reached[b] {
			return &InputError{What: "cotangent at save time", Sample: b, Entry: save, Value: v,
				Want: "0 where the solve did not come"}
		}
	}
	return nil
}
