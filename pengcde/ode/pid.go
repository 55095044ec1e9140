package ode

import (
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
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
const Automatic = -1

// defaultFirst is the first step of the published code.
const defaultFirst = 0.01

// Resolved is the control with every default written out, for what compares or stores it. The error wraps [ErrInput]
// where a setting makes no sense.
func (c PID) Resolved() (PID, error) {
	if c.P == 0 && c.I == 0 && c.D == 0 {
		c.I = 1
	}
	automatic := c.First == Automatic
	if automatic {
		c.First = defaultFirst
	}
	for _, option := range []struct {
		name     string
		value    *float64
		fallback float64
	}{
		{"RTol", &c.RTol, 1e-3}, {"ATol", &c.ATol, 1e-6}, {"First", &c.First, defaultFirst}, {"Safety", &c.Safety, 0.9},
		{"Shrink", &c.Shrink, 0.2}, {"Grow", &c.Grow, 10}, {"Max", &c.Max, math.MaxFloat64},
	} {
		if *option.value == 0 {
			*option.value = option.fallback
		}
		if !(*option.value > 0) || !finite(*option.value) {
			return c, errs.New(ErrInput, "pengcde/ode: PID.%s is %g, want a positive number", option.name, *option.value)
		}
	}
	switch {
	case !finite(c.P) || !finite(c.I) || !finite(c.D):
		return c, errs.New(ErrInput, "pengcde/ode: PID has P %g, I %g, D %g, want finite coefficients", c.P, c.I, c.D)
	case !(c.P+c.I+c.D > 0):
		return c, errs.New(ErrInput, "pengcde/ode: PID has P + I + D = %g, want it positive, so that larger errors make "+
			"smaller steps", c.P+c.I+c.D)
	case c.Safety >= 1 || c.Shrink > c.Safety || c.Grow < 1:
		return c, errs.New(ErrInput, "pengcde/ode: PID has Shrink %g, Safety %g, Grow %g, want Shrink <= Safety < 1 <= "+
			"Grow", c.Shrink, c.Safety, c.Grow)
	case !(c.Min >= 0) || c.Min > c.Max:
		return c, errs.New(ErrInput, "pengcde/ode: PID has Min %g, Max %g, want 0 <= Min <= Max", c.Min, c.Max)
	}
	c.First = math.Max(math.Min(c.First, c.Max), c.Min)
	if automatic {
		c.First = Automatic
	}
	return c, nil
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
	s := &pidSteps{PID: c, t1: t1, toward: direction(t0, t1), h: c.First, fitted: c.First, accepted: true,
		before: [2]float64{1, 1}, k: float64(order)}
	if c.First == Automatic {
		s.begin(defaultFirst)
	}
	s.powers = [3]float64{-(c.P + c.I + c.D) / s.k, (c.P + 2*c.D) / s.k, -c.D / s.k}
	return s, nil
}

type pidSteps struct {
	PID
	t1, toward float64
	h          float64    // length of the next step, before it is cut
	fitted     float64    // length of the first
	proposed   float64    // end of the step proposed last, before it is cut
	accepted   bool       // the last judgement
	before     [2]float64 // E of the last two accepted steps, the latest first
	k          float64
	powers     [3]float64
}

// begin sets the first step of a solve whose First is [Automatic].
func (s *pidSteps) begin(h float64) {
	s.h = math.Max(math.Min(h, s.Max), s.Min)
	s.fitted = s.h
}

func (s *pidSteps) Next(t float64) float64 {
	least := 4 * ulp(t)
	if !s.accepted && s.h <= math.Max(s.Min*(1-1e-9), least) {
		return t
	}
	s.proposed = t + s.toward*math.Max(s.h, least)
	if s.toward*(s.t1-s.proposed) >= 100*ulp(s.t1) {
		return s.proposed
	}
	if s.accepted {
		return s.t1
	}
	return t + 0.5*(s.t1-t)
}

func (s *pidSteps) Judge(t, end, norm float64) bool {
	if math.IsNaN(norm) {
		norm = math.Inf(1)
	}
	s.accepted = norm < 1
	low, high := s.Shrink, s.Safety
	if s.accepted {
		low, high = 1, s.Grow
	}
	factor := high
	switch {
	case math.IsInf(norm, 1):
		factor = low
	case norm > 0:
		factor = s.Safety * math.Pow(norm, s.powers[0]) * math.Pow(s.before[0], s.powers[1]) *
			math.Pow(s.before[1], s.powers[2])
	}
	length := math.Abs(end-t) * math.Min(math.Max(factor, low), high)
	cut := s.accepted && s.toward*(s.proposed-end) > 0
	if cut {
		length = math.Max(length, s.h)
	}
	s.h = math.Min(length, s.Max)
	if s.accepted && !cut && norm > 0 {
		s.before = [2]float64{norm, s.before[0]}
	}
	return s.accepted
}

func (s *pidSteps) Tolerances() (float64, float64) { return s.RTol, s.ATol }
