package ode

import (
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// PID adapts the step to the error estimate. With E the root mean square over the sample of
//
//	error / (ATol + RTol max(|z|, |z new|))
//
// a step is accepted if E < 1, and the next step is longer by the factor
//
//	Safety E_n^(-(P+I+D)/k) E_{n-1}^((P+2D)/k) E_{n-2}^(-D/k),  k the [Method].ErrorOrder,
//
// clipped to [1, Grow] after an accepted step and to [Shrink, Safety] after a rejected one. E_{n-1} and E_{n-2} are the
// norms of the previous accepted steps. A step that would pass the end is cut to it. If it would still pass the end
// after a rejection, half of the remaining time is tried.
//
// If a step was cut at a step-to time and is accepted, the next step is at least as long as the step proposed before
// the cut. The E of the cut step is as small as the step, and does not count as a previous norm. Suppose the field
// jumps at the step-to time and its slope grows by the factor g, in the norm above. If g^(-1/k) is below Safety, the
// next step is shorter by the factor 1/g, so that it moves the state as far as before, though not below the first step.
// No previous E counts then.
//
// The zero value is the integral controller of the published experiments: RTol 1e-3, ATol 1e-6, I = 1, first step 0.01.
// P = 0.4, I = 1 (or 0.3) is a proportional-integral controller for error estimates that do not change smoothly. The
// parametrisation follows diffrax.
//
// G. Söderlind, Digital filters in adaptive time-stepping, ACM Transactions on Mathematical Software 29 (2003) 1-26, on
// the coefficients; E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), II.4.
type PID struct {
	// RTol and ATol are the tolerances; 0 means 1e-3 and 1e-6. If both are below about 1e-8, the error estimate of a
	// float32 state of order 1 is rounding error, and steps shrink without gain. A gradient may need tighter tolerances
	// than the states: see the package documentation.
	RTol float64 `json:"RTol"`
	ATol float64 `json:"ATol"`
	// P, I, D are the coefficients; all 0 means I = 1.
	P float64 `json:"P"`
	I float64 `json:"I"`
	D float64 `json:"D"`
	// First is the length of the first step. 0 means 0.01, the value of the published code. [Automatic] fits it to the
	// field.
	First float64 `json:"First"`
	// Safety is the factor on the predicted step, below 1; 0 means 0.9.
	Safety float64 `json:"Safety,omitempty"`
	// Shrink is the smallest factor after a rejected step, and Grow the largest factor after an accepted step; 0 means
	// 0.2 and 10.
	Shrink float64 `json:"Shrink,omitempty"`
	Grow   float64 `json:"Grow,omitempty"`
	// Min is the smallest step length. A solve fails with [StepTooSmall] if the error needs a shorter step. 0, or any
	// smaller value, means the resolution of t, four units in its last place; a shorter first step is raised to Min.
	// Steps cut to end at a time may be shorter.
	Min float64 `json:"Min,omitempty"`
	// Max is the largest step length; 0 means no bound. A solve refuses a Max below the resolution of its times.
	Max float64 `json:"Max,omitempty"`
}

// Automatic as [PID].First chooses the first step by the rule of Hairer, Nørsett and Wanner (II.4), at the cost of one
// evaluation of the field.
const Automatic = rk.Automatic

// Resolved returns the control with every default filled in, for comparison or storage. The error wraps [ErrInput] if a
// setting is invalid.
func (c PID) Resolved() (PID, error) {
	resolved, err := rk.PID(c).Resolved()
	if err != nil {
		err = errs.New(ErrInput, "pengcde/ode: %w", err)
	}
	return PID(resolved), err
}

// check returns an error for invalid options.
func (c PID) check() error {
	_, err := c.Resolved()
	return err
}

// Steps implements [StepSize].
func (c PID) Steps(_, order int, t0, t1 float64) (Steps, error) {
	steps, err := rk.NewAdaptive(rk.PID(c), order, t0, t1)
	if err != nil {
		return nil, errs.New(ErrInput, "pengcde/ode: %w", err)
	}
	return steps, nil
}
