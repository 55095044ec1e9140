package dynamics

import (
	"errors"
	"fmt"
)

// ErrInput is wrapped by errors about what a simulation was given.
var ErrInput = errors.New("invalid input")

// ErrStep is wrapped where steps are too long for the dynamics on the graph.
var ErrStep = errors.New("step is too long")

// ErrNotFinite is wrapped by [NotFiniteError].
var ErrNotFinite = errors.New("state is not finite")

// NotFiniteError says where a state first became NaN or infinite.
type NotFiniteError struct {
	Dynamics      string
	Node, Channel int
	// Time is the end of the step that brought it, Step its length.
	Time, Step float64
	Value      float64
}

// Error implements error.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("datasets/synthetic/dynamics: %s: channel %d of node %d is %g at time %g, want a finite number: try a step shorter than %.3g, or see whether the dynamics allow such states: %v",
		e.Dynamics, e.Channel, e.Node, e.Value, e.Time, e.Step, ErrNotFinite)
}

// Unwrap gives [ErrNotFinite].
func (e *NotFiniteError) Unwrap() error { return ErrNotFinite }
