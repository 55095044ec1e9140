package ode

import (
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// PID adapts the step to the error estimate: with E the root mean square over the sample of
//
//	error / (ATol + RTol max(|z|, |z new|))
//
// a step is accepted when E < 1, and the next one is longer by the factor
//
//	Safety E_n^(-(P+I+D)/k) E_{n-1}^((P+2D)/k) E_{n-2}^(-D/k),  k the [Method].ErrorOrder,
//
// clipped to [1, Grow] after an accepted step and to [Shrink, Safety] after a rejected one. E_{n-1} and E_{n-2} belong
// to the accepted steps before. A step that would pass the end is cut to it; after a rejection that would still pass
// it, half of what remains is tried. When a step-to time cut a step and it is accepted, the next is at least what had
// been proposed before the cut, and the cut step's E, small as the step, does not count among those before. Where the
// field jumps there and its slope is g times as large after as before, in the norm above, with g^(-1/k) below Safety,
// the next step is shorter by the factor 1/g, so that it moves the state as far as one would have before, though not
// below the first, and no E counts before it.
//
// The zero value is the integral controller of the published experiments: RTol 1e-3, ATol 1e-6, I = 1, first step
// 0.01. P = 0.4, I = 1 (or 0.3) is a proportional-integral controller for error estimates that do not change smoothly;
// the parametrisation follows diffrax.
//
// G. Söderlind, Digital filters in adaptive time-stepping, ACM Transactions on Mathematical Software 29 (2003) 1-26, on
// the coefficients; E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), II.4.
type PID struct {
	// RTol and ATol are the tolerances; 0 means 1e-3 and 1e-6. Where both are below about 1e-8, the error estimate of a
	// float32 state of order 1 is rounding, and steps shrink without gain. A gradient may need tighter ones than the
	// states: see the package documentation.
	RTol float64 `json:"RTol"`
	ATol float64 `json:"ATol"`
	// P, I, D are the coefficients; all 0 means I = 1.
	P float64 `json:"P"`
	I float64 `json:"I"`
	D float64 `json:"D"`
	// First is the length of the first step; 0 means 0.01, as the published code has it, and [Automatic] fits it to the
	// field.
	First float64 `json:"First"`
	// Safety is the factor on the predicted step, below 1; 0 means 0.9.
	Safety float64 `json:"Safety,omitempty"`
	// Shrink and Grow are the smallest factor after a rejected step and the largest after an accepted one; 0 means 0.2
	// and 10.
	Shrink float64 `json:"Shrink,omitempty"`
	Grow   float64 `json:"Grow,omitempty"`
	// Min is the length below which a step that the error asks for is a failure ([StepTooSmall]); 0, and any that is
	// less, means the resolution of t, four units in its last place: a shorter first step is made as long. Steps cut to
	// end at a time may be shorter.
	Min float64 `json:"Min,omitempty"`
	// Max is the largest length; 0 means no bound.
	Max float64 `json:"Max,omitempty"`
}

// Automatic as [PID].First chooses the first step by the rule of Hairer, Nørsett and Wanner (II.4), with one more
// evaluation of the field.
const Automatic = rk.Automatic

// Resolved is the control with every default written out, for what compares or stores it. The error wraps [ErrInput]
// where a setting makes no sense.
func (c PID) Resolved() (PID, error) {
	resolved, err := rk.PID(c).Resolved()
	if err != nil {
		err = errs.New(ErrInput, "pengcde/ode: %w", err)
	}
	return PID(resolved), err
}

// check finds options that no solve can take.
func (c PID) check() error {
	_, err := c.Resolved()
	return err
}

// Steps implements [StepSize].
func (c PID) Steps(_, order int, t0, t1 float64) (Steps, error) {
	c, err := c.Resolved()
	if err != nil {
		return nil, err
	}
	return rk.NewAdaptive(rk.PID(c), order, t0, t1), nil
}
